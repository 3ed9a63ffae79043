import { countClass, type VerdictCounts } from './verdicts.ts';

/** Exit codes of the command line. */
export const EXIT = {
  good: 0,
  wrong: 1,
  usage: 2,
  budget: 3,
  infrastructure: 4,
  unexpectedPass: 5,
  incomplete: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Exit code of a run, the most telling class first: interrupted, a wrong result, infrastructure that prevented
 * a judgement, cases that were never run, cycle budgets, and under `strict` passes of known failures. A run in
 * which nothing was judged at all is incomplete, because it proves nothing.
 */
export function exitCodeOf(
  counts: VerdictCounts,
  { strict, interrupted }: { readonly strict: boolean; readonly interrupted: boolean },
): ExitCode {
  const has = (wanted: Parameters<typeof countClass>[1]) => countClass(counts, wanted) > 0;
  if (interrupted) return EXIT.interrupted;
  if (has('wrong')) return EXIT.wrong;
  if (has('infrastructure')) return EXIT.infrastructure;
  if (has('incomplete')) return EXIT.incomplete;
  if (has('budget')) return EXIT.budget;
  if (has('unexpected')) return strict ? EXIT.unexpectedPass : EXIT.good;
  return has('good') ? EXIT.good : EXIT.incomplete;
}
