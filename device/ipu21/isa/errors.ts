/**
 * Which rule an instruction broke: its name, the number or kind of its operands, the range of a number, the
 * alignment of a register group or an address, the number of words, or the syntax of its text.
 */
export type EncodingRule = 'unknown' | 'operands' | 'range' | 'alignment' | 'words' | 'syntax';

/** An instruction that cannot be encoded. */
export class EncodingError extends Error {
  readonly rule: EncodingRule;
  readonly facts: Readonly<Record<string, number | string>>;
  /** What to do about it. */
  readonly advice: string;

  constructor(
    rule: EncodingRule,
    message: string,
    facts: Readonly<Record<string, number | string>>,
    advice: string,
  ) {
    super(`${message}. ${advice}`);
    this.name = 'EncodingError';
    this.rule = rule;
    this.facts = facts;
    this.advice = advice;
  }
}
