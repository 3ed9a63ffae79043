import { type CaseSource, UsageError } from '../case/index.ts';
import { parseRows, type TextFile } from './rows.ts';

/** Verdicts a known failure may have, and `skip` for a case that must not even be tried. */
export const EXPECTATIONS = [
  'failed-numerics',
  'failed-contract',
  'failed-budget',
  'compile-error',
  'device-fault',
  'mistrusted',
  'skip',
] as const;

export type Expectation = (typeof EXPECTATIONS)[number];

/** One accepted failure: exactly one case, who answers for it, until when, and why. */
export interface KnownFailure {
  readonly expect: Expectation;
  readonly owner: string;
  /** Last day on which it counts, `YYYY-MM-DD`, UTC. */
  readonly expires: string;
  readonly why: string;
}

/** Known failures by canonical case line. */
export type KnownFailures = ReadonlyMap<string, KnownFailure>;

const FORM = '<case line> | <verdict or skip> | <owner> | <YYYY-MM-DD> | <why>';

/**
 * Reads a file of known failures. An entry that expired before `today` (`YYYY-MM-DD`) no longer counts, so the
 * failure shows again. Throws UsageError with file and line.
 */
export function parseKnownFailures(
  file: TextFile,
  operations: readonly CaseSource[],
  today: string,
): { readonly known: KnownFailures; readonly expired: readonly string[] } {
  const known = new Map<string, KnownFailure>();
  const expired: string[] = [];
  for (const { place, line, cells } of parseRows(file, operations, 4, FORM)) {
    const [word, owner, expires, why] = cells;
    const expect = EXPECTATIONS.find((expectation) => expectation === word);
    if (expect === undefined) {
      const allowed = EXPECTATIONS.join(' | ');
      throw new UsageError(
        `${place}: ${JSON.stringify(word)} cannot be expected; allowed: ${allowed}`,
        'expect',
        word,
        allowed,
      );
    }
    if (!isDay(expires)) {
      throw new UsageError(
        `${place}: ${JSON.stringify(expires)} is no day; form: ${FORM}`,
        'expires',
        expires,
        'YYYY-MM-DD',
      );
    }
    if (expires < today) expired.push(`${place}: ${line} expired on ${expires} (${owner})`);
    else known.set(line, { expect, owner, expires, why });
  }
  return { known, expired };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
