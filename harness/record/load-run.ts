import { existsSync, realpathSync } from 'node:fs';
import { SchemaError } from './errors.ts';
import { type RunManifest, readManifest } from './manifest.ts';
import { RECORD_VERSION, type ResultRecord } from './record.ts';
import { type ResultsFile, readResults } from './results-file.ts';
import { type RunDirectory, runDirectory } from './run-directory.ts';
import { type RunSummary, summarize } from './summary.ts';

/** A run as reports see it: one record per planned case, in planned order. */
export interface RunView {
  readonly directory: RunDirectory;
  readonly manifest: RunManifest;
  readonly records: readonly ResultRecord[];
  readonly summary: RunSummary;
}

/** A run on disk, and how much of its last line a crash tore off. */
export interface LoadedRun extends RunView {
  readonly file: ResultsFile;
}

/**
 * Reads a run directory. A case with several records (a resumed run) counts with its last one, a planned case
 * without a record is not-run. Throws RunError or SchemaError.
 */
export function loadRun(path: string): LoadedRun {
  const directory = runDirectory(existsSync(path) ? realpathSync(path) : path);
  const manifest = readManifest(directory.manifest);
  const file: ResultsFile = existsSync(directory.results)
    ? readResults(directory.results)
    : { records: [], wholeBytes: 0, tornBytes: 0 };
  return { ...viewRun(directory, manifest, file.records), file };
}

/** Joins a manifest and the records so far. Throws SchemaError for a record of a case that was not planned. */
export function viewRun(
  directory: RunDirectory,
  manifest: RunManifest,
  reported: readonly ResultRecord[],
): RunView {
  const last: (ResultRecord | undefined)[] = manifest.planned.map(() => undefined);
  for (const record of reported) {
    if (manifest.planned[record.index] !== record.case) {
      throw new SchemaError(
        `${directory.results}: record ${record.index} is of ${record.case}, planned was ${manifest.planned[record.index]}`,
      );
    }
    last[record.index] = record;
  }
  const records = last.map((record, index) => record ?? notRunRecord(manifest, index));
  return { directory, manifest, records, summary: summarize(manifest, records) };
}

function notRunRecord(manifest: RunManifest, index: number): ResultRecord {
  const line = manifest.planned[index];
  const reason = 'planned, but no result was reported';
  return {
    schemaVersion: RECORD_VERSION,
    run: manifest.run,
    index,
    case: line,
    operation: line.split('/', 1)[0],
    verdict: 'not-run',
    reason,
    reasons: [reason],
    inputs: [],
    outputs: [],
    repro: reproLine(line),
    artefacts: [],
    host: { lane: 0, startedAt: 0, stages: [], totalMilliseconds: 0 },
  };
}

/** Command that runs one case alone. */
export function reproLine(line: string): string {
  return `npx ipu-verify repro '${line}'`;
}
