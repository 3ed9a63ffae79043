import fc from 'fast-check';
import { FILL_NAMES } from '../../../harness/fill/index.ts';
import { type GemmCase, gemmGrammar } from '../problem.ts';

/** Grain of columns and of inner values in f16: one panel, one coefficient load. */
const GRAIN = 16;

/** Coordinates in which a case is drawn and shrunk: each moves alone and every combination is a legal case. */
interface Coordinates {
  readonly seed: number;
  readonly fill: GemmCase['fill'];
  readonly idle: number;
  readonly pinned: boolean;
  readonly split: readonly [rows: number, columns: number, inner: number];
  readonly rows: number;
  readonly panels: number;
  readonly groups: number;
  readonly columnTail: number;
  readonly innerTail: number;
}

/**
 * Case lines of small GEMMs: shape, grid, fill and number of tiles. Extents are drawn as whole blocks and a
 * tail, splits as wishes that are cut down to what the shape has, so that a failing case shrinks block by
 * block, split by split and value by value, always to another legal case: no seed before no plan, no plan
 * before fewer rows, fewer blocks before shorter tails.
 */
export const gemmLine: fc.Arbitrary<string> = fc
  .record<Coordinates>({
    seed: fc.nat(3),
    fill: fc.constantFrom(...FILL_NAMES),
    idle: fc.nat(5),
    pinned: fc.boolean(),
    split: fc.tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
    ),
    rows: fc.integer({ min: 1, max: 48 }),
    panels: fc.integer({ min: 1, max: 5 }),
    groups: fc.integer({ min: 1, max: 9 }),
    columnTail: fc.integer({ min: 1, max: GRAIN }),
    innerTail: fc.integer({ min: 1, max: GRAIN }),
  })
  .map((at) => gemmGrammar.print(caseAt(at)));

function caseAt({ seed, fill, idle, pinned, split, rows, panels, groups, ...tails }: Coordinates): GemmCase {
  const grid = [Math.min(split[0], rows), Math.min(split[1], panels), Math.min(split[2], groups)];
  return {
    m: rows,
    k: GRAIN * (groups - 1) + tails.innerTail,
    n: GRAIN * (panels - 1) + tails.columnTail,
    in: 'f16',
    acc: 'f16',
    out: 'f16',
    tiles: grid[0] * grid[1] * grid[2] + idle,
    fill,
    seed,
    ...(pinned ? { plan: grid.join('x') } : {}),
  };
}

/** A failing case line that no step of the generator makes smaller. */
export interface Counterexample {
  readonly line: string;
  /** What went wrong with it. */
  readonly said: string;
  /** Cases tried until the first failure, and steps of shrinking after it. */
  readonly runs: number;
  readonly shrinks: number;
  /** Everything a reader needs, the command that repeats the failure included. */
  readonly report: string;
}

/**
 * Looks for a case line about which `complaint` has something to say, and shrinks it. Equal seeds draw equal
 * lines.
 */
export async function findCounterexample(
  complaint: (line: string) => Promise<string | undefined>,
  options: { readonly seed: number; readonly runs: number },
): Promise<Counterexample | undefined> {
  const said = new Map<string, string>();
  const property = fc.asyncProperty(gemmLine, async (line) => {
    const found = await complaint(line);
    if (found !== undefined) said.set(line, found);
    return found === undefined;
  });
  const { seed, runs } = options;
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: false });
  if (!details.failed) return undefined;
  const [line] = details.counterexample!;
  return {
    line,
    said: said.get(line) ?? 'threw an error',
    runs: details.numRuns,
    shrinks: details.numShrinks,
    report: [
      `${line}: ${said.get(line) ?? String(details.errorInstance)}`,
      `found with seed ${seed} after ${details.numRuns} cases, shrunk ${details.numShrinks} times`,
      `npx ipu-verify repro '${line}'`,
    ].join('\n'),
  };
}
