import { HALF_INFINITY, HALF_NAN } from '../fill/index.ts';
import {
  coarse,
  edit,
  exchanged,
  type Mutation,
  mapValues,
  move,
  recompute,
  same,
  truncate,
} from './mutation.ts';

const everywhere = { int: 'caught', normal: 'caught', onehot: 'caught' } as const;

/** Order in which the matrix unit leaves its 16 columns when weights are loaded in natural order [SW]. */
const UNIT_ORDER = [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15];

const BLOCK = 16;

/**
 * Defects a judge of GEMM results must notice. Not every fill can see every defect: exact integers and one-hot
 * rows are blind to rounding, a bound is blind to errors of the size of a rounding.
 */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'one NaN',
    ...everywhere,
    pattern: 'nan-spread',
    apply: edit((codes, at) => {
      codes[at(7, 33)] = HALF_NAN;
    }),
  },
  {
    name: 'one infinity',
    ...everywhere,
    apply: edit((codes, at) => {
      codes[at(7, 33)] = HALF_INFINITY;
    }),
  },
  {
    name: 'a row of NaN',
    ...everywhere,
    pattern: 'nan-spread',
    apply: edit((codes, at, { n }) => {
      codes.fill(HALF_NAN, at(9, 0), at(9, 0) + n);
    }),
  },
  {
    name: 'one element one step off',
    int: 'caught',
    normal: 'missed',
    onehot: 'caught',
    pattern: 'single-element',
    apply: edit((codes, at) => {
      codes[at(20, 50)] ^= 1;
    }),
  },
  {
    name: 'one element 64 steps off',
    ...everywhere,
    pattern: 'single-element',
    apply: edit((codes, at) => {
      codes[at(20, 50)] ^= 64;
    }),
  },
  {
    name: 'one sign flipped',
    ...everywhere,
    pattern: 'single-element',
    apply: edit((codes, at) => {
      codes[at(20, 50)] ^= 0x8000;
    }),
  },
  {
    name: 'columns 0 and 80 exchanged',
    ...everywhere,
    pattern: 'swapped-columns',
    apply: move(same, exchanged(0, 80)),
  },
  {
    name: 'columns 0 and 1 exchanged',
    ...everywhere,
    pattern: 'swapped-columns',
    apply: move(same, exchanged(0, 1)),
  },
  {
    name: 'rows 0 and 5 exchanged',
    ...everywhere,
    pattern: 'swapped-rows',
    apply: move(exchanged(0, 5), same),
  },
  {
    name: 'rows one too far',
    ...everywhere,
    pattern: 'shifted-rows',
    apply: move((row) => Math.max(0, row - 1), same),
  },
  {
    name: 'columns one too early',
    ...everywhere,
    pattern: 'shifted-columns',
    apply: move(same, (column, n) => Math.min(n - 1, column + 1)),
  },
  {
    name: 'columns in the order of the matrix unit',
    ...everywhere,
    pattern: 'permuted-columns',
    apply: move(same, (column, n) => {
      const first = column - (column % BLOCK);
      return first + BLOCK <= n ? first + UNIT_ORDER[column - first] : column;
    }),
  },
  {
    name: 'a 16 x 16 block transposed',
    ...everywhere,
    apply: ({ output, n }) => ({
      codes: output.map((code, flat) => {
        const [row, column] = [Math.floor(flat / n), flat % n];
        return row < BLOCK && column < BLOCK ? output[column * n + row] : code;
      }),
    }),
  },
  {
    name: 'two blocks of columns exchanged in the first rows',
    ...everywhere,
    apply: ({ output, n }) => ({
      codes: output.map((code, flat) => {
        const column = flat % n;
        if (Math.floor(flat / n) >= BLOCK || column >= 2 * BLOCK) return code;
        return output[column < BLOCK ? flat + BLOCK : flat - BLOCK];
      }),
    }),
  },
  {
    name: 'last inner value dropped',
    ...everywhere,
    apply: recompute(({ k }) => ({ times: (inner) => (inner === k - 1 ? 0 : 1) })),
  },
  {
    name: 'an inner block dropped',
    ...everywhere,
    pattern: 'missing-k-block',
    apply: recompute(() => ({ times: (inner) => (Math.floor(inner / BLOCK) === 2 ? 0 : 1) })),
  },
  {
    name: 'an inner block counted twice',
    ...everywhere,
    pattern: 'repeated-k-block',
    apply: recompute(() => ({ times: (inner) => (Math.floor(inner / BLOCK) === 1 ? 2 : 1) })),
  },
  {
    name: 'rows 10 and 15 of B exchanged',
    ...everywhere,
    apply: recompute(({ b, n }) => {
      const source = exchanged(10, 15);
      return { b: b.map((_, flat) => b[source(Math.floor(flat / n)) * n + (flat % n)]) };
    }),
  },
  {
    name: 'A read one inner value too late',
    ...everywhere,
    apply: recompute(({ a }) => ({ a: a.map((_, flat) => a[Math.min(a.length - 1, flat + 1)]) })),
  },
  {
    name: 'last row not written',
    ...everywhere,
    pattern: 'unwritten',
    apply: edit((codes, at, { m, n, canary }) => {
      codes.fill(canary, at(m - 1, 0), at(m - 1, 0) + n);
    }),
  },
  {
    name: 'every sixth row not written',
    ...everywhere,
    pattern: 'unwritten',
    apply: edit((codes, at, { m, n, canary }) => {
      for (let row = 5; row < m; row += 6) codes.fill(canary, at(row, 0), at(row, 0) + n);
    }),
  },
  {
    name: 'last 16 elements zero',
    ...everywhere,
    pattern: 'zeroed',
    apply: edit((codes) => {
      codes.fill(0, codes.length - 16);
    }),
  },
  {
    name: 'a group of 16 columns zero',
    ...everywhere,
    pattern: 'zeroed',
    apply: edit((codes, at, { m }) => {
      for (let row = 0; row < m; row++) codes.fill(0, at(row, 32), at(row, 48));
    }),
  },
  {
    name: 'buffer untouched',
    ...everywhere,
    pattern: 'unwritten',
    apply: ({ output, canary }) => ({ codes: output.map(() => canary) }),
  },
  {
    name: 'all zero',
    ...everywhere,
    pattern: 'zeroed',
    apply: ({ output }) => ({ codes: output.map(() => 0) }),
  },
  { name: 'all equal', ...everywhere, apply: ({ output }) => ({ codes: output.map(() => output[0]) }) },
  { name: 'result of the previous run', ...everywhere, apply: ({ previous }) => ({ codes: previous }) },
  { name: 'gain 1.01', ...everywhere, pattern: 'gain', apply: mapValues((value) => 1.01 * value) },
  {
    name: 'gain 1.0005',
    ...everywhere,
    apply: mapValues((value) => 1.0005 * value),
  },
  { name: 'negated', ...everywhere, pattern: 'gain', apply: mapValues((value) => -value) },
  { name: 'offset 1/8', ...everywhere, pattern: 'offset', apply: mapValues((value) => value + 0.125) },
  { name: 'absolute values', ...everywhere, apply: mapValues(Math.abs) },
  {
    name: 'partials rounded after every product',
    int: 'missed',
    normal: 'caught',
    onehot: 'missed',
    pattern: 'precision',
    apply: recompute(() => ({ every: 1 })),
  },
  {
    name: 'partials truncated',
    int: 'missed',
    normal: 'caught',
    onehot: 'missed',
    pattern: 'precision',
    apply: recompute(() => ({ round: truncate })),
  },
  {
    name: 'partials kept to 7 fraction bits',
    int: 'caught',
    normal: 'caught',
    onehot: 'caught',
    apply: recompute(() => ({ round: coarse(7) })),
  },
  {
    name: 'one element not covered',
    ...everywhere,
    apply: ({ output }) => ({ codes: output, covered: output.length - 1 }),
  },
  { name: 'padding overwritten', ...everywhere, apply: ({ output }) => ({ codes: output, padding: 1 }) },
];
