import { below, type WordStream, wordStream } from './counter.ts';
import { encodeHalf } from './half.ts';
import { normalOf } from './normal.ts';
import { signatures } from './signature.ts';

/** Largest integer up to which f16 holds every integer. */
export const HALF_INTEGERS = 2048;

/** Inner distance between elements of `cancel` whose partner differs, so that a remainder is left. */
const REMAINDER_STRIDE = 64;

/**
 * A distribution for the two operands of a product left[rows x inner] . right[inner x columns]. Both give
 * row-major f16 storage bits; every element depends on the seed and its index only.
 */
export interface Fill {
  readonly description: string;
  /** Every partial sum, in any order, is exactly representable in f16: results must match bit for bit. */
  readonly exact: boolean;
  left(rows: number, inner: number, seed: bigint): Uint16Array;
  right(inner: number, columns: number, seed: bigint): Uint16Array;
}

/** Largest r with inner * r * r <= 2048, at least 1. */
export function integerRange(inner: number): number {
  return Math.max(1, Math.floor(Math.sqrt(HALF_INTEGERS / inner)));
}

function generate(rows: number, columns: number, at: (row: number, column: number) => number): Uint16Array {
  const bits = new Uint16Array(rows * columns);
  let index = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) bits[index++] = encodeHalf(at(row, column));
  }
  return bits;
}

function normalMatrix(rows: number, columns: number, seed: bigint, deviation: number): Uint16Array {
  const words = wordStream(seed);
  return generate(rows, columns, (row, column) => deviation * normalOf(words(row * columns + column)));
}

/** A normal fill whose results have standard deviation `left * right`. */
function normalFill(left: number, right: number, description: string): Fill {
  return {
    description,
    exact: false,
    left: (rows, inner, seed) => normalMatrix(rows, inner, seed, left),
    right: (inner, columns, seed) => normalMatrix(inner, columns, seed, right / Math.sqrt(inner)),
  };
}

/** A nonzero integer in [-range, range]. */
function nonzeroInteger(word: number, range: number): number {
  const value = below(word, 2 * range) - range;
  return value < 0 ? value : value + 1;
}

/**
 * Nonzero integers within `integerRange`. Beyond 2048 inner values the left operand holds one nonzero per
 * group of ceil(inner / 2048) neighbours, at a place drawn per row, so that no partial exceeds 2048.
 */
function integers(): Fill {
  const dense = (rows: number, columns: number, inner: number, words: WordStream) => {
    const range = integerRange(inner);
    return generate(rows, columns, (row, column) => nonzeroInteger(words(row * columns + column), range));
  };
  return {
    description: 'nonzero integers, range tied to k so that every partial is exact in f16',
    exact: true,
    left(rows, inner, seed) {
      const words = wordStream(seed);
      const group = Math.ceil(inner / HALF_INTEGERS);
      if (group === 1) return dense(rows, inner, inner, words);
      return generate(rows, inner, (row, column) => {
        const first = column - (column % group);
        const word = words(row * inner + first);
        const chosen = first + below(word, Math.min(group, inner - first));
        return column === chosen ? 1 - 2 * (word & 1) : 0;
      });
    },
    right: (inner, columns, seed) => dense(inner, columns, inner, wordStream(seed)),
  };
}

function greatestCommonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** Row r selects inner index (offset + r * step) mod inner; consecutive `inner` rows select each once. */
function rowSelection(inner: number, seed: bigint): (row: number) => number {
  const words = wordStream(seed);
  const offset = below(words(0), inner);
  let step = 1 + below(words(1), inner);
  while (greatestCommonDivisor(step, inner) !== 1) step++;
  return (row) => (offset + row * step) % inner;
}

const onehot: Fill = {
  description: 'rows select one row of a right operand in which every element has its own number',
  exact: true,
  left(rows, inner, seed) {
    const selected = rowSelection(inner, seed);
    return generate(rows, inner, (row, column) => {
      if (column !== selected(row)) return 0;
      return Math.floor(row / inner) % 2 === 0 ? 1 : -1;
    });
  },
  right(inner, columns, seed) {
    const { bitsOf } = signatures(seed);
    return Uint16Array.from({ length: inner * columns }, (_, index) => bitsOf(index));
  },
};

const cancel: Fill = {
  description: 'pairs +x and -x half of k apart, with a small remainder: precision of the partials',
  exact: false,
  left(rows, inner, seed) {
    const words = wordStream(seed);
    const half = Math.floor(inner / 2);
    return generate(rows, inner, (row, column) => {
      const paired = column >= half && column < 2 * half;
      const x = normalOf(words(row * inner + (paired ? column - half : column)));
      return paired ? -x : x;
    });
  },
  right(inner, columns, seed) {
    const words = wordStream(seed);
    const half = Math.floor(inner / 2);
    const deviation = 1 / Math.sqrt(inner);
    return generate(inner, columns, (row, column) => {
      const copied = row >= half && row < 2 * half && (row - half) % REMAINDER_STRIDE !== 0;
      return deviation * normalOf(words((copied ? row - half : row) * columns + column));
    });
  },
};

const identity: Fill = {
  description: 'left operand selects rows in order: the result repeats the right operand',
  exact: true,
  left: (rows, inner) => generate(rows, inner, (row, column) => (column === row % inner ? 1 : 0)),
  right: (inner, columns, seed) => normalMatrix(inner, columns, seed, 1),
};

/** Coordinates modulo 32, so that they fit an exact f16 integer. */
const RAMP = 32;

const ramp: Fill = {
  description:
    'only the first and the last inner index count; for k > 1 the result is 32 * (row mod 32) + column mod 32 + 1',
  exact: true,
  left: (rows, inner) =>
    generate(rows, inner, (row, column) => {
      if (inner === 1) return 1 + (row % RAMP);
      if (column === 0) return row % RAMP;
      return column === inner - 1 ? 1 : 0;
    }),
  right: (inner, columns) =>
    generate(inner, columns, (row, column) => {
      if (row === inner - 1) return 1 + (column % RAMP);
      return row === 0 ? RAMP : 0;
    }),
};

/** All fills by name, in the order of the help text. */
export const FILLS = {
  int: integers(),
  normal: normalFill(1, 1, 'Gaussian; results have standard deviation 1'),
  onehot,
  cancel,
  identity,
  ramp,
  large: normalFill(
    64,
    1024,
    'Gaussian; results have standard deviation 65536: overflow of partials and results',
  ),
  subnormal: normalFill(
    2 ** -9,
    2 ** -9,
    'Gaussian; results have standard deviation 2^-18, below the normal range',
  ),
} as const satisfies Readonly<Record<string, Fill>>;

export type FillName = keyof typeof FILLS;

export const FILL_NAMES = Object.keys(FILLS) as readonly FillName[];
