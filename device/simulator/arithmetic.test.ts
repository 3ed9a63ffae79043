import { describe, expect, it } from 'vitest';
import { a, broadcastLower, broadcastUpper, pair, quad } from '../ipu21/index.ts';
import type { HandInstruction } from './handProgram.ts';
import { type AuxCase, runAux } from './testing/auxiliary.ts';
import {
  halfCode,
  halfValue,
  MODES,
  roundUnits,
  singleCode,
  singleUnits,
  singleValue,
  take,
} from './testing/numbers.ts';

const HALF_EDGES = [
  0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d00,
];
const SINGLE_EDGES = [
  0, 0x80000000, 1, 0x7fffff, 0x800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
  0xff800000, 0x7fc00000, 0x7fa00000,
];

const control = (mode: number, nanOnOverflow = false) => (mode << 16) | (nanOnOverflow ? 1 << 20 : 0);
const halvesOf = (word: number) => [word & 0xffff, word >>> 16];
const wordOf = (low: number, high: number) => (low | (high << 16)) >>> 0;

type Combine = (x: number, y: number) => number;
const largest: Combine = (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y));
const least: Combine = (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y));
const OPERATIONS: Readonly<Record<string, Combine>> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  max: largest,
  min: least,
  absadd: (x, y) => Math.abs(x) + Math.abs(y),
  absmax: (x, y) => largest(Math.abs(x), Math.abs(y)),
};

/** An exact zero of terms with different signs, or of negative ones, is negative when rounding goes down (mode 2). */
function zeroOf(name: string, mode: number, x: number, y: number, value: number): number {
  const second = name === 'sub' ? -y : y;
  const minus = [x, second].some((term) => term < 0 || Object.is(term, -0));
  return value === 0 && mode === 2 && minus && (name === 'add' || name === 'sub') ? -0 : value;
}

describe('f16 arithmetic is exact, then rounded once', () => {
  const pairs = [...HALF_EDGES.flatMap((x) => HALF_EDGES.map((y) => wordOf(x, y))), ...take(1, 60)];
  it.each(Object.entries(OPERATIONS))('f16v2%s', async (name, combine) => {
    const cases: (AuxCase & { expected: number })[] = [];
    for (const mode of MODES) {
      for (const nan of [false, true]) {
        for (const word of pairs.slice(nan ? 100 : 0, nan ? 160 : undefined)) {
          const [x, y] = halvesOf(word).map(halfValue);
          cases.push({
            code: [[`f16v2${name}`, a(2), a(0), a(1)]],
            before: [word, wordOf(...(halvesOf(word).reverse() as [number, number]))],
            control: control(mode, nan),
            expected: wordOf(
              halfCode(zeroOf(name, mode, x, y, combine(x, y)), mode, nan),
              halfCode(zeroOf(name, mode, y, x, combine(y, x)), mode, nan),
            ),
          });
        }
      }
    }
    for (let from = 0; from < cases.length; from += 1200) {
      const some = cases.slice(from, from + 1200);
      const results = await runAux(some);
      expect(results.map(({ after }) => after[2])).toEqual(some.map(({ expected }) => expected));
    }
  });

  it('f16v4 forms and broadcasts take the named elements', async () => {
    const codes = [0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800];
    const before = [
      wordOf(codes[0], codes[1]),
      wordOf(codes[2], codes[3]),
      wordOf(codes[4], codes[5]),
      wordOf(codes[6], codes[7]),
    ];
    const value = codes.map(halfValue);
    const lower = broadcastLower(a(0));
    const upper = broadcastUpper(a(0));
    const forms: [HandInstruction, number[]][] = [
      [
        ['f16v4mul', pair(a(4)), pair(a(0)), pair(a(2))],
        [0, 1, 2, 3],
      ],
      [
        ['f16v4mul.a2aBLa2', pair(a(4)), lower, pair(a(2))],
        [0, 0, 0, 0],
      ],
      [
        ['f16v4mul.a2aBUa2', pair(a(4)), upper, pair(a(2))],
        [1, 1, 1, 1],
      ],
    ];
    const results = await runAux(forms.map(([instruction]) => ({ code: [instruction], before })));
    forms.forEach(([, firsts], index) => {
      const got = [...halvesOf(results[index].after[4]), ...halvesOf(results[index].after[5])];
      expect(got.map(halfValue)).toEqual(firsts.map((first, i) => value[first] * value[4 + i]));
    });
  });
});

describe('f32 arithmetic', () => {
  const numbers = [...SINGLE_EDGES, ...take(7, 12)].filter((code) => Number.isFinite(singleValue(code)));

  it.each(MODES)('sums and products are rounded once, mode %i', async (mode) => {
    const cases: AuxCase[] = [];
    const sums: (number | undefined)[] = [];
    const products: (number | undefined)[] = [];
    const finite = (units: bigint, scale: number) =>
      units === 0n || (units < 0n ? -units : units) >> BigInt(scale) >= 1n << 127n
        ? undefined
        : roundUnits(units, scale, mode);
    for (const x of numbers) {
      for (const y of numbers) {
        cases.push({
          code: [
            ['f32add', a(2), a(0), a(1)],
            ['f32mul', a(3), a(0), a(1)],
          ],
          before: [x, y],
          control: control(mode),
        });
        sums.push(finite(singleUnits(x) + singleUnits(y), 149));
        products.push(finite(singleUnits(x) * singleUnits(y), 298));
      }
    }
    const results = await runAux(cases);
    results.forEach(({ after }, index) => {
      if (sums[index] !== undefined) expect(after[2]).toBe(sums[index]);
      if (products[index] !== undefined) expect(after[3]).toBe(products[index]);
    });
    expect(sums.filter((sum) => sum !== undefined).length).toBeGreaterThan(150);
  });

  it('nearest even agrees with the host on every pair of edges', async () => {
    const names = Object.keys(OPERATIONS);
    const cases = SINGLE_EDGES.flatMap((x) =>
      SINGLE_EDGES.map((y) => ({
        code: names.map((name, index): HandInstruction => {
          const target = index % 2 === 0 ? a(2) : a(3);
          return [`f32${name}`, target, a(0), a(1)];
        }),
        before: [x, y],
        names,
      })),
    );
    for (const [index, name] of names.entries()) {
      const results = await runAux(cases.map(({ code, before }) => ({ code: [code[index]], before })));
      results.forEach(({ after }, position) => {
        const [x, y] = cases[position].before.map(singleValue);
        expect([name, x, y, after[index % 2 === 0 ? 2 : 3]]).toEqual([
          name,
          x,
          y,
          singleCode(OPERATIONS[name](x, y)),
        ]);
      });
    }
  });
});

it('flags stick: invalid, division by zero, overflow', async () => {
  const one = 0x3f800000;
  const cases: [HandInstruction, number[], number][] = [
    [['f32add', a(2), a(0), a(1)], [one, one], 0],
    [['f32add', a(2), a(0), a(1)], [0x7f800000, 0xff800000], 1],
    [['f32mul', a(2), a(0), a(1)], [0x7f7fffff, 0x40000000], 4],
    [['f32mul', a(2), a(0), a(1)], [0x7f800000, 0x40000000], 0],
    [['f32add', a(2), a(0), a(1)], [0x7fc00000, one], 0],
    [['f32add', a(2), a(0), a(1)], [0x7fa00000, one], 1],
    [['f32oox', a(2), a(0)], [0], 2],
    [['f32ln', a(2), a(0)], [0xbf800000], 1],
    [['f32tof16', a(2), a(0)], [0x47800000], 4],
    [['f32tof16', a(2), a(0)], [0x477fe000], 0],
    [['f16v2mul', a(2), a(0), a(1)], [0x7bff7bff, 0x3c003c00], 0],
    [['f16v2mul', a(2), a(0), a(1)], [0x7bff3c00, 0x4000c000], 4],
    [['f32cmpgt', a(2), a(0), a(1)], [0x7fc00000, one], 1],
    [['f32cmpeq', a(2), a(0), a(1)], [0x7fc00000, one], 0],
  ];
  const results = await runAux(cases.map(([instruction, before]) => ({ code: [instruction], before })));
  expect(results.map(({ status }) => status)).toEqual(cases.map(([, , status]) => status));
});

it('an enabled trap stops the tile with a floating point exception', async () => {
  const overflow: AuxCase = {
    code: [['f32mul', a(2), a(0), a(1)]],
    before: [0x7f7fffff, 0x40000000],
    control: 4,
  };
  await expect(runAux([overflow])).rejects.toMatchObject({
    verdict: 'device-fault',
    facts: { code: 5, exception: 'FP' },
  });
  await expect(runAux([{ ...overflow, before: [0x3f800000, 0x40000000] }])).resolves.toHaveLength(1);
  await expect(runAux([{ ...overflow, control: 3 }])).resolves.toHaveLength(1);
});

it('accumulators sum elements, magnitudes and squares; gina and gacc read them', async () => {
  const codes = [0x3c00, 0xc000, 0x4200, 0xc400, 0x4500, 0xc600, 0x4700, 0xc800];
  const before = [0, 1, 2, 3].map((i) => wordOf(codes[2 * i], codes[2 * i + 1]));
  const value = codes.map(halfValue);
  const read: HandInstruction[] = [0, 1, 2, 3].map((i) => [
    'f32v2gina',
    pair(a(i < 2 ? 4 + 2 * i : 2 * i - 4)),
    pair(a(14)),
    0,
  ]);
  const forms: [string, (x: number) => number][] = [
    ['f16v8acc', (x) => x],
    ['f16v8absacc', Math.abs],
    ['f16v8sqacc', (x) => x * x],
  ];
  const results = await runAux(
    forms.map(([name]) => ({ code: [[name, quad(a(0))], [name, quad(a(0))], ...read], before })),
  );
  forms.forEach(([, map], index) => {
    const { after } = results[index];
    const got = [4, 5, 6, 7, 0, 1, 2, 3].map((register) => singleValue(after[register]));
    expect(got).toEqual(value.map((x) => 2 * map(x)));
  });
});

it('products: mac, cmac, outer product, axpy, mix', async () => {
  const s = singleCode;
  const TAS = 0x108;
  const gina = (...targets: number[]): HandInstruction[] =>
    targets.map((target) => ['f32v2gina', pair(a(target)), pair(a(14)), 0]);
  const halves = [wordOf(halfCode(2), halfCode(3)), wordOf(halfCode(5), halfCode(-7))];
  const others = [wordOf(halfCode(11), halfCode(13)), wordOf(halfCode(17), halfCode(19))];
  const singles = [s(2), s(3), s(5), s(7)];
  const results = await runAux([
    { code: [['f32v2mac', pair(a(0)), pair(a(2))], ...gina(4)], before: singles },
    { code: [['f32mac', a(0), a(1)], ['f32mac', a(2), a(3)], ...gina(4)], before: singles },
    { code: [['f16v4cmac', pair(a(0)), pair(a(2))], ...gina(4)], before: [...halves, ...others] },
    { code: [['f16v2cmac', a(0), a(2)], ...gina(4)], before: [...halves, ...others] },
    { code: [['f32v2aop', pair(a(0)), pair(a(2)), 0], ...gina(4, 6)], before: singles },
    {
      code: [
        ['f32v2axpy', pair(a(4)), pair(a(0)), pair(a(2))],
        ['f32v2axpy', pair(a(4)), pair(a(0)), pair(a(2))],
        ...gina(6),
      ],
      before: singles,
      registers: { [TAS]: s(10) },
    },
    {
      code: [
        ['f16v4mix', pair(a(4)), pair(a(0)), pair(a(2))],
        ['f16v4mix', pair(a(4)), pair(a(0)), pair(a(2))],
      ],
      before: [...halves, ...others],
      registers: { [TAS]: wordOf(halfCode(2), halfCode(-1)) },
    },
  ]);
  const numbers = (index: number, from: number, count: number) =>
    results[index].after.slice(from, from + count).map(singleValue);
  expect(numbers(0, 4, 2)).toEqual([2 * 5, 3 * 7]);
  expect(numbers(1, 4, 2)).toEqual([2 * 3 + 5 * 7, 0]);
  expect(numbers(2, 4, 2)).toEqual([2 * 11 + 3 * 13, 5 * 17 - 7 * 19]);
  expect(numbers(3, 4, 2)).toEqual([2 * 11 + 3 * 13, 0]);
  expect(numbers(4, 4, 4)).toEqual([2 * 5, 3 * 5, 2 * 7, 3 * 7]);
  expect(numbers(5, 4, 4)).toEqual([25, 37, 25, 37]);
  expect([4, 5].flatMap((register) => halvesOf(results[6].after[register])).map(halfValue)).toEqual([
    2 * 2 - 11,
    2 * 3 - 13,
    2 * 5 - 17,
    -2 * 7 - 19,
  ]);
});

it('istacc and stacc transpose a block of 4 x 4 halves', async () => {
  const row = (r: number) => [wordOf(16 * r, 16 * r + 1), wordOf(16 * r + 2, 16 * r + 3)];
  const results = await runAux([
    {
      code: [
        ['f16v4istacc', pair(a(14)), pair(a(0)), pair(a(2)), 0],
        ['f16v4istacc', pair(a(14)), pair(a(4)), pair(a(6)), 1],
        ['f16v4stacc', pair(a(0)), 0],
        ['f16v4stacc', pair(a(2)), 1],
        ['f16v4istacc', pair(a(4)), pair(a(14)), pair(a(14)), 0],
        ['f16v4istacc', pair(a(6)), pair(a(14)), pair(a(14)), 1],
      ],
      before: [0, 1, 2, 3].flatMap(row),
    },
  ]);
  expect(results[0].after.flatMap(halvesOf)).toEqual(
    [0, 1, 2, 3].flatMap((c) => [0, 1, 2, 3].map((r) => 16 * r + c)),
  );
});

it('every NaN that leaves an instruction as f32 is the same one', async () => {
  const NAN = 0x7fc00000;
  const results = await runAux([
    { code: [['f16tof32', a(1), a(0)]], before: [0xfe01] },
    { code: [['f16v2tof32', pair(a(2)), a(0)]], before: [0xff217d01] },
    { code: [['f32add', a(2), a(0), a(1)]], before: [0xffc12345, 0x3f800000] },
    { code: [['f32sub', a(2), a(0), a(1)]], before: [0x7f800000, 0x7f800000] },
    {
      code: [
        ['f32mac', a(0), a(1)],
        ['f32v2gina', pair(a(2)), pair(a(14)), 0],
      ],
      before: [0x7f800000, 0],
    },
    {
      code: [
        ['f32v4acc', quad(a(0))],
        ['f32v2gina', pair(a(4)), pair(a(14)), 0],
      ],
      before: [0xffc54321, 0x3f800000, 0, 0],
    },
  ]);
  expect(results.map(({ after }) => after.filter((code) => Number.isNaN(singleValue(code))))).toEqual([
    [NAN],
    [NAN, NAN],
    [0xffc12345, NAN],
    [NAN],
    [NAN],
    [0xffc54321, NAN],
  ]);
});
