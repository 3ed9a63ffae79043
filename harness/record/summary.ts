import { type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { RunManifest } from './manifest.ts';
import type { ResultRecord } from './record.ts';
import { countClass, countVerdicts, type VerdictCounts } from './verdicts.ts';

/** A run in figures. */
export interface RunSummary {
  readonly run: string;
  readonly planned: number;
  /** Cases that were tried: neither skipped nor not-run. */
  readonly executed: number;
  readonly counts: VerdictCounts;
  /** Largest error over bound among all judged cases, and the first case that has it. */
  readonly worst?: { readonly ratio: number; readonly case: string };
  /** Wall time; undefined for a run that never ended. */
  readonly seconds?: number;
  readonly exitCode: ExitCode;
}

/** Figures of a run from its records, one per planned case. */
export function summarize(manifest: RunManifest, records: readonly ResultRecord[]): RunSummary {
  const counts = countVerdicts(records.map((record) => record.verdict));
  let worst: RunSummary['worst'];
  for (const { boundRatio, case: line } of records) {
    if (boundRatio !== undefined && isWorseRatio(boundRatio, worst?.ratio))
      worst = { ratio: boundRatio, case: line };
  }
  const { startedAt, endedAt } = manifest;
  return {
    run: manifest.run,
    planned: records.length,
    executed: records.length - counts.skipped - counts['not-run'],
    counts,
    ...(worst === undefined ? {} : { worst }),
    ...(endedAt === undefined ? {} : { seconds: (Date.parse(endedAt) - Date.parse(startedAt)) / 1000 }),
    exitCode: exitCodeOf(counts, {
      strict: manifest.options['strict'] === 'true',
      interrupted: manifest.state === 'interrupted',
    }),
  };
}

/** Whether a bound ratio is worse than another one; NaN is worse than every number. */
export function isWorseRatio(ratio: number, than: number | undefined): boolean {
  return than === undefined || (!Number.isNaN(than) && !(ratio <= than));
}

/** Cases that failed: wrong results and broken budgets, but not checks that proved nothing. */
export function failedCases(counts: VerdictCounts): number {
  return countClass(counts, 'wrong') - counts.mistrusted + countClass(counts, 'budget');
}

/** The last line of every run; keys and order are stable, values hold no spaces. */
export function summaryLine(summary: RunSummary): string {
  const { counts, worst, seconds } = summary;
  const entries: [string, string | number][] = [
    ['planned', summary.planned],
    ['executed', summary.executed],
    ['passed', counts.passed],
    ['failed', failedCases(counts)],
    ['known', counts['known-failure']],
    ['unexpected', counts['unexpected-pass']],
    ['unsupported', counts.unsupported],
    ['skipped', counts.skipped],
    ['mistrusted', counts.mistrusted],
    ['infra', counts['infra-error']],
    ['not-run', counts['not-run']],
    ['worst-bound-ratio', worst === undefined ? 'none' : formatRatio(worst.ratio)],
    ['case', worst?.case ?? 'none'],
    ['duration', seconds === undefined ? 'unknown' : `${seconds.toFixed(1)}s`],
    ['run', summary.run],
    ['exit', summary.exitCode],
  ];
  return `ipu-verify: ${entries.map(([key, value]) => `${key}=${value}`).join(' ')}`;
}

/** Four significant digits; `inf` for a wrong bit of an exact output. */
export function formatRatio(ratio: number): string {
  if (ratio === Number.POSITIVE_INFINITY) return 'inf';
  return Number.isFinite(ratio) ? String(Number(ratio.toPrecision(4))) : 'nan';
}
