import { type Comparison, satisfies } from './compare.ts';
import { COLUMN_GROUP, planeOf } from './error-map.ts';
import type { PatternGuess } from './judgement.ts';

/** Fewest wrong elements that can show a move; fewer agree by chance. */
const LEAST_EVIDENCE = 4;

/** Share of the wrong lines whose source must be found. */
const EXPLAINED_LINES = 0.75;

/** Most wrong lines for which sources are searched. */
const MOST_LINES = 256;

/** Rows or columns of the plane, whichever is looked at. */
interface Lines {
  readonly name: 'rows' | 'columns';
  readonly total: number;
  /** Wrong elements per line, as flat indices. */
  readonly wrong: ReadonlyMap<number, readonly number[]>;
  /** The flat index of an element after its line is replaced. */
  readonly moved: (flat: number, line: number) => number;
}

/** Recognises rows or columns that hold what other rows or columns should hold. */
export function guessMoves(comparison: Comparison, wrong: readonly number[]): PatternGuess | undefined {
  if (wrong.length < LEAST_EVIDENCE) return undefined;
  const { rows, columns } = planeOf(comparison.reference.shape);
  const byRow: Lines = {
    name: 'rows',
    total: rows,
    wrong: groupBy(wrong, (flat) => Math.floor(flat / columns)),
    moved: (flat, line) => line * columns + (flat % columns),
  };
  const byColumn: Lines = {
    name: 'columns',
    total: columns,
    wrong: groupBy(wrong, (flat) => flat % columns),
    moved: (flat, line) => Math.floor(flat / columns) * columns + line,
  };
  return guessLines(comparison, byRow) ?? guessLines(comparison, byColumn);
}

function groupBy(items: readonly number[], keyOf: (item: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Whether the wrong elements of `line` hold what `source` should hold. */
function holds(comparison: Comparison, lines: Lines, line: number, source: number): boolean {
  const wrong = lines.wrong.get(line) ?? [];
  return wrong.every((flat) => satisfies(comparison, comparison.observed[flat], lines.moved(flat, source)));
}

function guessLines(comparison: Comparison, lines: Lines): PatternGuess | undefined {
  const numbers = [...lines.wrong.keys()].sort((a, b) => a - b);
  if (numbers.length > MOST_LINES || lines.total < 2) return guessShift(comparison, lines, numbers);
  const shift = guessShift(comparison, lines, numbers);
  if (shift !== undefined) return shift;
  const sources = new Map<number, number>();
  for (const line of numbers) {
    const source = findSource(comparison, lines, line, numbers);
    if (source !== undefined) sources.set(line, source);
  }
  if (sources.size < EXPLAINED_LINES * numbers.length) return undefined;
  const [first, second] = numbers;
  const stage = moveStage(lines, numbers, sources);
  if (numbers.length === 2 && sources.get(first) === second && sources.get(second) === first) {
    return {
      kind: `swapped-${lines.name}`,
      detail: `${lines.name} ${first} and ${second} are exchanged`,
      stage,
    };
  }
  const pairs = [...sources].slice(0, 8).map(([line, source]) => `${line}<-${source}`);
  const more = sources.size > 8 ? ', ...' : '';
  return {
    kind: `permuted-${lines.name}`,
    detail: `${sources.size} of ${numbers.length} wrong ${lines.name} hold others: ${pairs.join(', ')}${more}`,
    stage,
  };
}

/** The line whose reference fits; other wrong lines are tried first, as permutations move them around. */
function findSource(
  comparison: Comparison,
  lines: Lines,
  line: number,
  numbers: readonly number[],
): number | undefined {
  const fits = (source: number) => source !== line && holds(comparison, lines, line, source);
  const among = numbers.find(fits);
  if (among !== undefined) return among;
  for (let source = 0; source < lines.total; source++) if (fits(source)) return source;
  return undefined;
}

/** All wrong lines hold the line a constant distance away; lines without such a source do not count. */
function guessShift(
  comparison: Comparison,
  lines: Lines,
  numbers: readonly number[],
): PatternGuess | undefined {
  if (numbers.length < 3) return undefined;
  const reach = Math.min(lines.total - 1, MOST_LINES);
  for (let distance = 1; distance <= reach; distance++) {
    for (const shift of [distance, -distance]) {
      const inside = numbers.filter((line) => line + shift >= 0 && line + shift < lines.total);
      if (inside.length * 2 < numbers.length || inside.length < 2) continue;
      if (!inside.every((line) => holds(comparison, lines, line, line + shift))) continue;
      return {
        kind: `shifted-${lines.name}`,
        detail: `wrong ${lines.name} hold what belongs ${Math.abs(shift)} ${shift > 0 ? 'after' : 'before'} them`,
        stage: 'exchange or copy: a wrong start address or offset by one item',
      };
    }
  }
  return undefined;
}

function moveStage(lines: Lines, numbers: readonly number[], sources: ReadonlyMap<number, number>): string {
  const group = (line: number) => Math.floor(line / COLUMN_GROUP);
  const inGroup = numbers.every((line) => group(line) === group(sources.get(line) ?? line));
  if (lines.name === 'columns' && inGroup) {
    return 'kernel or output map: result order inside a group of 16 columns of the matrix unit';
  }
  return lines.name === 'rows'
    ? 'exchange or output map: rows delivered to or read from the wrong place'
    : 'exchange, weight order or output map: columns delivered to or read from the wrong place';
}
