import type { CycleBudgets, KnownFailures } from '../budget/index.ts';
import type { DeviceIdentity } from '../ports.ts';
import {
  createRunDirectory,
  dropTornLine,
  gitFacts,
  hostFacts,
  type LoadedRun,
  MANIFEST_VERSION,
  makeRunId,
  messageOf,
  packageRoot,
  packageVersion,
  pointLatestAt,
  ResultsWriter,
  RunError,
  type RunListener,
  type RunManifest,
  type RunView,
  viewRun,
  writeManifest,
} from '../record/index.ts';
import { Audience, type Written } from './audience.ts';
import { Collector } from './collector.ts';
import type { DeviceRequest } from './composition.ts';
import { runRounds } from './rounds.ts';

/** A run as the command line asks for it. */
export interface RunRequest {
  readonly compositionUrl: string;
  /** Canonical case lines in order. */
  readonly planned: readonly string[];
  readonly device: DeviceRequest;
  readonly identity: DeviceIdentity;
  readonly out: string;
  readonly runId?: string;
  readonly lanes: number;
  readonly bail: number;
  readonly timeoutSeconds: number;
  readonly budgets: CycleBudgets;
  readonly known: KnownFailures;
  /** Effective options as words, for the manifest. */
  readonly options: Readonly<Record<string, string>>;
  readonly interrupt: AbortSignal;
  /** An unfinished run to go on with instead of beginning one. */
  readonly resume?: LoadedRun;
  /** Takes warnings about the run itself. */
  warn(text: string): void;
}

/** A run that ended, and the files its listeners wrote. */
export interface EndedRun extends RunView {
  readonly written: readonly Written[];
}

/**
 * Carries out a run: directory, manifest, worker processes, results, listeners. Throws RunError when the directory
 * cannot be made or results can no longer be written; everything else becomes a verdict.
 */
export async function executeRun(request: RunRequest, listeners: readonly RunListener[]): Promise<EndedRun> {
  const audience = new Audience(listeners, request.warn);
  const startedAt = new Date();
  const root = packageRoot();
  const id = request.runId ?? makeRunId(startedAt, [...request.planned, String(process.pid)]);
  const directory = request.resume?.directory ?? createRunDirectory(request.out, id);
  const begun: RunManifest = request.resume?.manifest ?? beginManifest(request, id, startedAt, root);
  const { endedAt: _endedAt, ...unfinished } = begun;
  const manifest: RunManifest = { ...unfinished, state: 'running' };
  writeManifest(directory.manifest, manifest);
  pointLatestAt(request.out, directory.id);
  if (request.resume !== undefined) dropTornLine(directory.results, request.resume.file);
  const writer = new ResultsWriter(directory.results);
  const collector = new Collector(directory.id, manifest.planned, writer, (record) =>
    audience.tell((listener) => listener.onResult?.(record)),
  );
  collector.adopt(request.resume?.file.records ?? []);
  const settled = manifest.planned.length - collector.remaining().length;
  audience.tell((listener) => listener.onStart?.(manifest, directory, settled));
  const notice = (text: string) => audience.tell((listener) => listener.onNotice?.(text));
  try {
    await runRounds({ ...request, run: directory.id, runPath: directory.path, root, notice }, collector);
  } finally {
    writer.close();
  }
  if (collector.broken !== undefined) {
    throw new RunError(
      `results cannot be written to ${directory.results}: ${messageOf(collector.broken)}`,
      'Free space or choose another directory with --out, then continue with --resume.',
      4,
      collector.broken,
    );
  }
  const ended: RunManifest = {
    ...manifest,
    state: request.interrupt.aborted ? 'interrupted' : 'finished',
    endedAt: new Date().toISOString(),
  };
  writeManifest(directory.manifest, ended);
  const view = viewRun(directory, ended, collector.records);
  return { ...view, written: await audience.end(view) };
}

function beginManifest(request: RunRequest, run: string, startedAt: Date, root: string): RunManifest {
  const git = gitFacts(root);
  return {
    schemaVersion: MANIFEST_VERSION,
    run,
    state: 'running',
    startedAt: startedAt.toISOString(),
    planned: [...request.planned],
    device: { ...request.identity },
    options: { ...request.options },
    versions: { 'ipu-verify': packageVersion(root), node: process.versions.node },
    ...(git === undefined ? {} : { git }),
    host: hostFacts(),
  };
}
