/**
 * The request itself is wrong: a case line, an option or a corpus file. One clear message, exit code 2.
 * `key` names the offending field or option, `value` is what was given, `allowed` what would be accepted.
 */
export class UsageError extends Error {
  readonly key: string;
  readonly value: string;
  readonly allowed: string;
  /** Exit code of the command line for this class of error. */
  readonly exitCode = 2;

  constructor(message: string, key: string, value: string, allowed: string) {
    super(message);
    this.name = 'UsageError';
    this.key = key;
    this.value = value;
    this.allowed = allowed;
  }
}

/** Longest text quoted back in a message; hostile input must not flood a log. */
const QUOTED_LENGTH = 120;

/** Text as it appears in messages: printable, bounded. */
export function printable(text: string): string {
  return quoted(text).slice(1, -1);
}

/** The same between quotation marks. */
export function quoted(text: string): string {
  const shown = text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}...` : text;
  return JSON.stringify(shown);
}
