import { parseTier } from './corpus.ts';
import { entryOf, joinLine, splitLine, withEntry } from './line.ts';
import { didYouMean } from './nearest.ts';
import { quoted, UsageError } from './usage-error.ts';

/** What selection needs of an operation; the `Operation` of the ports satisfies it. */
export interface CaseSource {
  readonly name: string;
  canonical(line: string): string;
  tier(tier: string): readonly string[];
}

/** Options of the command line, as given. */
export interface SelectionOptions {
  /** Case lines given one by one; when present no tier is read unless `tier` is given too. */
  readonly cases?: readonly string[];
  readonly tier?: string;
  /** Regular expressions on the canonical line; no anchors are implied. */
  readonly match?: string;
  readonly exclude?: string;
  /** Tile counts to keep, e.g. `1,8,16-64`. */
  readonly tiles?: string;
  /** Replaces the seed of every case; the case line changes with it. */
  readonly seed?: string;
}

/** Tier used when neither cases nor a tier are given. */
const DEFAULT_TIER = 'smoke';

/**
 * The cases to run: canonical, unique, explicit cases first, then tiers in operation and file order.
 * Throws UsageError for anything malformed and when nothing is left, because an empty run proves nothing.
 */
export function selectCases(operations: readonly CaseSource[], options: SelectionOptions): readonly string[] {
  const match = options.match === undefined ? undefined : parseExpression('match', options.match);
  const exclude = options.exclude === undefined ? undefined : parseExpression('exclude', options.exclude);
  const tiles = options.tiles === undefined ? undefined : parseCounts(options.tiles);
  const chosen = new Set<string>();
  for (const line of options.cases ?? []) chosen.add(findOperation(operations, line).canonical(line));
  if (options.tier !== undefined || options.cases === undefined) {
    const tier = parseTier(options.tier ?? DEFAULT_TIER);
    for (const operation of operations) {
      for (const line of operation.tier(tier)) chosen.add(line);
    }
  }
  const { seed } = options;
  const seeded = seed === undefined ? [...chosen] : [...chosen].map((line) => reseed(operations, line, seed));
  const kept = [...new Set(seeded)].filter(
    (line) => (match?.test(line) ?? true) && !(exclude?.test(line) ?? false) && (tiles?.(line) ?? true),
  );
  if (kept.length === 0) {
    throw new UsageError(
      `no case is left of ${seeded.length}${describe(options)}; loosen the selection or use list to see the cases`,
      'selection',
      describe(options).trim(),
      'at least one case',
    );
  }
  return kept;
}

/** The operation a case line belongs to. Throws UsageError with a hint. */
export function findOperation<T extends CaseSource>(operations: readonly T[], line: string): T {
  const name = splitLine(line).operation;
  const found = operations.find((operation) => operation.name === name);
  if (found !== undefined) return found;
  const names = operations.map((operation) => operation.name);
  throw new UsageError(
    `operation ${quoted(name)} is unknown${didYouMean(name, names)}; operations: ${names.join(', ')}`,
    'operation',
    name,
    names.join(' | '),
  );
}

function reseed(operations: readonly CaseSource[], line: string, seed: string): string {
  const changed = joinLine(withEntry(splitLine(line), 'seed', seed));
  return findOperation(operations, line).canonical(changed);
}

function parseExpression(option: string, text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--${option} ${quoted(text)} is not a regular expression: ${why}`,
      option,
      text,
      'a JavaScript regular expression',
    );
  }
}

/** A filter on the `tiles` value of a case line, from a list of counts and ranges. */
function parseCounts(text: string): (line: string) => boolean {
  const allowed = 'counts and ranges such as 1,8,16-64';
  const ranges = text.split(',').map((item) => {
    const form = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(item.trim());
    const low = Number(form?.[1]);
    const high = Number(form?.[2] ?? form?.[1]);
    if (!(low >= 1 && high >= low)) {
      throw new UsageError(
        `--tiles ${quoted(text)}: ${quoted(item)} is not a tile count or range; allowed: ${allowed}`,
        'tiles',
        text,
        allowed,
      );
    }
    return { low, high };
  });
  return (line) => {
    const count = Number(entryOf(splitLine(line), 'tiles'));
    return ranges.some(({ low, high }) => count >= low && count <= high);
  };
}

function describe(options: SelectionOptions): string {
  const parts: string[] = [];
  for (const key of ['tier', 'match', 'exclude', 'tiles', 'seed'] as const) {
    const value = options[key];
    if (value !== undefined) parts.push(`--${key} ${quoted(value)}`);
  }
  return parts.length === 0 ? '' : ` after ${parts.join(' ')}`;
}
