import { describe, expect, test } from 'vitest';
import { encodeHalf } from '../fill/index.ts';
import { judge } from './index.ts';
import { output, reference } from './test-tensors.ts';

const [ROWS, COLUMNS] = [10, 40];
/** Values without symmetry: no two rows, columns or elements agree. */
const VALUES = Array.from({ length: ROWS * COLUMNS }, (_, at) => {
  const [row, column] = [Math.floor(at / COLUMNS), at % COLUMNS];
  return (((row * 7 + column * 3 + row * column) % 23) - 11) / 4 + column / 64 + row / 32;
});

/** The patterns named for an output that is right except where `change` says otherwise. */
function patterns(change: (row: number, column: number, value: number) => number, bound = 0.004) {
  const codes = VALUES.map((value, at) => encodeHalf(change(Math.floor(at / COLUMNS), at % COLUMNS, value)));
  return judge(reference(VALUES, COLUMNS, { bound }), output(codes, COLUMNS)).patterns;
}

const at = (row: number, column: number) => VALUES[row * COLUMNS + column];
const noise = (row: number, column: number) => 3 + ((row * 13 + column * 29) % 17) / 3;

describe('places', () => {
  test.each([
    [
      'one-row',
      'all columns of row 9',
      (row: number) => row === 9,
      /40 of 40 elements of row 9 \(the last\)/,
    ],
    [
      'one-row',
      'part of row 4',
      (row: number, column: number) => row === 4 && column > 30,
      /9 of 40 elements of row 4$/,
    ],
    [
      'one-column',
      'column 0',
      (_: number, column: number) => column === 0,
      /10 of 10 elements of column 0 \(the first\)/,
    ],
    [
      'column-group',
      'columns 18 and 25',
      (_: number, column: number) => column === 18 || column === 25,
      /columns 16\.\.31/,
    ],
    [
      'column-group',
      'the tail group',
      (row: number, column: number) => column > 33 && row % 2 === 0,
      /columns 32\.\.39/,
    ],
    ['everywhere', 'every element', () => true, /all 400 elements/],
    [
      'scattered',
      'a diagonal',
      (row: number, column: number) => column === 3 * row,
      /10 elements in 10 rows and 10 columns/,
    ],
  ] as const)('%s: %s', (kind, _, wrong, detail) => {
    const found = patterns((row, column, value) => (wrong(row, column) ? value + noise(row, column) : value));
    expect(found).toHaveLength(1);
    expect(found[0].kind).toBe(kind);
    expect(found[0].detail).toMatch(detail);
    expect(found[0].stage).not.toBe('');
  });
});

describe('causes', () => {
  test('rows and columns that hold others', () => {
    const swapRows = (row: number) => [0, 6, 2, 3, 4, 5, 1, 7, 8, 9][row];
    expect(patterns((row, column) => at(swapRows(row), column))[0]).toMatchObject({
      kind: 'swapped-rows',
      detail: 'rows 1 and 6 are exchanged',
    });
    expect(patterns((row, column) => at(row, Math.max(0, column - 2)))[0]).toMatchObject({
      kind: 'shifted-columns',
      detail: 'wrong columns hold what belongs 2 before them',
    });
    expect(patterns((row, column) => at(row, column ^ 1))[0]).toMatchObject({
      kind: 'permuted-columns',
      stage: expect.stringContaining('group of 16 columns'),
    });
    expect(patterns((row, column) => at(row === 3 ? 8 : row, column))[0]).toMatchObject({
      kind: 'permuted-rows',
      detail: '1 of 1 wrong rows hold others: 3<-8',
    });
  });

  test('gain, offset, negation', () => {
    expect(patterns((_r, _c, value) => 1.25 * value)[0].detail).toBe('output = 1.25000 x reference');
    expect(patterns((_r, _c, value) => -value)[0].detail).toBe('output = -1.00000 x reference');
    expect(patterns((_r, _c, value) => value + 0.5)[0].detail).toBe('output = reference + 0.500000');
  });

  test('small errors everywhere are read as rounding, large ones are not', () => {
    const ripple = (scale: number) =>
      patterns((row, column, value) => value + scale * (((row * 5 + column * 11) % 7) - 3));
    expect(ripple(0.004)[0].kind).toBe('precision');
    expect(ripple(1).map((guess) => guess.kind)).not.toContain('precision');
  });

  test('a missing inner block is named from the contributions', () => {
    const parts = (element: number) =>
      Float64Array.of(VALUES[element] - 2, 1 + (element % 5) / 8, 1 - (element % 5) / 8);
    const codes = VALUES.map((value, element) =>
      encodeHalf(value - (element % 3 === 0 ? parts(element)[1] : 0)),
    );
    const target = { ...reference(VALUES, COLUMNS), contributions: parts };
    expect(judge(target, output(codes, COLUMNS)).patterns[0]).toMatchObject({
      kind: 'missing-k-block',
      detail: expect.stringContaining('inner block 1 of 3'),
    });
  });
});
