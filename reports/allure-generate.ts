import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERDICTS } from '../harness/record/index.ts';

/** Runs whose results the trend keeps. */
const HISTORY_LIMIT = 60;
/** Largest results folder, in bytes, that becomes one page; that page also opens without a web server. */
const LARGEST_SINGLE_FILE = 8 * 2 ** 20;
/** Labels that only repeat the case line. */
const HIDDEN_LABELS = ['framework', 'epic', 'feature', 'story'];
/** Seconds one generation may take. */
const TIMEOUT = 300;

export interface AllureRequest {
  readonly results: string;
  /** Run directory; the report and its configuration go there. */
  readonly runPath: string;
  readonly name: string;
  /** JSON-lines file of earlier runs. */
  readonly history: string;
  readonly appendHistory: boolean;
}

/** Renders results to HTML with Allure's own generator, offline. Resolves to the way to open it. */
export async function generateAllure(request: AllureRequest): Promise<string> {
  const output = join(request.runPath, 'allure-report');
  const config = join(request.runPath, 'allure-config.json');
  const before = join(request.runPath, 'allure-history-before.jsonl');
  rmSync(output, { recursive: true, force: true });
  setAsideDamagedHistory(request.history);
  if (!request.appendHistory) writeFileSync(before, historyBefore(request));
  const history = request.appendHistory ? request.history : before;
  writeFileSync(config, JSON.stringify(configOf(request, output, history), undefined, 2));
  try {
    await runGenerator(
      ['generate', request.results, '--config', config, '--output', output],
      request.runPath,
    );
  } finally {
    rmSync(config, { force: true });
    rmSync(before, { force: true });
  }
  const page = join(output, 'index.html');
  return isSmall(request) ? page : `${page} (npx allure open '${output}')`;
}

function configOf(request: AllureRequest, output: string, history: string) {
  const { name, appendHistory } = request;
  return {
    name,
    output,
    historyPath: history,
    historyLimit: HISTORY_LIMIT,
    appendHistory,
    hideLabels: HIDDEN_LABELS,
    categories: {
      rules: VERDICTS.filter((verdict) => verdict !== 'passed').map((verdict) => ({
        name: verdict,
        matchers: { labels: { verdict } },
        groupBy: [{ label: 'cause' }],
        groupByMessage: false,
      })),
    },
    plugins: {
      awesome: {
        options: {
          reportName: name,
          singleFile: isSmall(request),
          reportLanguage: 'en',
          layout: 'split',
          groupBy: ['parentSuite', 'suite', 'subSuite'],
          charts: [
            { type: 'statusDynamics', title: 'Status over runs' },
            { type: 'statusTransitions', title: 'New, fixed and still failing' },
            { type: 'durations', title: 'Host time of cases', groupBy: 'none' },
            { type: 'durationDynamics', title: 'Host time over runs' },
            { type: 'testBaseGrowthDynamics', title: 'Cases added and removed' },
          ],
        },
      },
    },
  };
}

/** A history that was torn or edited must not cost this and every later report: it is kept under another name. */
function setAsideDamagedHistory(history: string): void {
  if (!existsSync(history)) return;
  try {
    for (const line of readFileSync(history, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
  } catch {
    const kept = `${history}.damaged`;
    renameSync(history, kept);
    process.stderr.write(`ipu-verify: ${history} is damaged; it is kept as ${kept}, trends begin anew\n`);
  }
}

/** Entries older than the run itself: a run that is rendered again is not its own predecessor. */
function historyBefore({ history, name }: AllureRequest): string {
  if (!existsSync(history)) return '';
  const lines = readFileSync(history, 'utf8').split('\n');
  const own = lines.findIndex(
    (line) => line !== '' && (JSON.parse(line) as { readonly name?: string }).name === name,
  );
  return (own < 0 ? lines : [...lines.slice(0, own), '']).join('\n');
}

function isSmall({ results }: AllureRequest): boolean {
  const bytes = readdirSync(results).reduce((sum, name) => sum + statSync(join(results, name)).size, 0);
  return bytes <= LARGEST_SINGLE_FILE;
}

function runGenerator(args: readonly string[], cwd: string): Promise<void> {
  const tool = fileURLToPath(new URL('../cli.js', import.meta.resolve('allure')));
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [tool, ...args],
      { cwd, timeout: TIMEOUT * 1000, env: { ...process.env, NODE_ENV: 'production', FORCE_COLOR: '0' } },
      (error, stdout, stderr) => {
        if (error === null) resolve();
        else reject(new Error(`allure generate failed: ${error.message}\n${stdout}${stderr}`.trim()));
      },
    );
  });
}
