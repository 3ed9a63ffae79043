import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  countVerdicts,
  createRunDirectory,
  decodeRecord,
  dropTornLine,
  encodeRecord,
  exitCodeOf,
  findRun,
  loadRun,
  makeRunId,
  pointLatestAt,
  ResultsWriter,
  RunError,
  readManifest,
  readResults,
  SchemaError,
  summarize,
  summaryLine,
  VERDICTS,
  type Verdict,
  viewRun,
  writeManifest,
} from './index.ts';
import { resultLines, sampleManifest, sampleRecord, sampleRun } from './testing/sample-run.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipu-verify-record-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('record', () => {
  test.each(VERDICTS)('a record of verdict %s survives its line', (verdict) => {
    const record = sampleRecord(3, verdict);
    const line = encodeRecord(record);
    expect(line).not.toContain('\n');
    expect(decodeRecord(line)).toEqual(record);
  });

  test('NaN and infinities are words in the file and numbers in the record', () => {
    const line = encodeRecord(sampleRecord(0, 'failed-numerics'));
    expect(line).toContain('"boundRatio":"Infinity"');
    expect(decodeRecord(line).boundRatio).toBe(Number.POSITIVE_INFINITY);
    expect(decodeRecord(line).outputs[0].mismatches[0].error).toBeNaN();
  });

  test.each([
    ['another version', { schemaVersion: 2 }, /schemaVersion/],
    ['an unknown verdict', { verdict: 'fine' }, /verdict/],
    ['a negative index', { index: -1 }, /index/],
    ['a word for a number', { boundRatio: 'many' }, /boundRatio/],
  ])('%s is refused', (_name, change, message) => {
    const line = JSON.stringify({ ...sampleRecord(0, 'passed'), ...change });
    expect(() => decodeRecord(line)).toThrow(SchemaError);
    expect(() => decodeRecord(line)).toThrow(message);
  });
});

describe('results file', () => {
  const records = [0, 1, 2].map((index) => sampleRecord(index, 'passed'));

  test('what the writer appends the reader returns', () => {
    const path = join(folder, 'results.jsonl');
    const writer = new ResultsWriter(path, { syncEvery: 2 });
    for (const record of records) writer.append(record);
    expect(readResults(path).records).toEqual(records);
    writer.close();
    expect(readResults(path)).toMatchObject({ tornBytes: 0 });
  });

  test('a line torn at any byte is dropped and counted, and can be cut off', () => {
    const path = join(folder, 'results.jsonl');
    const whole = resultLines(records.slice(0, 2));
    const last = resultLines(records.slice(2));
    for (const kept of [1, 2, 10, last.length >> 1, last.length - 1]) {
      writeFileSync(path, whole + last.slice(0, kept));
      const file = readResults(path);
      expect(file.records).toEqual(records.slice(0, 2));
      expect(file.tornBytes).toBe(Buffer.byteLength(last.slice(0, kept)));
      dropTornLine(path, file);
      appendFileSync(path, last);
      expect(readResults(path).records).toEqual(records);
    }
  });

  test('a damaged line in the middle is named by its number', () => {
    const path = join(folder, 'results.jsonl');
    const [first, second, third] = records.map((record) => resultLines([record]));
    writeFileSync(path, first + second.replace('"verdict"', '"verdikt"') + third);
    expect(() => readResults(path)).toThrow(SchemaError);
    expect(() => readResults(path)).toThrow(/results\.jsonl:2: verdict/);
    writeFileSync(path, `${first}\n${third}`);
    expect(() => readResults(path)).toThrow(/results\.jsonl:2: not JSON/);
  });

  test('an empty file is an empty run, a missing one an error', () => {
    const path = join(folder, 'results.jsonl');
    writeFileSync(path, '');
    expect(readResults(path)).toEqual({ records: [], wholeBytes: 0, tornBytes: 0 });
    expect(() => readResults(join(folder, 'nothing'))).toThrow(RunError);
  });

  test('a writer that cannot open its file says so', () => {
    expect(() => new ResultsWriter(join(folder, 'no', 'such', 'folder'))).toThrow(/cannot be opened/);
  });
});

describe('run directory', () => {
  test('a run id is a time and a hash', () => {
    const at = new Date('2026-01-31T23:59:58.999Z');
    expect(makeRunId(at, ['a', 'b'])).toMatch(/^20260131T235958Z-[0-9a-f]{8}$/);
    expect(makeRunId(at, ['a', 'b'])).not.toBe(makeRunId(at, ['ab']));
  });

  test('a run directory is made once', () => {
    expect(createRunDirectory(folder, 'one').id).toBe('one');
    expect(() => createRunDirectory(folder, 'one')).toThrow(/exists already/);
  });

  test.each(['', '.', '..', 'a/b', '../x', 'latest', '-x', 'x'.repeat(101), 'a b'])(
    'run id %j is refused',
    (id) => {
      expect(() => createRunDirectory(folder, id)).toThrow(/is not usable/);
    },
  );

  test('latest moves from run to run', () => {
    for (const id of ['one', 'two']) {
      const directory = createRunDirectory(folder, id);
      writeManifest(directory.manifest, sampleManifest(1));
      pointLatestAt(folder, id);
    }
    expect(lstatSync(join(folder, 'latest')).isSymbolicLink()).toBe(true);
    expect(readlinkSync(join(folder, 'latest'))).toBe('two');
    expect(loadRun(findRun(folder, 'latest').path).directory.id).toBe('two');
    expect(() => findRun(folder, 'three')).toThrow(/no run "three"/);
  });

  test('a manifest survives its file, a damaged one is refused', () => {
    const path = join(folder, 'run.json');
    writeManifest(path, sampleManifest(3));
    expect(readManifest(path)).toEqual(sampleManifest(3));
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 40));
    expect(() => readManifest(path)).toThrow(SchemaError);
    writeFileSync(path, JSON.stringify({ ...sampleManifest(1), state: 'over' }));
    expect(() => readManifest(path)).toThrow(/state/);
  });
});

describe('run view', () => {
  test('a planned case without a record is not-run, and the run is incomplete', () => {
    const run = sampleRun(join(folder, 'run'), ['passed', 'not-run', 'passed']);
    expect(run.records.map(({ verdict }) => verdict)).toEqual(['passed', 'not-run', 'passed']);
    expect(run.summary).toMatchObject({ planned: 3, executed: 2, exitCode: 6 });
  });

  test('the last record of a case counts', () => {
    const { directory } = sampleRun(join(folder, 'run'), ['passed']);
    const run = viewRun(directory, sampleManifest(1), [
      sampleRecord(0, 'infra-error'),
      sampleRecord(0, 'passed'),
    ]);
    expect(run.records.map(({ verdict }) => verdict)).toEqual(['passed']);
  });

  test('a record nobody planned is refused', () => {
    const { directory } = sampleRun(join(folder, 'run'), ['passed']);
    expect(() => viewRun(directory, sampleManifest(1), [sampleRecord(5, 'passed')])).toThrow(SchemaError);
  });

  test('the summary line is stable', () => {
    const run = sampleRun(join(folder, 'run'));
    expect(summaryLine(run.summary)).toBe(
      'ipu-verify: planned=13 executed=11 passed=1 failed=5 known=1 unexpected=1 unsupported=1 skipped=1 ' +
        'mistrusted=1 infra=1 not-run=1 worst-bound-ratio=inf case=gemm/m=2,k=6,n=4,tiles=1,fill=int,seed=0 ' +
        'duration=12.5s run=sample exit=1',
    );
  });

  test('a NaN bound ratio is worse than any number', () => {
    const ratios = [0.5, Number.NaN, 2];
    const records = ratios.map((boundRatio, index) => sampleRecord(index, 'passed', { boundRatio }));
    expect(summarize(sampleManifest(3), records).worst?.ratio).toBeNaN();
  });
});

describe('exit codes', () => {
  const code = (verdicts: readonly Verdict[], strict = false, interrupted = false) =>
    exitCodeOf(countVerdicts(verdicts), { strict, interrupted });

  test.each<[Verdict, number]>([
    ['passed', 0],
    ['failed-numerics', 1],
    ['failed-contract', 1],
    ['compile-error', 1],
    ['device-fault', 1],
    ['mistrusted', 1],
    ['failed-budget', 3],
    ['infra-error', 4],
    ['not-run', 6],
    ['known-failure', 0],
    ['unexpected-pass', 0],
    ['unsupported', 0],
    ['skipped', 0],
  ])('a pass and a case of verdict %s give %i', (verdict, expected) => {
    expect(code(['passed', verdict])).toBe(expected);
  });

  test('the most telling class wins', () => {
    expect(code(VERDICTS)).toBe(1);
    expect(code(VERDICTS, true, true)).toBe(130);
    expect(code(['infra-error', 'not-run', 'failed-budget'])).toBe(4);
    expect(code(['not-run', 'failed-budget', 'unexpected-pass'], true)).toBe(6);
    expect(code(['failed-budget', 'unexpected-pass'], true)).toBe(3);
    expect(code(['passed', 'unexpected-pass'], true)).toBe(5);
  });

  test('a run that judged nothing is incomplete', () => {
    expect(code(['unsupported', 'skipped'])).toBe(6);
    expect(code([])).toBe(6);
  });
});
