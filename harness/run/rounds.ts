import { rmSync } from 'node:fs';
import type { CycleBudgets, KnownFailures } from '../budget/index.ts';
import type { Collector } from './collector.ts';
import type { DeviceRequest } from './composition.ts';
import { type InFlight, lanesFolder, type PlannedCase, readInFlight, writeJob } from './lane-job.ts';
import { runLanes } from './run-lanes.ts';

/** Worker processes that may die in one run before the rest of it is given up. */
const MOST_DEATHS = 16;
/** Milliseconds a case may go on after an interrupt before its process is killed. */
const GRACE = 1500;
/** Milliseconds between two looks at the clock. */
const TICK = 500;
/** Failing cases per lane whose error maps are drawn. */
const MOST_PICTURES = 100;

/** How the cases of a run are carried out. */
export interface RoundOptions {
  readonly run: string;
  readonly runPath: string;
  readonly root: string;
  readonly compositionUrl: string;
  readonly device: DeviceRequest;
  readonly lanes: number;
  readonly bail: number;
  /** Wall seconds one case may take; a process that takes longer is killed. */
  readonly timeoutSeconds: number;
  readonly budgets: CycleBudgets;
  readonly known: KnownFailures;
  readonly interrupt: AbortSignal;
  notice(text: string): void;
}

/**
 * Runs all cases that have no record yet. When a worker process dies or is killed for taking too long, the case it was
 * working on becomes an infra-error and the cases behind it go to a new round. Ends when every case has a record, the
 * bail limit is reached, the run is interrupted, or nothing moves any more.
 */
export async function runRounds(options: RoundOptions, collector: Collector): Promise<void> {
  let deaths = 0;
  try {
    for (;;) {
      const remaining = collector.remaining();
      const before = collector.records.length;
      if (remaining.length === 0 || options.interrupt.aborted) return;
      const late = await runRound(options, collector, remaining);
      if (collector.broken !== undefined || options.interrupt.aborted) return;
      if (options.bail > 0 && collector.failures >= options.bail) return;
      deaths += recordDeaths(options, collector, late);
      if (collector.remaining().length === 0) return;
      if (collector.records.length === before) {
        options.notice('no worker process gets to a result; the remaining cases are not run');
        return;
      }
      if (deaths >= MOST_DEATHS) {
        options.notice(`${deaths} worker processes died; the remaining cases are not run`);
        return;
      }
    }
  } finally {
    rmSync(lanesFolder(options.runPath), { recursive: true, force: true });
  }
}

/** Returns the cases whose processes were killed because they took too long. */
async function runRound(
  options: RoundOptions,
  collector: Collector,
  cases: readonly PlannedCase[],
): Promise<ReadonlySet<number>> {
  const lanes = Math.min(options.lanes, cases.length);
  const jobs = Array.from({ length: lanes }, (_, index) =>
    writeJob({
      lane: index + 1,
      run: options.run,
      runPath: options.runPath,
      compositionUrl: options.compositionUrl,
      device: options.device,
      cases: cases.filter((_case, at) => at % lanes === index),
      budgets: [...options.budgets],
      known: [...options.known],
      mostPictures: MOST_PICTURES,
    }),
  );
  const late = new Set<number>();
  let stop: (() => Promise<void>) | undefined;
  let stopping: number | undefined;
  const current = () => inFlight(options.runPath, lanes);
  const beginToStop = () => {
    if (stopping !== undefined || stop === undefined) return;
    stopping = Date.now();
    void stop();
  };
  const watch = setInterval(() => {
    if (options.interrupt.aborted || collector.broken !== undefined) beginToStop();
    const now = Date.now();
    for (const { pid, index, since } of current()) {
      const tooLong = now - since > options.timeoutSeconds * 1000;
      if (tooLong) late.add(index);
      if (tooLong || (stopping !== undefined && now - stopping > GRACE)) kill(pid);
    }
  }, TICK);
  options.interrupt.addEventListener('abort', beginToStop, { once: true });
  try {
    await runLanes({
      root: options.root,
      jobs,
      bail: options.bail,
      onRecord: (json) => collector.receive(json),
      onOutput: options.notice,
      onStarted: (stopRound) => {
        stop = stopRound;
        if (options.interrupt.aborted) beginToStop();
      },
    });
  } finally {
    clearInterval(watch);
    options.interrupt.removeEventListener('abort', beginToStop);
  }
  return late;
}

/** Cases that processes of the round began and never reported. Returns their number. */
function recordDeaths(options: RoundOptions, collector: Collector, late: ReadonlySet<number>): number {
  let deaths = 0;
  for (const { index } of inFlight(options.runPath, options.lanes)) {
    if (collector.has(index)) continue;
    deaths++;
    const { timeoutSeconds } = options;
    const reason = late.has(index)
      ? `took longer than ${timeoutSeconds} s and was killed`
      : 'its worker process ended while the case was running';
    collector.fail(index, reason, 'run', late.has(index) ? { timeoutSeconds } : {});
  }
  return deaths;
}

function inFlight(runPath: string, lanes: number): readonly InFlight[] {
  return Array.from({ length: lanes }, (_, index) => readInFlight(runPath, index + 1)).filter(
    (mark) => mark !== undefined,
  );
}

/** Ends one of our own worker processes; it may have ended by itself. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
