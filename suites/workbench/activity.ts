import { type ProgramLine, programLines, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Issue } from '../../device/simulator/index.ts';
import { workerCycles } from './issueCycles.ts';

/** Work of one context during a call. */
export interface ContextActivity {
  /** 0 is the supervisor, 1..6 are the workers. */
  readonly context: number;
  /** Instructions and bundles issued. */
  readonly issues: number;
  /** Issues in which both pipes did something. */
  readonly dual: number;
  /** Tile cycles from the first issue to the slot behind the last. */
  readonly cycles: number;
}

/** What a call did, issue by issue. */
export interface Activity {
  /** Tile cycles from the launch (or call) to the return of the supervisor. */
  readonly cycles: number;
  readonly contexts: readonly ContextActivity[];
  readonly issues: readonly Issue[];
  /** Worker issues after the return: the kernel did not wait for its workers. */
  readonly late: number;
  /** Program line at an address that was issued. */
  readonly lineAt: (pc: number) => ProgramLine | undefined;
}

const IDLE = new Set(['nop', 'fnop']);
const CYCLES_PER_ISSUE = 6;

export const isDual = ({ kind, instructions }: ProgramLine): boolean =>
  kind === 'bundle' && !instructions.some(({ form }) => IDLE.has(form.mnemonic));

/** Sums issues up between the launch and the return. `words` reads the words of the program. */
export function activityOf(
  all: readonly Issue[],
  launch: number,
  done: number,
  wordsAt: (pc: number) => readonly number[],
): Activity {
  const lines = new Map<number, ProgramLine | undefined>();
  const lineAt = (pc: number): ProgramLine | undefined => {
    if (!lines.has(pc)) lines.set(pc, [...programLines(pc, wordsAt(pc))][0]);
    return lines.get(pc);
  };
  const begin = all.find(({ context, pc }) => context === 0 && pc === launch)?.cycle ?? 0;
  const end = all.findLast(({ context, pc }) => context === 0 && pc === done)?.cycle ?? begin;
  const issues = all.filter(
    ({ cycle, pc }) => cycle >= begin && cycle <= end && pc !== done && pc !== launch,
  );
  const contexts = Array.from({ length: WORKER_COUNT + 1 }, (_, context): ContextActivity => {
    const own = issues.filter((issue) => issue.context === context);
    const last = own.at(-1);
    const line = last === undefined ? undefined : lineAt(last.pc);
    const tail = context === 0 ? 1 : CYCLES_PER_ISSUE * (line === undefined ? 1 : workerCycles(line));
    return {
      context,
      issues: own.length,
      dual: own.filter(({ pc }) => {
        const found = lineAt(pc);
        return found !== undefined && isDual(found);
      }).length,
      cycles: last === undefined ? 0 : last.cycle + tail - own[0].cycle,
    };
  });
  const late = all.filter(({ cycle, context }) => context > 0 && cycle > end).length;
  return { cycles: end - begin, contexts, issues, late, lineAt };
}
