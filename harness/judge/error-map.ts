import type { PhysicalPlace } from '../ports.ts';
import { formatCode, ulpDistance } from './codec.ts';
import { type Comparison, STATUS } from './compare.ts';
import type { ErrorMap, JudgeContext, Mismatch, Tally } from './judgement.ts';

/** Columns the matrix unit works on at once. */
export const COLUMN_GROUP = 16;

/** Longest list of a tally. */
const LISTED = 16;

/** Most mismatches that are located; beyond it every n-th one is. */
const MOST_LOCATED = 16_384;

const DEFAULT_SHOWN = 16;

/** Rows (all leading dimensions flattened) and columns of a shape. */
export function planeOf(shape: readonly number[]): { rows: number; columns: number } {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
  return { rows, columns };
}

/** Flat indices of all wrong elements, ascending. */
export function wrongElements(comparison: Comparison): readonly number[] {
  const wrong: number[] = [];
  const { status } = comparison;
  for (let index = 0; index < status.length; index++) if (status[index] !== STATUS.right) wrong.push(index);
  return wrong;
}

function unflatten(shape: readonly number[], flat: number): number[] {
  const index: number[] = [];
  let rest = flat;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  return index;
}

/** Finds the place of a flat element. */
export function locator(
  comparison: Comparison,
  context: JudgeContext,
): (flat: number) => PhysicalPlace | undefined {
  const { tensor, shape } = comparison.reference;
  return (flat) => context.locate?.(tensor, unflatten(shape, flat));
}

/** The first wrong elements in row-major order, with all that is known about each. */
export function listMismatches(
  comparison: Comparison,
  context: JudgeContext,
  wrong: readonly number[],
): readonly Mismatch[] {
  const { codec, observed, expected, reference, status } = comparison;
  const placeOf = locator(comparison, context);
  return wrong.slice(0, context.shown ?? DEFAULT_SHOWN).map((flat) => {
    const output = codec.decode(observed[flat]);
    const value = reference.exact ? codec.decode(expected[flat]) : reference.values[flat];
    const place = placeOf(flat);
    const origin = reference.originOf?.(output);
    const kind = (['value', 'value', 'class', 'unwritten'] as const)[status[flat]];
    return {
      kind,
      flat,
      index: unflatten(reference.shape, flat),
      observed: output,
      observedCode: formatCode(codec, observed[flat]),
      expected: value,
      expectedCode: formatCode(codec, expected[flat]),
      error: output - value,
      bound: reference.exact ? 0 : reference.bound[flat],
      ulps: ulpDistance(codec, observed[flat], expected[flat]),
      ...(place === undefined ? {} : { place }),
      ...(origin === undefined ? {} : { origin }),
    };
  });
}

function tallies(counts: ReadonlyMap<number, number>): readonly Tally[] {
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || a.key - b.key)
    .slice(0, LISTED);
}

function add(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Counts the wrong elements by row, column, lane and every label of their place. */
export function buildErrorMap(
  comparison: Comparison,
  context: JudgeContext,
  wrong: readonly number[],
): ErrorMap {
  const { rows, columns } = planeOf(comparison.reference.shape);
  const byRow = new Map<number, number>();
  const byColumn = new Map<number, number>();
  const byLane = new Map<number, number>();
  for (const flat of wrong) {
    add(byRow, Math.floor(flat / columns));
    add(byColumn, flat % columns);
    add(byLane, (flat % columns) % COLUMN_GROUP);
  }
  const byLabel = new Map<string, Map<number, number>>();
  const placeOf = locator(comparison, context);
  const stride = Math.ceil(wrong.length / MOST_LOCATED);
  let located = 0;
  for (let position = 0; position < wrong.length; position += stride) {
    const place = placeOf(wrong[position]);
    if (place === undefined) continue;
    located++;
    for (const [label, key] of Object.entries({ tile: place.tile, ...place.labels })) {
      const counts = byLabel.get(label) ?? new Map<number, number>();
      byLabel.set(label, counts);
      add(counts, key);
    }
  }
  return {
    rows,
    columns,
    mismatchedRows: byRow.size,
    mismatchedColumns: byColumn.size,
    byRow: tallies(byRow),
    byColumn: tallies(byColumn),
    byLane: tallies(byLane),
    byLabel: Object.fromEntries([...byLabel].map(([label, counts]) => [label, tallies(counts)])),
    located,
  };
}
