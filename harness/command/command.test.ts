import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadRun, packageRoot, packageVersion, type ResultRecord, readResults } from '../record/index.ts';
import { BuiltCommand, finished, until } from './testing/built-command.ts';

const command = new BuiltCommand();
afterAll(() => rmSync(command.folder, { recursive: true, force: true }));

const run = (...args: readonly string[]) => command.run('run', '--no-allure', ...args);
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';
const verdicts = (records: readonly ResultRecord[]) => records.map(({ verdict }) => verdict);
const latest = () => loadRun(join(command.runs, 'latest'));

describe('help and usage', () => {
  test('help names the commands and the exit codes', async () => {
    const { code, stdout } = await command.run('--help');
    expect(code).toBe(0);
    for (const word of ['list', 'run', 'repro', 'report', '130  interrupted']) expect(stdout).toContain(word);
  });

  test('the version is the one of the package', async () => {
    const { code, stdout } = await command.run('--version');
    expect([code, stdout.trim()]).toEqual([0, packageVersion(packageRoot())]);
  });

  test('no command prints the help and is a usage error', async () => {
    const { code, stderr } = await command.run();
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: ipu-verify');
  });

  test.each([
    [['rum'], /unknown command 'rum'/],
    [['run', '--fast'], /unknown option '--fast'/],
    [['run', '--lanes', '0'], /--lanes.*allowed: integer 1\.\.64/],
    [['run', '--threads', 'two'], /--threads.*allowed: integer 1\.\.16/],
    [['run', '--shard', '3/2'], /--shard.*i\/n/],
    [['run', '--tier', 'smok'], /tier "smok" is unknown \(did you mean smoke\?\)/],
    [['run', '--match', '('], /--match "\(" is not a regular expression/],
    [['run', '--match', 'nothing', '--tiles', '4'], /no case is left of 10 .*--match "nothing" --tiles "4"/],
    [['run', '--shard', '11/11'], /--shard 11\/11 of 10 cases is empty/],
    [['run', 'toy/rows=0'], /rows=0 is out of range; allowed: integer 1\.\.1024/],
    [['run', 'toi/rows=1'], /operation "toi" is unknown \(did you mean toy\?\)/],
    [['run', '--run-id', '../x'], /run id "\.\.\/x" is not usable/],
    [['run', '--budget', 'nowhere.txt'], /--budget nowhere\.txt cannot be read/],
    [['run', '--resume', 'nothing'], /no run "nothing"/],
    [['repro'], /missing required argument 'case'/],
    [['repro', 'toy/rows=1', '--listing', '1472'], /--listing.*0\.\.1471/],
    [['report', 'nothing'], /no run "nothing"/],
  ])('%j is one line, a hint and exit code 2', async (args, message) => {
    const { code, stdout, stderr } = await command.run(...args);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/^ipu-verify: .*\nhint: /);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('a device that is not there is exit code 4', async () => {
    const { code, stderr } = await command.run('run', '--device', '/dev/ipu0');
    expect([code, stderr]).toEqual([4, 'ipu-verify: no device /dev/ipu0\nhint: Use more tiles.\n']);
  });

  test.skipIf(process.getuid?.() === 0)('a directory that cannot be written is exit code 4', async () => {
    const locked = join(command.folder, 'locked');
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    const { code, stderr } = await run('--out', join(locked, 'runs'));
    expect(stderr).toMatch(/output directory .* cannot be made/);
    expect(code).toBe(4);
  });

  test('a file in the place of the output directory is exit code 4', async () => {
    writeFileSync(join(command.folder, 'file'), '');
    const { code, stderr } = await run('--out', 'file');
    expect(stderr).toMatch(/output directory .*file cannot be made: .*\nhint: Choose a writable directory/);
    expect(code).toBe(4);
  });
});

describe('list', () => {
  test('prints canonical lines, as text and as JSON', async () => {
    const text = await command.run('list', '--tiles', '4');
    expect(text.stdout.trimEnd().split('\n')).toHaveLength(5);
    const json = await command.run('list', '--tiles', '4', '--json');
    expect(JSON.parse(json.stdout)).toEqual(text.stdout.trimEnd().split('\n'));
  });

  test('shards are disjoint and cover everything', async () => {
    const part = async (...args: string[]) =>
      JSON.parse((await command.run('list', '--json', ...args)).stdout) as string[];
    const parts = await Promise.all([1, 2, 3].map((index) => part('--shard', `${index}/3`)));
    expect(parts.flat().sort()).toEqual((await part()).sort());
    expect(parts.map(({ length }) => length)).toEqual([4, 3, 3]);
  });
});

describe('run', () => {
  test('a good run: records, manifest, reports, summary as the last line', async () => {
    const { code, stdout } = await run('--seed', '7');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^run \d{8}T\d{6}Z-[0-9a-f]{8}: 10 cases on toy toy-1, 1472 tiles at 1500 MHz\n {2}seed 7;/,
    );
    expect(lastLine(stdout)).toMatch(
      /^ipu-verify: planned=10 executed=10 passed=10 failed=0 known=0 unexpected=0 unsupported=0 skipped=0 mistrusted=0 infra=0 not-run=0 worst-bound-ratio=0 case=toy\/\S+ duration=\d+\.\ds run=\S+ exit=0$/,
    );
    const { manifest, records, directory } = latest();
    expect(manifest).toMatchObject({ state: 'finished', options: { tier: 'smoke', seed: '7' } });
    expect(records.map((record) => record.case)).toEqual(manifest.planned);
    expect(new Set(verdicts(records))).toEqual(new Set(['passed']));
    expect(readdirSync(directory.path).sort()).toEqual([
      'digest.md',
      'junit.xml',
      'results.csv',
      'results.jsonl',
      'run.json',
    ]);
  });

  test.each([
    ['numerics', 1],
    ['contract', 1],
    ['meaningless', 1],
    ['compile', 1],
    ['fault', 1],
    ['infra', 4],
    ['throw', 4],
    ['unsupported', 6],
    ['log', 0],
  ])('a case with plant %s ends with exit code %i', async (plant, expected) => {
    const { code, stdout } = await run(`toy/rows=3,plant=${plant}`);
    expect(code).toBe(expected);
    const repro = `    npx ipu-verify repro 'toy/rows=3,columns=24,tiles=1,plant=${plant},seed=0'`;
    expect(stdout.includes(repro)).toBe(!['log', 'unsupported'].includes(plant));
  });

  test('budgets, known failures and strict passes have their own exit codes', async () => {
    writeFileSync(join(command.folder, 'budget.txt'), 'toy/rows=3 | 271\n');
    expect((await run('toy/rows=3', '--budget', 'budget.txt')).code).toBe(3);
    writeFileSync(
      join(command.folder, 'known.txt'),
      'toy/rows=3 | failed-numerics | jane | 2999-12-31 | split sums\n' +
        'toy/rows=3,plant=numerics | failed-numerics | jane | 2999-12-31 | split sums\n' +
        'toy/rows=4,plant=die | skip | jane | 2999-12-31 | kills the host\n',
    );
    const cases = ['toy/rows=3', 'toy/rows=3,plant=numerics', 'toy/rows=4,plant=die', '--known', 'known.txt'];
    expect((await run(...cases)).code).toBe(0);
    expect(verdicts(latest().records)).toEqual(['unexpected-pass', 'known-failure', 'skipped']);
    expect((await run(...cases, '--strict')).code).toBe(5);
  });

  test('JSON output holds the records and then the summary, nothing else', async () => {
    const { stdout } = await run('toy/rows=3', 'toy/rows=4,plant=log', '--json', '--run-id', 'json');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(
      readFileSync(join(command.runs, 'json', 'results.jsonl'), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toEqual(lines.slice(0, 2));
    expect(JSON.parse(lines[2])).toMatchObject({ summary: { planned: 2, exitCode: 0 } });
    const again = await run('toy/rows=3', '--run-id', 'json');
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toMatch(/run directory .*json exists already/);
  });

  test('results do not depend on the number of worker processes', async () => {
    const cases = ['3', '5,plant=numerics', '7,tiles=4', '9,plant=fault'].map((text) => `toy/rows=${text}`);
    const results: unknown[] = [];
    for (const lanes of ['1', '2', '3']) {
      await run(...cases, '--lanes', lanes);
      results.push(latest().records.map(({ run: _run, host: _host, ...record }) => record));
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  test('a worker process that dies costs its case and no other', async () => {
    const cases = ['1', '2,plant=die', '3', '4', '5,plant=die', '6'].map((text) => `toy/rows=${text}`);
    const { code } = await run(...cases, '--lanes', '2');
    expect(code).toBe(4);
    const { records, directory } = latest();
    expect(verdicts(records)).toEqual(['passed', 'infra-error', 'passed', 'passed', 'infra-error', 'passed']);
    expect(records[1].reason).toBe('its worker process ended while the case was running');
    expect(existsSync(join(directory.path, 'lanes'))).toBe(false);
  });

  test('a case that never ends is killed', async () => {
    const { code } = await run('toy/rows=1,plant=hang', 'toy/rows=2', '--timeout', '1', '--lanes', '1');
    expect(code).toBe(4);
    expect(latest().records.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['infra-error', 'took longer than 1 s and was killed'],
      ['passed', ''],
    ]);
  });

  test('bail begins no further case', async () => {
    const cases = Array.from(
      { length: 12 },
      (_, at) => `toy/rows=${at + 1},plant=${at === 1 ? 'fault' : 'slow'}`,
    );
    const { code } = await run(...cases, '--bail', '1', '--lanes', '1');
    expect(code).toBe(1);
    const { counts } = latest().summary;
    expect(counts).toMatchObject({ 'device-fault': 1 });
    expect(counts['not-run']).toBeGreaterThan(8);
  });

  test('error maps of failing cases are kept beside the results', async () => {
    await run('toy/rows=3,plant=numerics');
    const { directory, records } = latest();
    const files = records[0].artefacts.map(({ file }) => file);
    expect(files).toHaveLength(2);
    expect(readFileSync(join(directory.path, files[0])).subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(readFileSync(join(directory.path, files[1]), 'utf8')).toContain('0 2......');
  });
});

describe('interruptions', () => {
  const slow = Array.from({ length: 30 }, (_, at) => `toy/rows=${at + 1},plant=slow`);
  const resultsOf = (id: string) => join(command.runs, id, 'results.jsonl');
  const linesOf = (id: string) =>
    existsSync(resultsOf(id)) ? readFileSync(resultsOf(id), 'utf8').split('\n').length - 1 : 0;

  test('an interrupt stops, keeps results, sums up and exits with 130', async () => {
    const child = command.start('run', '--no-allure', ...slow, '--run-id', 'interrupted');
    const end = finished(child);
    await until(() => (linesOf('interrupted') >= 2 ? true : undefined));
    child.kill('SIGINT');
    const { code, stdout } = await end;
    expect(code).toBe(130);
    expect(lastLine(stdout)).toMatch(/not-run=\d+ .* exit=130$/);
    const { manifest, summary } = loadRun(join(command.runs, 'interrupted'));
    expect(manifest.state).toBe('interrupted');
    expect(summary.counts['not-run']).toBeGreaterThan(0);
    expect(summary.counts.passed).toBeGreaterThan(1);
  });

  test('a killed run can be read, reported and resumed, and leaves no process behind', async () => {
    const child = command.start('run', '--no-allure', ...slow, '--run-id', 'killed', '--lanes', '2');
    const end = finished(child);
    await until(() => (linesOf('killed') >= 3 ? true : undefined));
    const lanes = join(command.runs, 'killed', 'lanes');
    const pids = readdirSync(lanes)
      .filter((name) => name.endsWith('.now'))
      .map((name) => (JSON.parse(readFileSync(join(lanes, name), 'utf8')) as { pid: number }).pid);
    child.kill('SIGKILL');
    await end;
    for (const pid of pids) await until(() => (isAlive(pid) ? undefined : true));

    const before = readResults(resultsOf('killed')).records.length;
    const view = loadRun(join(command.runs, 'killed'));
    expect(view.manifest.state).toBe('running');
    expect(view.summary).toMatchObject({ planned: 30, executed: before, exitCode: 6 });

    writeFileSync(resultsOf('killed'), '{"schemaVersion":1,"run":"kil', { flag: 'a' });
    const report = await command.run('report', 'killed', '--no-allure');
    expect(report.stderr).toMatch(/last line of .* is torn; its 29 bytes are left out/);
    expect(report.code).toBe(0);
    expect(lastLine(report.stdout)).toMatch(/duration=unknown run=killed exit=6$/);

    const resumed = await run('--resume', 'killed', '--lanes', '2');
    expect(resumed.code).toBe(0);
    const after = loadRun(join(command.runs, 'killed'));
    expect(after.summary).toMatchObject({ planned: 30, executed: 30, exitCode: 0 });
    expect(after.file).toMatchObject({ tornBytes: 0 });
    expect(after.file.records).toHaveLength(30);
    expect(await run('--resume', 'killed')).toMatchObject({ code: 2 });
  });

  test('a results file damaged in the middle is one clear error', async () => {
    await run('toy/rows=3', 'toy/rows=4', '--run-id', 'damaged');
    const path = resultsOf('damaged');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"index"', '"indeks"'));
    const { code, stderr } = await command.run('report', 'damaged', '--no-allure');
    expect(stderr).toMatch(/^ipu-verify: .*results\.jsonl:1: index: .*\nhint: /);
    expect(code).toBe(4);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('repro', () => {
  test('tells everything about one case and keeps its files', async () => {
    const { code, stdout } = await command.run('repro', 'toy/rows=3,plant=numerics', '--listing', '2');
    expect(code).toBe(1);
    for (const text of [
      'plan: 3x24 on 1',
      'operands  exchange            90  80       64     4',
      'call: 272 cycles',
      'looks like single-element',
      '0 2.......................',
      'verdict: failed-numerics\n  1 of 72 elements of y exceed the bound',
      'toy listing of tile 2',
    ]) {
      expect(stdout).toContain(text);
    }
    const folder = /files: (.*)/.exec(stdout)?.[1] ?? '';
    expect(folder).toMatch(/repro-[0-9a-f]{12}$/);
    const files = readdirSync(folder).sort();
    expect(files).toEqual([
      'cases',
      'input-x.npy',
      'output-y.npy',
      'package.ipuexe',
      'record.json',
      'repro.txt',
    ]);
    const npy = readFileSync(join(folder, 'output-y.npy'));
    expect(npy.subarray(1, 6).toString('latin1')).toBe('NUMPY');
    const headerBytes = npy.readUInt16LE(8);
    expect((10 + headerBytes) % 64).toBe(0);
    expect(npy.subarray(10, 10 + headerBytes).toString('latin1')).toMatch(
      /^\{'descr': '<f2', 'fortran_order': False, 'shape': \(3, 24\), \} *\n$/,
    );
    expect(npy.length).toBe(10 + headerBytes + 2 * 72);
  });

  test.each([
    ['none', 0, 'verdict: passed'],
    ['compile', 1, 'ToyError in place, tile 3\n  demand 700000, capacity 638976\n  Use more tiles.'],
    ['throw', 4, 'RangeError in call'],
  ])('plant %s ends with exit code %i', async (plant, expected, text) => {
    const { code, stdout } = await command.run('repro', `toy/rows=3,plant=${plant}`);
    expect(code).toBe(expected);
    expect(stdout).toContain(text);
  });
});
