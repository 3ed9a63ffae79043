/** How a worker process hands a record to the main process. */
export const RECORD_ARTIFACT = 'ipu-verify:record';

/** One record as a line of JSON. */
export interface RecordArtifact {
  readonly type: typeof RECORD_ARTIFACT;
  readonly json: string;
}

declare module 'vitest' {
  interface TestArtifactRegistry {
    readonly record: { type: typeof RECORD_ARTIFACT; json: string; attachments?: never[] };
  }
  interface ProvidedContext {
    /** Path of the lane's job file. */
    laneJob: string;
    /** Slice of a tier, for runs under the plain test runner. */
    slice: { readonly index: number; readonly count: number };
  }
}
