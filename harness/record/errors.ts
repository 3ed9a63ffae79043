/** A line or file does not have the form its version promises. */
export class SchemaError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaError';
  }
}

/** A run directory cannot be made, read or continued. `advice` says what to do. */
export class RunError extends Error {
  readonly advice: string;
  /** 2 when the request names something that is not there or already is, 4 when the disk refuses. */
  readonly exitCode: 2 | 4;

  constructor(message: string, advice: string, exitCode: 2 | 4, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RunError';
    this.advice = advice;
    this.exitCode = exitCode;
  }
}

/** `message` of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
