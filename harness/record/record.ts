import { z } from 'zod';
import { SchemaError } from './errors.ts';
import { VERDICTS } from './verdicts.ts';

/** Version of the record's form; a reader refuses any other. */
export const RECORD_VERSION = 1;

/** JSON has no NaN and no infinities; they are written as these words and read back as numbers. */
const real = z.union([
  z.number(),
  z.enum(['NaN', 'Infinity', '-Infinity']).transform((word) => Number(word)),
]);
const count = z.int().min(0);
const fact = z.union([real, z.string()]);
const facts = z.record(z.string(), fact);
const tally = z.object({ key: real, count });

const place = z.object({
  tile: count,
  physicalTile: count,
  address: count,
  labels: z.record(z.string(), real),
});

const mismatch = z.object({
  kind: z.enum(['value', 'class', 'unwritten']),
  flat: count,
  index: z.array(count),
  observed: real,
  observedCode: z.string(),
  expected: real,
  expectedCode: z.string(),
  error: real,
  bound: real,
  ulps: real,
  place: place.optional(),
  origin: z.string().optional(),
});

const extreme = z.object({ value: real, index: z.int() });

const metrics = z.object({
  elements: count,
  compared: count,
  mismatches: count,
  alarms: count,
  unwritten: count,
  classes: z.object({
    nanForFinite: count,
    infinityForFinite: count,
    finiteForNonFinite: count,
    wrongNonFinite: count,
  }),
  maxAbsError: extreme,
  maxBoundRatio: extreme,
  maxUlp: extreme,
  rmsError: real,
  meanSignedError: real,
  meanOutwardError: real,
  ulpHistogram: z.array(count),
  discriminating: real,
});

const errorMap = z.object({
  rows: count,
  columns: count,
  mismatchedRows: count,
  mismatchedColumns: count,
  byRow: z.array(tally),
  byColumn: z.array(tally),
  byLane: z.array(tally),
  byLabel: z.record(z.string(), z.array(tally)),
  located: count,
});

const output = z.object({
  tensor: z.string(),
  dtype: z.string(),
  shape: z.array(count),
  verdict: z.enum(VERDICTS),
  /** Name of the bound model. */
  model: z.string(),
  exact: z.boolean(),
  metrics: metrics.optional(),
  /** The first mismatches in row-major order; the record keeps few. */
  mismatches: z.array(mismatch),
  patterns: z.array(z.object({ kind: z.string(), detail: z.string(), stage: z.string() })),
  /** Only when something is wrong. */
  map: errorMap.optional(),
});

const step = z.object({
  name: z.string(),
  kind: z.enum(['exchange', 'compute']),
  modelCycles: real,
  horizon: real.optional(),
  endpointBound: real.optional(),
  transfers: real.optional(),
});

const compile = z.object({
  plan: z.string(),
  tilesRequested: count,
  tilesActive: count,
  steps: z.array(step),
  modelCycles: real,
  sramBytes: count,
  sramCapacity: count,
  codeBytes: count,
  memoryMap: z.array(z.object({ name: z.string(), address: count, bytes: count, kind: z.string() })),
  /** The op-by-op rounding model as the compiler declares it. */
  rounding: z.unknown(),
});

const identity = z.object({ kind: z.string(), tiles: count, clockHz: z.number(), model: z.string() });

const failure = z.object({
  name: z.string(),
  stage: z.string(),
  tile: count.optional(),
  facts,
  advice: z.string(),
  /** Kept for errors nobody declared. */
  stack: z.string().optional(),
});

const artefact = z.object({
  name: z.string(),
  /** Path relative to the run directory. */
  file: z.string(),
  contentType: z.string(),
});

/** One case of one run. All but `run`, `artefacts` and `host` is equal for equal code, options and device. */
export const resultRecord = z.object({
  schemaVersion: z.literal(RECORD_VERSION),
  run: z.string(),
  /** Position in the list of planned cases. */
  index: count,
  case: z.string(),
  operation: z.string(),
  verdict: z.enum(VERDICTS),
  /** The decisive reason in one sentence; empty when passed. */
  reason: z.string(),
  reasons: z.array(z.string()),
  failure: failure.optional(),
  device: identity.optional(),
  inputs: z.array(
    z.object({ name: z.string(), dtype: z.string(), shape: z.array(count), seed: z.string().optional() }),
  ),
  package: z.object({ sha256: z.string(), bytes: count }).optional(),
  compile: compile.optional(),
  outputs: z.array(output),
  /** Largest error over bound of any output; infinite for a wrong bit of an exact output. */
  boundRatio: real.optional(),
  /** Device cycles from the first start sample to the last end sample. */
  cycles: count.optional(),
  instructions: count.optional(),
  /** Cycles over the device's clock. */
  microseconds: real.optional(),
  /** Arithmetic operations of the problem, the numerator of `tflops`. */
  flops: real.optional(),
  tflops: real.optional(),
  budget: z.object({ limitCycles: count, ratio: real }).optional(),
  known: z.object({ expect: z.string(), owner: z.string(), expires: z.string(), why: z.string() }).optional(),
  /** Command that runs this case alone. */
  repro: z.string(),
  artefacts: z.array(artefact),
  /** What depends on the host: wall times in milliseconds, process, lane. Never compared. */
  host: z.object({
    lane: count,
    /** Milliseconds since the epoch; 0 when the case never began. */
    startedAt: count,
    stages: z.array(z.object({ name: z.string(), milliseconds: z.number() })),
    compileStages: z.record(z.string(), z.number()).optional(),
    totalMilliseconds: z.number(),
  }),
});

export type ResultRecord = z.infer<typeof resultRecord>;
export type RecordOutput = ResultRecord['outputs'][number];
export type RecordFailure = NonNullable<ResultRecord['failure']>;
export type RecordArtefact = ResultRecord['artefacts'][number];

/** One line of JSON, without a line end. */
export function encodeRecord(record: ResultRecord): string {
  return encodeJson(record);
}

/** JSON with NaN and infinities as words. */
export function encodeJson(value: unknown, space?: number): string {
  return JSON.stringify(
    value,
    (_key, item) => (typeof item === 'number' && !Number.isFinite(item) ? String(item) : item),
    space,
  );
}

/** Reads one line. Throws SchemaError that says what is wrong with it. */
export function decodeRecord(line: string): ResultRecord {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    throw new SchemaError(`not JSON: ${(error as Error).message}`);
  }
  const result = resultRecord.safeParse(parsed);
  if (result.success) return result.data;
  throw new SchemaError(describeIssue(result.error));
}

/** The first thing a schema objects to, with its path. */
export function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue.path.join('.');
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : '';
  return `${path === '' ? 'the value' : path}: ${issue.message}${more}`;
}
