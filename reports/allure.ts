import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Status } from 'allure-js-commons';
import type { Category } from 'allure-js-commons/sdk';
import { FileSystemWriter, ReporterRuntime } from 'allure-js-commons/sdk/reporter';
import {
  isFailure,
  type ResultRecord,
  type RunListener,
  type RunView,
  VERDICTS,
} from '../harness/record/index.ts';
import { generateAllure } from './allure-generate.ts';
import { writeAllureResult } from './allure-result.ts';

/** Results one Allure report shows; results.jsonl holds them all. A larger page takes long to write and to open. */
export const MOST_RESULTS = 2000;

/**
 * One Allure result per record under `allure-results/`, rendered to `allure-report/`, both in the run's directory.
 * Trends over runs are kept in `<out>/allure-history.jsonl`; a report that is only rendered again adds none.
 */
export function allureReport(out: string, again: boolean): RunListener {
  return {
    name: 'allure',
    async onEnd(run) {
      const results = join(run.directory.path, 'allure-results');
      rmSync(results, { recursive: true, force: true });
      writeAllureResults(run, results);
      return generateAllure({
        results,
        runPath: run.directory.path,
        name: `ipu-verify ${run.manifest.run}`,
        history: resolve(out, 'allure-history.jsonl'),
        appendHistory: !again,
      });
    },
  };
}

/** Writes results, categories, environment and executor. Returns how many results were written. */
export function writeAllureResults(run: RunView, folder: string): number {
  const shown = chooseResults(run.records);
  const runtime = new ReporterRuntime({
    writer: new FileSystemWriter({ resultsDir: folder }),
    categories: CATEGORIES,
    environmentInfo: environmentOf(run, shown.length),
  });
  for (const record of shown) writeAllureResult(runtime, run, record);
  runtime.writeCategoriesDefinitions();
  runtime.writeEnvironmentInfo();
  writeFileSync(
    join(folder, 'executor.json'),
    JSON.stringify({
      name: 'ipu-verify',
      type: 'ipu-verify',
      buildName: run.manifest.run,
      reportName: `ipu-verify ${run.manifest.run}`,
    }),
  );
  return shown.length;
}

/** Everything when it fits; else all that is not passed, then passes spread evenly over the run. */
export function chooseResults(records: readonly ResultRecord[]): readonly ResultRecord[] {
  if (records.length <= MOST_RESULTS) return records;
  const telling = records.filter((record) => isFailure(record.verdict) || record.verdict !== 'passed');
  const first = telling.slice(0, MOST_RESULTS);
  const passes = records.filter((record) => record.verdict === 'passed');
  const room = MOST_RESULTS - first.length;
  const spread = passes.filter(
    (_record, at) =>
      Math.floor((at * room) / passes.length) !== Math.floor(((at - 1) * room) / passes.length),
  );
  return [...first, ...spread].sort((a, b) => a.index - b.index);
}

/** One category per verdict that is not a plain pass; a message begins with its verdict. */
const CATEGORIES: Category[] = VERDICTS.filter((verdict) => verdict !== 'passed').map((verdict) => ({
  name: verdict,
  messageRegex: `(?s)^${verdict}: .*`,
  matchedStatuses: [Status.FAILED, Status.BROKEN, Status.SKIPPED],
}));

function environmentOf({ manifest, records }: RunView, shown: number): Record<string, string> {
  const { device, git, host, versions, options } = manifest;
  return {
    device: `${device.kind} ${device.model}`,
    tiles: String(device.tiles),
    clock: `${device.clockHz / 1e6} MHz`,
    ...(git === undefined ? {} : { commit: `${git.commit}${git.dirty ? ' with changes' : ''}` }),
    ...versions,
    host: `${host.cpu}, ${host.cores} cores, ${host.platform}`,
    options: Object.entries(options)
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
    'results shown': shown === records.length ? `all ${shown}` : `${shown} of ${records.length}`,
  };
}
