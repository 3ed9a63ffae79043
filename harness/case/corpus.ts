import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expandLine } from './expand.ts';
import { didYouMean } from './nearest.ts';
import { quoted, UsageError } from './usage-error.ts';

/** Tiers in growing order; each contains the ones before it. */
export const TIER_CHAIN = ['smoke', 'ci', 'nightly'] as const;

/** Tiers that stand alone. */
export const SEPARATE_TIERS = ['perf'] as const;

export type Tier = (typeof TIER_CHAIN)[number] | (typeof SEPARATE_TIERS)[number];

export const TIERS: readonly Tier[] = [...TIER_CHAIN, ...SEPARATE_TIERS];

/** Checks a tier name. Throws UsageError with a hint. */
export function parseTier(name: string): Tier {
  const tier = TIERS.find((known) => known === name);
  if (tier !== undefined) return tier;
  throw new UsageError(
    `tier ${quoted(name)} is unknown${didYouMean(name, TIERS)}; tiers: ${TIERS.join(', ')}`,
    'tier',
    name,
    TIERS.join(' | '),
  );
}

/** Text of one corpus file and the name used in messages. */
export interface CorpusFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Case lines of corpus files in order: one case or generator per line, `#` starts a comment, blank lines
 * are ignored, no line depends on another. Returns canonical lines. Throws UsageError naming file and line
 * for anything malformed, for a case that appears twice and for a generator that yields nothing.
 */
export function readCorpus(
  files: readonly CorpusFile[],
  canonical: (line: string) => string,
): readonly string[] {
  const places = new Map<string, string>();
  for (const file of files) {
    const rows = file.text.split(/\r?\n/);
    for (const [index, row] of rows.entries()) {
      const text = row.split('#', 1)[0].trim();
      if (text === '') continue;
      const place = `${file.name}:${index + 1}`;
      try {
        addLine(text, place, canonical, places);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        throw new UsageError(`${place}: ${error.message}`, error.key, error.value, error.allowed);
      }
    }
  }
  return [...places.keys()];
}

function addLine(
  text: string,
  place: string,
  canonical: (line: string) => string,
  places: Map<string, string>,
): void {
  const { lines, unlisted } = expandLine(text);
  let added = 0;
  for (const line of lines.map(canonical)) {
    const earlier = places.get(line);
    if (earlier !== undefined) {
      if (unlisted) continue;
      throw new UsageError(`case ${line} was already given at ${earlier}`, 'case', line, 'each case once');
    }
    places.set(line, place);
    added++;
  }
  if (added === 0) throw new UsageError(`${quoted(text)} yields no case`, 'case', text, 'at least one case');
}

/** Case lines per tier of one operation. */
export interface TierCorpus {
  /** Canonical, unique, in file order; a chained tier begins with the tiers it contains. */
  tier(name: string): readonly string[];
}

/** Reads `<directory>/<tier>.txt` when a tier is first asked for. */
export function tierCorpus(directory: string, canonical: (line: string) => string): TierCorpus {
  const cache = new Map<Tier, readonly string[]>();
  return {
    tier(name) {
      const tier = parseTier(name);
      const known = cache.get(tier);
      if (known !== undefined) return known;
      const position = TIER_CHAIN.indexOf(tier as (typeof TIER_CHAIN)[number]);
      const members = position < 0 ? [tier] : TIER_CHAIN.slice(0, position + 1);
      const files = members.map((member) => {
        const path = join(directory, `${member}.txt`);
        return { name: path, text: readTier(path) };
      });
      const lines = readCorpus(files, canonical);
      cache.set(tier, lines);
      return lines;
    },
  };
}

function readTier(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`case file ${path} cannot be read: ${why}`, 'tier', path, 'a readable text file');
  }
}

/**
 * A directory given relative to the package root, found by walking up from a module to the nearest
 * package.json: case files are data and stay in the source tree when the code is built elsewhere.
 */
export function corpusDirectory(moduleUrl: string, relative: string): string {
  let directory = dirname(fileURLToPath(moduleUrl));
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) {
      throw new UsageError(`no package.json above ${moduleUrl}`, 'tier', relative, 'an installed package');
    }
    directory = parent;
  }
  return join(directory, relative);
}
