import { type SelectionOptions, selectCases, UsageError } from '../case/index.ts';
import type { Operation } from '../ports.ts';

/** Selection as commander hands it over. */
export interface SelectionFlags {
  readonly tier?: string;
  readonly match?: string;
  readonly exclude?: string;
  readonly tiles?: string;
  readonly seed?: string;
  readonly shard?: { readonly index: number; readonly count: number };
}

/**
 * Canonical lines of a selection. A shard is every n-th case of the list, so that neighbours of a generator, which
 * cost much the same, spread over all shards. Throws UsageError when nothing is left.
 */
export function selectPlanned(
  operations: readonly Operation[],
  cases: readonly string[],
  flags: SelectionFlags,
): readonly string[] {
  const options: SelectionOptions = { ...flags, ...(cases.length === 0 ? {} : { cases }) };
  const chosen = selectCases(operations, options);
  const { shard } = flags;
  if (shard === undefined) return chosen;
  const part = chosen.filter((_line, at) => at % shard.count === shard.index - 1);
  if (part.length > 0) return part;
  throw new UsageError(
    `--shard ${shard.index}/${shard.count} of ${chosen.length} cases is empty`,
    'shard',
    `${shard.index}/${shard.count}`,
    `at most ${chosen.length} shards`,
  );
}

/** Flags that select cases, as words for the manifest. */
export function selectionWords(cases: readonly string[], flags: SelectionFlags): Record<string, string> {
  const words: Record<string, string> = {};
  if (cases.length > 0) words['cases'] = String(cases.length);
  else words['tier'] = flags.tier ?? 'smoke';
  for (const key of ['tier', 'match', 'exclude', 'tiles', 'seed'] as const) {
    const value = flags[key];
    if (value !== undefined) words[key] = value;
  }
  if (flags.shard !== undefined) words['shard'] = `${flags.shard.index}/${flags.shard.count}`;
  return words;
}
