import type { Comparison } from './compare.ts';
import { COLUMN_GROUP } from './error-map.ts';
import type { ErrorMap, PatternGuess } from './judgement.ts';

/** Says where the mismatches sit: smallest region that holds all of them. */
export function guessPlaces(
  comparison: Comparison,
  wrong: readonly number[],
  map: ErrorMap,
): readonly PatternGuess[] {
  const { rows, columns } = map;
  const [firstRow, firstColumn] = [Math.floor(wrong[0] / columns), wrong[0] % columns];
  const guesses: PatternGuess[] = [];
  const total = comparison.reference.values.length;
  if (wrong.length === 1) {
    guesses.push({
      kind: 'single-element',
      detail: `row ${firstRow}, column ${firstColumn}`,
      stage: 'a single word: exchange timing, an overlapping store, or the bound itself',
    });
  } else if (wrong.length === total && total > 1) {
    guesses.push({
      kind: 'everywhere',
      detail: `all ${total} elements`,
      stage: 'plan, kernel or input packing',
    });
  } else if (map.mismatchedRows === 1) {
    guesses.push({
      kind: 'one-row',
      detail: `${wrong.length} of ${columns} elements of row ${firstRow}${edge(firstRow, rows)}`,
      stage: 'left operand row, or the row loop of one worker',
    });
  } else if (map.mismatchedColumns === 1) {
    guesses.push({
      kind: 'one-column',
      detail: `${wrong.length} of ${rows} elements of column ${firstColumn}${edge(firstColumn, columns)}`,
      stage: 'right operand column: one coefficient entry of the matrix unit',
    });
  } else if (sameGroup(wrong, columns)) {
    const group = Math.floor(firstColumn / COLUMN_GROUP);
    guesses.push({
      kind: 'column-group',
      detail: `all in columns ${group * COLUMN_GROUP}..${Math.min(columns, (group + 1) * COLUMN_GROUP) - 1}`,
      stage: 'one group of 16 columns: coefficient panel or its exchange',
    });
  }
  const tiles = map.byLabel['tile'] ?? [];
  if (tiles.length === 1 && wrong.length > 1 && tiles[0].count === map.located) {
    guesses.push({
      kind: 'one-tile',
      detail: `all on tile ${tiles[0].key}`,
      stage: 'program, placement or exchange of that tile',
    });
  }
  if (guesses.length > 0) return guesses;
  return [
    {
      kind: 'scattered',
      detail: `${wrong.length} elements in ${map.mismatchedRows} rows and ${map.mismatchedColumns} columns`,
      stage: 'no simple region',
    },
  ];
}

function edge(line: number, total: number): string {
  if (total < 2) return '';
  if (line === total - 1) return ' (the last)';
  return line === 0 ? ' (the first)' : '';
}

function sameGroup(wrong: readonly number[], columns: number): boolean {
  if (columns <= COLUMN_GROUP) return false;
  const group = Math.floor((wrong[0] % columns) / COLUMN_GROUP);
  return wrong.every((flat) => Math.floor((flat % columns) / COLUMN_GROUP) === group);
}
