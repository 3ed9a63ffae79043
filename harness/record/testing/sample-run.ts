import { mkdirSync } from 'node:fs';
import {
  encodeRecord,
  MANIFEST_VERSION,
  RECORD_VERSION,
  type ResultRecord,
  type RunManifest,
  type RunView,
  reproLine,
  runDirectory,
  VERDICTS,
  type Verdict,
  viewRun,
} from '../index.ts';

/** A record with every part filled in, for one verdict. */
export function sampleRecord(
  index: number,
  verdict: Verdict,
  more: Partial<ResultRecord> = {},
): ResultRecord {
  const line = sampleLine(index);
  const wrong = verdict === 'failed-numerics';
  const reason = verdict === 'passed' ? '' : `reason of ${verdict} with <markup> & "quotes", commas`;
  return {
    schemaVersion: RECORD_VERSION,
    run: 'sample',
    index,
    case: line,
    operation: 'gemm',
    verdict,
    reason,
    reasons: reason === '' ? [] : [reason],
    device: { kind: 'simulator', tiles: 1472, clockHz: 1.5e9, model: 'sim-1' },
    inputs: [{ name: 'a', dtype: 'f16', shape: [4, 6], seed: '0x0123456789abcdef' }],
    package: { sha256: 'ab'.repeat(32), bytes: 1000 },
    compile: {
      plan: 'grid=1x1x1 tiles=1/1',
      tilesRequested: 1,
      tilesActive: 1,
      steps: [
        { name: 'operands', kind: 'exchange', modelCycles: 90, horizon: 80, endpointBound: 64, transfers: 4 },
        { name: 'gemm', kind: 'compute', modelCycles: 110 },
      ],
      modelCycles: 200,
      sramBytes: 4096,
      sramCapacity: 572_336,
      codeBytes: 256,
      memoryMap: [{ name: 'a', address: 0x60000, bytes: 48, kind: 'data' }],
      rounding: { kind: 'f16' },
    },
    outputs: [
      {
        tensor: 'c',
        dtype: 'f16',
        shape: [4, 6],
        verdict: wrong ? 'failed-numerics' : 'passed',
        model: 'bound',
        exact: false,
        metrics: {
          elements: 24,
          compared: 24,
          mismatches: wrong ? 1 : 0,
          alarms: 0,
          unwritten: 0,
          classes: { nanForFinite: 0, infinityForFinite: 0, finiteForNonFinite: 0, wrongNonFinite: 0 },
          maxAbsError: { value: wrong ? Number.NaN : 0.125, index: 3 },
          maxBoundRatio: { value: wrong ? Number.POSITIVE_INFINITY : 0.5, index: 3 },
          maxUlp: { value: 2, index: 3 },
          rmsError: 0.01,
          meanSignedError: 0,
          meanOutwardError: -0.001,
          ulpHistogram: [20, 4],
          discriminating: 1,
        },
        mismatches: wrong
          ? [
              {
                kind: 'value',
                flat: 3,
                index: [0, 3],
                observed: Number.NaN,
                observedCode: '0x7e00',
                expected: -1.5,
                expectedCode: '0xbe00',
                error: Number.NaN,
                bound: 0.01,
                ulps: 99,
                place: { tile: 0, physicalTile: 7, address: 0x60010, labels: { 'row block': 0 } },
              },
            ]
          : [],
        patterns: wrong
          ? [{ kind: 'single-element', detail: 'row 0, column 3', stage: 'a single word' }]
          : [],
      },
    ],
    boundRatio: wrong ? Number.POSITIVE_INFINITY : 0.5,
    cycles: 1500,
    instructions: 900,
    microseconds: 1,
    flops: 2e6,
    tflops: 2,
    ...(verdict === 'infra-error'
      ? {
          failure: {
            name: 'Error',
            stage: 'call',
            facts: { demand: 2 },
            advice: 'Try again.',
            stack: 'at x',
          },
        }
      : {}),
    repro: reproLine(line),
    artefacts: [],
    host: {
      lane: 1,
      startedAt: 1_790_000_000_000 + index,
      stages: [
        { name: 'prepare', milliseconds: 1 },
        { name: 'call', milliseconds: 2.5 },
      ],
      compileStages: { plan: 0.5 },
      totalMilliseconds: 3.5,
    },
    ...more,
  };
}

export function sampleLine(index: number): string {
  return `gemm/m=${index + 1},k=6,n=4,tiles=1,fill=int,seed=0`;
}

/** A finished run in a directory of its own, one case per verdict; not-run cases have no record. */
export function sampleRun(path: string, verdicts: readonly Verdict[] = VERDICTS): RunView {
  mkdirSync(path, { recursive: true });
  const records = verdicts
    .map((verdict, index) => sampleRecord(index, verdict))
    .filter((record) => record.verdict !== 'not-run');
  return viewRun(runDirectory(path), sampleManifest(verdicts.length), records);
}

export function sampleManifest(planned: number, more: Partial<RunManifest> = {}): RunManifest {
  return {
    schemaVersion: MANIFEST_VERSION,
    run: 'sample',
    state: 'finished',
    startedAt: '2026-01-31T12:00:00.000Z',
    endedAt: '2026-01-31T12:00:12.500Z',
    planned: Array.from({ length: planned }, (_, index) => sampleLine(index)),
    device: { kind: 'simulator', tiles: 1472, clockHz: 1.5e9, model: 'sim-1' },
    options: { tier: 'smoke', strict: 'false' },
    versions: { 'ipu-verify': '0.1.0', node: '20.0.0' },
    git: { commit: 'c'.repeat(40), dirty: false },
    host: { platform: 'linux x64', cpu: 'test', cores: 2, memoryBytes: 1 },
    ...more,
  };
}

/** Lines of a results file. */
export function resultLines(records: readonly ResultRecord[]): string {
  return records.map((record) => `${encodeRecord(record)}\n`).join('');
}
