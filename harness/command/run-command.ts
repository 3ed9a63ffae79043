import { availableParallelism, totalmem } from 'node:os';
import {
  type CycleBudgets,
  type KnownFailures,
  parseCycleBudgets,
  parseKnownFailures,
  readTextFile,
} from '../budget/index.ts';
import { UsageError } from '../case/index.ts';
import type { Operation } from '../ports.ts';
import {
  encodeRecord,
  findRun,
  type LoadedRun,
  loadRun,
  type RunListener,
  summaryLine,
} from '../record/index.ts';
import { loadComposition } from '../run/composition.ts';
import { executeRun } from '../run/execute-run.ts';
import { identify } from './device.ts';
import type { House, Terminal } from './house.ts';
import { onInterrupt } from './interrupt.ts';
import { type SelectionFlags, selectionWords, selectPlanned } from './select.ts';

export interface RunFlags extends SelectionFlags {
  readonly device: string;
  readonly threads: number;
  readonly lanes?: number;
  readonly out: string;
  readonly runId?: string;
  readonly resume?: string;
  readonly bail: number;
  readonly timeout: number;
  readonly budget?: string;
  readonly known?: string;
  readonly strict?: boolean;
  readonly allure: boolean;
  readonly json?: boolean;
}

/** Memory one worker process may need: a full chip of SRAM and the host's share of a large case. */
const LANE_BYTES = 2 * 2 ** 30;

/** Runs the selected cases. Returns the exit code. */
export async function runCommand(house: House, cases: readonly string[], flags: RunFlags): Promise<number> {
  const composition = await loadComposition(house.compositionUrl);
  const resume = flags.resume === undefined ? undefined : resumable(flags, cases);
  const planned = resume?.manifest.planned ?? selectPlanned(composition.operations, cases, flags);
  const { budgets, known } = readPolicies(flags, composition.operations);
  const device = { name: flags.device, threads: flags.threads };
  const identity = await identify(composition, device);
  if (resume !== undefined) refuseOtherDevice(resume, identity);
  const lanes = flags.lanes ?? defaultLanes();
  const out = resume === undefined ? flags.out : `${resume.directory.path}/..`;
  const terminal: Terminal = {
    write: (text) => process.stdout.write(text),
    interactive: process.stdout.isTTY === true && process.env['CI'] === undefined,
  };
  const reports = await house.loadReports({
    out,
    allure: flags.allure,
    ...(flags.json ? {} : { console: terminal }),
  });
  const listeners = flags.json ? [jsonLines, ...reports] : reports;
  const interrupt = onInterrupt();
  try {
    const run = await executeRun(
      {
        compositionUrl: house.compositionUrl,
        planned,
        device,
        identity,
        out,
        ...(flags.runId === undefined ? {} : { runId: flags.runId }),
        lanes,
        bail: flags.bail,
        timeoutSeconds: flags.timeout,
        budgets,
        known,
        options: {
          ...selectionWords(cases, flags),
          device: flags.device,
          threads: String(flags.threads),
          lanes: String(Math.min(lanes, planned.length)),
          bail: String(flags.bail),
          timeout: String(flags.timeout),
          strict: String(flags.strict === true),
          ...(flags.budget === undefined ? {} : { budget: flags.budget }),
          ...(flags.known === undefined ? {} : { known: flags.known }),
        },
        interrupt: interrupt.signal,
        ...(resume === undefined ? {} : { resume }),
        warn,
      },
      listeners,
    );
    if (flags.json) {
      process.stdout.write(`${JSON.stringify({ summary: run.summary, written: run.written })}\n`);
    } else {
      for (const { listener, path } of run.written) terminal.write(`${listener}: ${path}\n`);
      terminal.write(`${summaryLine(run.summary)}\n`);
    }
    return run.summary.exitCode;
  } finally {
    interrupt.stop();
  }
}

const jsonLines: RunListener = {
  name: 'json',
  onResult: (record) => {
    process.stdout.write(`${encodeRecord(record)}\n`);
  },
  onNotice: (text) => warn(text),
};

function warn(text: string): void {
  process.stderr.write(`ipu-verify: ${text}\n`);
}

function resumable(flags: RunFlags, cases: readonly string[]): LoadedRun {
  const others = ['tier', 'match', 'exclude', 'tiles', 'seed', 'shard', 'runId'] as const;
  const given = others.filter((name) => flags[name] !== undefined);
  if (cases.length > 0 || given.length > 0) {
    throw new UsageError(
      '--resume goes on with the cases of its run; leave the selection out',
      'resume',
      String(flags.resume),
      'no case lines, no selection, no --run-id',
    );
  }
  const run = loadRun(findRun(flags.out, String(flags.resume)).path);
  const open = run.records.some(({ verdict }) => verdict === 'not-run' || verdict === 'infra-error');
  if (open) return run;
  throw new UsageError(
    `run ${run.manifest.run} is complete; there is nothing to resume`,
    'resume',
    String(flags.resume),
    'a run with cases not run or stopped by infrastructure',
  );
}

function refuseOtherDevice({ manifest }: LoadedRun, identity: LoadedRun['manifest']['device']): void {
  const name = ({ kind, model, tiles, clockHz }: typeof identity) => `${kind} ${model} ${tiles} ${clockHz}`;
  if (name(identity) === name(manifest.device)) return;
  throw new UsageError(
    `run ${manifest.run} was made on ${name(manifest.device)}, this device is ${name(identity)}; they are not comparable`,
    'resume',
    manifest.run,
    'the same device and model version',
  );
}

function readPolicies(
  flags: RunFlags,
  operations: readonly Operation[],
): { readonly budgets: CycleBudgets; readonly known: KnownFailures } {
  const budgets =
    flags.budget === undefined
      ? new Map<string, number>()
      : parseCycleBudgets(readTextFile(flags.budget, 'budget'), operations);
  if (flags.known === undefined) return { budgets, known: new Map() };
  const today = new Date().toISOString().slice(0, 10);
  const { known, expired } = parseKnownFailures(readTextFile(flags.known, 'known'), operations, today);
  for (const text of expired) warn(text);
  return { budgets, known };
}

/** One per core, as far as memory reaches. */
function defaultLanes(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / LANE_BYTES)));
}
