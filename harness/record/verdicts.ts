/** Everything a case can come to. `not-run` is the default: planned, but nothing was reported. */
export const VERDICTS = [
  'passed',
  'failed-numerics',
  'failed-contract',
  'failed-budget',
  'compile-error',
  'device-fault',
  'infra-error',
  'unsupported',
  'skipped',
  'known-failure',
  'unexpected-pass',
  'mistrusted',
  'not-run',
] as const;

export type Verdict = (typeof VERDICTS)[number];

/**
 * What a verdict means for the run: `good` asks for nothing, `wrong` is a defect of the program under test or
 * a check that proved nothing, the others are classes of their own.
 */
export type VerdictClass =
  | 'good'
  | 'wrong'
  | 'budget'
  | 'infrastructure'
  | 'unexpected'
  | 'unjudged'
  | 'incomplete';

export const VERDICT_CLASS: Readonly<Record<Verdict, VerdictClass>> = {
  passed: 'good',
  'failed-numerics': 'wrong',
  'failed-contract': 'wrong',
  'failed-budget': 'budget',
  'compile-error': 'wrong',
  'device-fault': 'wrong',
  'infra-error': 'infrastructure',
  unsupported: 'unjudged',
  skipped: 'unjudged',
  'known-failure': 'good',
  'unexpected-pass': 'unexpected',
  mistrusted: 'wrong',
  'not-run': 'incomplete',
};

/** Whether a case with this verdict is shown as a failure the moment it is known. */
export function isFailure(verdict: Verdict): boolean {
  return ['wrong', 'budget', 'infrastructure'].includes(VERDICT_CLASS[verdict]);
}

/** How many cases came to each verdict. */
export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** Counts with every verdict present, in the order of the list. */
export function countVerdicts(verdicts: Iterable<Verdict>): VerdictCounts {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const verdict of verdicts) counts[verdict]++;
  return counts;
}

/** Cases of a class. */
export function countClass(counts: VerdictCounts, wanted: VerdictClass): number {
  return VERDICTS.reduce(
    (sum, verdict) => sum + (VERDICT_CLASS[verdict] === wanted ? counts[verdict] : 0),
    0,
  );
}
