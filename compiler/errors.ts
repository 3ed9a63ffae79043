/** Compiler stages, in pipeline order. */
export type CompileStage = 'graph' | 'plan' | 'lower' | 'place' | 'exchange' | 'kernel' | 'assemble' | 'emit';

/**
 * Why a graph did not become a package. `verdict` is `compile-error` when the request cannot be met,
 * `unsupported` when the compiler does not know the operation or type.
 */
export class CompileError extends Error {
  readonly verdict: 'compile-error' | 'unsupported';
  readonly stage: CompileStage;
  /** Logical tile to blame, when there is one. */
  readonly tile?: number;
  /** The numbers that broke the rule, e.g. demand and capacity in bytes. */
  readonly facts: Readonly<Record<string, number | string>>;
  readonly advice: string;

  constructor(
    stage: CompileStage,
    message: string,
    facts: Readonly<Record<string, number | string>>,
    advice: string,
    options: { tile?: number; verdict?: 'compile-error' | 'unsupported' } = {},
  ) {
    super(message);
    this.name = 'CompileError';
    this.stage = stage;
    this.facts = facts;
    this.advice = advice;
    this.verdict = options.verdict ?? 'compile-error';
    if (options.tile !== undefined) this.tile = options.tile;
  }
}

/**
 * A stage handed the next one something illegal: a defect of the compiler itself, never of the request.
 */
export class VerifierError extends CompileError {
  constructor(
    stage: CompileStage,
    rule: string,
    facts: Readonly<Record<string, number | string>>,
    tile?: number,
  ) {
    super(
      stage,
      `${stage} verifier: ${rule}`,
      facts,
      'This is a compiler defect; report it with the case line.',
      tile === undefined ? {} : { tile },
    );
    this.name = 'VerifierError';
  }
}
