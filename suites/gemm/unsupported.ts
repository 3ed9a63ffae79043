/** The case asks for something no package can do yet; a verdict of its own, never a pass. */
export class UnsupportedError extends Error {
  readonly verdict = 'unsupported';
  readonly stage = 'problem';
  readonly facts: Readonly<Record<string, number | string>>;
  readonly advice: string;

  constructor(message: string, facts: Readonly<Record<string, number | string>>, advice: string) {
    super(message);
    this.name = 'UnsupportedError';
    this.facts = facts;
    this.advice = advice;
  }
}
