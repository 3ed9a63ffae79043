/** The oracle cannot say what the result must be: its own input is malformed. Never a failure of the device. */
export class OracleError extends Error {
  readonly verdict = 'infra-error';
  readonly stage = 'oracle';
  readonly facts: Readonly<Record<string, number | string>>;
  readonly advice: string;

  constructor(message: string, facts: Readonly<Record<string, number | string>>, advice: string) {
    super(message);
    this.name = 'OracleError';
    this.facts = facts;
    this.advice = advice;
  }
}
