/**
 * Where a package or profile went wrong: `capnp` the bytes are no well-formed message, `invalid` the content
 * breaks a rule, `io` the file system refused, `utf8` a text is not valid Unicode, `enum` a number names no
 * member of its enum.
 */
export type PackageErrorKind = 'capnp' | 'invalid' | 'io' | 'utf8' | 'enum';

/** Numbers and names that belong to a message. */
export type PackageErrorFacts = Readonly<Record<string, number | string>>;

/** What every message of a kind starts with [SW]. */
const PREFIX: Readonly<Record<PackageErrorKind, string>> = {
  capnp: "Cap'n Proto error",
  invalid: 'invalid package',
  io: 'I/O error',
  utf8: 'invalid UTF-8 text',
  enum: 'unknown schema enum value',
};

/** The one error of this room: every failed read, write or validation throws it and nothing else. */
export class PackageError extends Error {
  readonly kind: PackageErrorKind;
  /** A producer that hands over a broken model is a compiler's fault; a broken file is infrastructure's. */
  readonly verdict: 'compile-error' | 'infra-error';
  readonly stage = 'package';
  readonly facts: PackageErrorFacts;
  readonly advice: string;

  constructor(
    kind: PackageErrorKind,
    detail: string,
    options: {
      readonly verdict: 'compile-error' | 'infra-error';
      readonly advice: string;
      readonly facts?: PackageErrorFacts;
      readonly cause?: unknown;
    },
  ) {
    super(`${PREFIX[kind]}: ${detail}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PackageError';
    this.kind = kind;
    this.verdict = options.verdict;
    this.facts = options.facts ?? {};
    this.advice = options.advice;
  }
}
