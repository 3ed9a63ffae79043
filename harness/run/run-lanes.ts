import { extname } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createVitest, type Reporter, type TestModule, type Vitest } from 'vitest/node';
import { RECORD_ARTIFACT } from './lane-protocol.ts';

/** One round of worker processes. */
export interface LaneRound {
  /** Folder of the installed package; its dependencies are found from here. */
  readonly root: string;
  /** Job files, one per lane. */
  readonly jobs: readonly string[];
  /** Failed cases after which no further one begins; 0 for never. */
  readonly bail: number;
  onRecord(json: string): void;
  /** Output that a case wrote to its console, and errors outside any case. */
  onOutput(text: string): void;
  /** Gives the caller a way to stop the round. */
  onStarted(stop: () => Promise<void>): void;
}

/** The worker's test file stands beside this one, in the sources as well as in the build. */
const ENTRY = fileURLToPath(new URL(`./lane-entry${extname(import.meta.url)}`, import.meta.url));

/**
 * Runs one worker process per job under Vitest and resolves when all have ended, by themselves or not. Processes
 * are children of this one; a lane that dies does not stop the others.
 */
export async function runLanes(round: LaneRound): Promise<void> {
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      round.onOutput(String(chunk).trimEnd());
      done();
    },
  });
  const before = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') };
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root: round.root,
      watch: false,
      cache: false,
      reporters: [new LaneReporter(round)],
      bail: round.bail,
      passWithNoTests: true,
      maxWorkers: round.jobs.length,
      // Worker processes import the built modules natively; nothing is transformed.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      projects: round.jobs.map((job, index) => ({
        root: round.root,
        test: {
          name: `lane ${index + 1}`,
          include: [ENTRY],
          pool: 'forks' as const,
          provide: { laneJob: job },
        },
      })),
    },
    { logLevel: 'silent', clearScreen: false },
    { stdout: sink, stderr: sink },
  );
  leaveSignalsAlone(before);
  round.onStarted(() => vitest.cancelCurrentRun('keyboard-input'));
  try {
    await vitest.start();
  } finally {
    await close(vitest);
  }
}

/** Vitest ends the process on signals; here the main process flushes and sums up first. */
function leaveSignalsAlone(before: Readonly<Record<'SIGINT' | 'SIGTERM', readonly unknown[]>>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    for (const listener of process.listeners(signal)) {
      if (!before[signal].includes(listener)) process.off(signal, listener);
    }
  }
}

/** The exit code of the run is ours to give. */
async function close(vitest: Vitest): Promise<void> {
  await vitest.close();
  process.exitCode = undefined;
}

class LaneReporter implements Reporter {
  readonly #round: LaneRound;

  constructor(round: LaneRound) {
    this.#round = round;
  }

  onTestCaseArtifactRecord: NonNullable<Reporter['onTestCaseArtifactRecord']> = (_case, artifact) => {
    if (artifact.type === RECORD_ARTIFACT) this.#round.onRecord(artifact.json);
  };

  onUserConsoleLog: NonNullable<Reporter['onUserConsoleLog']> = (log) => {
    this.#round.onOutput(log.content.trimEnd());
  };

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) this.#round.onOutput(wordsOf(error));
  }

  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (_modules, errors) => {
    for (const error of errors) this.#round.onOutput(wordsOf(error));
  };
}

/** What happened to a worker process, in one line. */
function wordsOf(error: { readonly message: string; readonly stack?: string }): string {
  if (/emitted error/.test(error.message)) return 'a worker process ended unexpectedly';
  return `worker: ${error.stack?.split('\n', 3).join(' ') ?? error.message}`;
}
