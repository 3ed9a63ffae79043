import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunView, VERDICTS } from '../harness/record/index.ts';
import { sampleRecord, sampleRun } from '../harness/record/testing/sample-run.ts';
import { chooseResults, MOST_RESULTS, writeAllureResults } from './allure.ts';
import { consoleReport, failureText } from './console.ts';
import { csvText } from './csv.ts';
import { reportsFor } from './index.ts';
import { junitText } from './junit.ts';
import { markdownText } from './markdown.ts';

let folder: string;
let run: RunView;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipu-verify-reports-'));
  run = sampleRun(join(folder, 'sample'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Splits RFC 4180 text, to check what the writer quoted. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.slice(0, -1);
}

describe('csv', () => {
  test('one row per planned case with its verdict, its keys and its figures', () => {
    const [heading, ...rows] = parseCsv(csvText(run.records));
    expect(rows.map((row) => row[heading.indexOf('verdict')])).toEqual([...VERDICTS]);
    const cell = (row: number, name: string) => rows[row][heading.indexOf(name)];
    expect(cell(0, 'm')).toBe('1');
    expect(cell(0, 'device_cycles')).toBe('1500');
    expect(cell(1, 'bound_ratio')).toBe('inf');
    expect(cell(1, 'mismatches')).toBe('1');
    expect(cell(1, 'reason')).toBe('reason of failed-numerics with <markup> & "quotes", commas');
    expect(cell(12, 'device_cycles')).toBe('');
    for (const row of rows) expect(row).toHaveLength(heading.length);
  });
});

describe('junit', () => {
  test('every verdict appears; failures, errors and skips are told apart and counted', () => {
    const text = junitText(run);
    for (const verdict of VERDICTS) expect(text).toContain(`<property name="verdict" value="${verdict}"/>`);
    const count = (element: string) => text.split(`      <${element} `).length - 1;
    expect([count('failure'), count('error'), count('skipped')]).toEqual([4, 4, 3]);
    expect(text).toContain('<testsuites name="ipu-verify" tests="13" failures="4" errors="4" skipped="3"');
    expect(text).toContain('with &lt;markup&gt; &amp; &quot;quotes&quot;, commas');
    expect(text).not.toContain('<markup>');
  });

  test('characters XML has no place for do not reach it', () => {
    const records = [sampleRecord(0, 'compile-error', { reason: 'bell \u0007, half \ud800, null \0' })];
    const text = junitText({ ...run, records });
    expect(text).toContain('message="bell \ufffd, half \ufffd, null \ufffd"');
  });

  test('an unexpected pass fails only a strict run', () => {
    const records = [sampleRecord(0, 'unexpected-pass')];
    expect(junitText({ ...run, records })).toContain('failures="0"');
    const manifest = { ...run.manifest, options: { strict: 'true' } };
    expect(junitText({ ...run, records, manifest })).toContain('failures="1"');
  });
});

describe('markdown', () => {
  test('counts every verdict and tells failures with their reproduction lines', () => {
    const text = markdownText(run);
    for (const verdict of VERDICTS) expect(text).toContain(`| ${verdict} | 1 |`);
    expect(text).toContain('13 cases planned, 11 executed, 1 passed; exit code 1.');
    expect(text).toContain("`npx ipu-verify repro 'gemm/m=2,k=6,n=4,tiles=1,fill=int,seed=0'`");
    expect(text).toContain('| failed-numerics | single-element | 1 |');
    expect(text).not.toContain('**passed**');
  });
});

describe('console', () => {
  const tell = (interactive: boolean) => {
    let text = '';
    const write = (more: string) => {
      text += more;
    };
    return { report: consoleReport({ write, interactive }), read: () => text };
  };

  test('plain lines: header, failures at once, progress, counts', async () => {
    const { report, read } = tell(false);
    report.onStart?.(run.manifest, run.directory, 3);
    expect(read()).toContain('run sample: 13 cases on simulator sim-1, 1472 tiles at 1500 MHz');
    expect(read()).toContain('3 cases are settled already');
    report.onResult?.(run.records[0]);
    expect(read()).not.toContain('repro');
    report.onResult?.(run.records[1]);
    expect(read()).toContain(failureText(run.records[1]));
    await report.onEnd?.(run);
    expect(read()).toMatch(/failed-numerics +1\n/);
    expect(read()).not.toContain('\x1b');
  });

  test('a failure is told with its advice and ends with its reproduction line', () => {
    expect(failureText(run.records[6])).toContain('Try again.');
    expect(failureText(run.records[6]).split('\n').at(-1)).toBe(`    ${run.records[6].repro}`);
  });
});

describe('allure', () => {
  const results = () =>
    readdirSync(join(folder, 'results'))
      .filter((name) => name.endsWith('-result.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, 'results', name), 'utf8')))
      .sort((a, b) => a.start - b.start);

  test('one result per record with its own steps, parameters, labels and evidence', () => {
    writeFileSync(join(run.directory.path, 'map.png'), 'png');
    const artefacts = [{ name: 'error map of c', file: 'map.png', contentType: 'image/png' }];
    const records = run.records.map((record) =>
      record.verdict === 'failed-numerics' ? { ...record, artefacts } : record,
    );
    expect(writeAllureResults({ ...run, records }, join(folder, 'results'))).toBe(13);
    const all = results();
    expect(all).toHaveLength(13);
    const of = (verdict: string) =>
      all.find(({ labels }) => labels.some((label: { value: string }) => label.value === verdict));
    for (const verdict of VERDICTS) expect(of(verdict)).toBeDefined();
    const wrong = of('failed-numerics');
    expect(wrong).toMatchObject({ status: 'failed', fullName: records[1].case });
    expect(wrong.statusDetails.message).toMatch(/^failed-numerics: reason/);
    expect(wrong.steps.map(({ name }: { name: string }) => name)).toEqual(['prepare', 'call']);
    expect(wrong.steps[1].stop - wrong.steps[1].start).toBe(3);
    expect(wrong.parameters).toContainEqual({ name: 'm', value: '2' });
    const names = wrong.attachments.map(({ name }: { name: string }) => name);
    expect(names).toEqual([
      'reproduction',
      'error map of c',
      'first mismatches of c',
      'compile report',
      'record',
    ]);
    for (const { source } of wrong.attachments)
      expect(existsSync(join(folder, 'results', source))).toBe(true);
    const mismatches = wrong.attachments[2].source;
    expect(readFileSync(join(folder, 'results', mismatches), 'utf8')).toMatch(
      /^index,kind,observed,.*row block,origin\n0 3,value,NaN,0x7e00,-1\.5,0xbe00,NaN,0\.01,99,0,7,0x60010,0,\n$/,
    );
    expect(of('passed').attachments).toEqual([]);
    expect(of('mistrusted').status).toBe('broken');
    expect(of('known-failure').status).toBe('skipped');
    expect(of('not-run').status).toBeUndefined();
    expect(new Set(all.map(({ historyId }) => historyId)).size).toBe(13);
  });

  test('a large run shows all that is not passed and a spread of passes', () => {
    const records = Array.from({ length: 3 * MOST_RESULTS }, (_, index) =>
      sampleRecord(index, index % 1000 === 7 ? 'failed-numerics' : 'passed', { outputs: [] }),
    );
    const shown = chooseResults(records);
    expect(shown).toHaveLength(MOST_RESULTS);
    expect(shown.filter(({ verdict }) => verdict !== 'passed')).toHaveLength(
      records.filter(({ verdict }) => verdict !== 'passed').length,
    );
    const passes = shown.filter(({ verdict }) => verdict === 'passed').map(({ index }) => index);
    expect(passes.at(-1)! - passes[0]).toBeGreaterThan(2.9 * MOST_RESULTS);
    expect(shown).toEqual([...shown].sort((a, b) => a.index - b.index));
  });

  test('the page is generated offline, with history that a second rendering does not lengthen', async () => {
    const history = join(folder, 'allure-history.jsonl');
    const render = async (again: boolean) => {
      const listeners = await reportsFor({ out: folder, allure: true, again });
      return listeners.at(-1)?.onEnd?.(run);
    };
    const page = await render(false);
    expect(page).toBe(join(run.directory.path, 'allure-report', 'index.html'));
    expect(readFileSync(String(page), 'utf8')).toContain('ipu-verify sample');
    const entries = () => readFileSync(history, 'utf8').trimEnd().split('\n').length;
    expect(entries()).toBe(1);
    await render(true);
    expect(entries()).toBe(1);
    expect(readdirSync(run.directory.path).sort()).toEqual(['allure-report', 'allure-results']);
  });
});
