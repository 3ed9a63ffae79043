import { describe, expect, it } from 'vitest';
import { a, CSR, pair, quad } from '../ipu21/index.ts';
import { type AuxCase, runAux } from './testing/auxiliary.ts';
import {
  halfCode,
  halfValue,
  MODES,
  type Mode,
  quarterCode,
  singleCode,
  singleValue,
  take,
} from './testing/numbers.ts';

const wordOf = (low: number, high: number) => (low | (high << 16)) >>> 0;
const halvesOf = (word: number) => [word & 0xffff, word >>> 16];
const bytesOf = (word: number) => [0, 8, 16, 24].map((at) => (word >>> at) & 0xff);
const EDGES = [0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00];
const SINGLE_EDGES = EDGES.map((code) => singleCode(halfValue(code)));

const RELATIONS: Readonly<Record<string, (x: number, y: number) => boolean>> = {
  eq: (x, y) => x === y,
  ne: (x, y) => x !== y,
  gt: (x, y) => x > y,
  ge: (x, y) => x >= y,
  lt: (x, y) => x < y,
  le: (x, y) => x <= y,
};

it.each(Object.entries(RELATIONS))('cmp%s gives all ones where it holds', async (name, holds) => {
  const pairs = EDGES.flatMap((x) => EDGES.map((y) => [x, y] as const));
  const results = await runAux(
    pairs.map(([x, y]) => ({
      code: [
        [`f16v2cmp${name}`, a(2), a(0), a(1)],
        [`f32cmp${name}`, a(3), a(4), a(5)],
      ],
      before: [wordOf(x, y), wordOf(y, x), 0, 0, singleCode(halfValue(x)), singleCode(halfValue(y))],
    })),
  );
  pairs.forEach(([x, y], index) => {
    const forward = holds(halfValue(x), halfValue(y));
    const backward = holds(halfValue(y), halfValue(x));
    expect(results[index].after[2]).toBe(wordOf(forward ? 0xffff : 0, backward ? 0xffff : 0));
    expect(results[index].after[3]).toBe(forward ? 0xffffffff : 0);
  });
});

it('clamps, classes, sums and maxima across lanes', async () => {
  const halves = [halfCode(-3), halfCode(0.5), halfCode(9), 0x7e00];
  const words = [wordOf(halves[0], halves[1]), wordOf(halves[2], halves[3])];
  const [clamp, classes, sums, maxima, singleClamp] = await runAux([
    {
      code: [['f16v4clamp', pair(a(4)), pair(a(0)), a(2)]],
      before: [...words, wordOf(halfCode(-1), halfCode(2))],
    },
    {
      code: [
        ['f16v4class', a(4), pair(a(0))],
        ['f32class', a(5), a(2)],
        ['f16v2class', a(6), a(3)],
      ],
      before: [wordOf(0x8000, 0x7e00), wordOf(0x3c00, 0xfc00), 0x7fc00000, wordOf(0x7d00, 0x0001)],
    },
    {
      code: [
        ['f16v4sum', pair(a(4)), pair(a(0))],
        ['f16v2sum', a(6), a(0)],
      ],
      before: [words[0], wordOf(0x7bff, 0x7bff)],
    },
    {
      code: [
        ['f16v4maxc', a(4), pair(a(0))],
        ['f16v2maxc', a(5), a(0)],
      ],
      before: words,
    },
    {
      code: [['f32v2clamp', pair(a(4)), pair(a(0)), pair(a(2))]],
      before: [singleCode(-7), singleCode(0.25), singleCode(-2), singleCode(0)],
    },
  ]);
  // A number wins over NaN, so NaN becomes the lower limit.
  expect([...halvesOf(clamp.after[4]), ...halvesOf(clamp.after[5])].map(halfValue)).toEqual([-1, 0.5, 2, -1]);
  expect(bytesOf(classes.after[4])).toEqual([5, 2, 9, 3]);
  expect(classes.after[5]).toBe(2);
  expect(classes.after[6]).toBe(0x0701);
  expect(sums.after.slice(4, 7).map(singleValue)).toEqual([-2.5, 131008, -2.5]);
  expect(maxima.after[4]).toBe(wordOf(halfCode(0.5), halfCode(9)));
  expect(maxima.after[5]).toBe(wordOf(halfCode(0.5), halfCode(0.5)));
  expect(singleClamp.after.slice(4, 6).map(singleValue)).toEqual([-2, 0]);
});

describe('elementary functions are correctly rounded', () => {
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const FUNCTIONS: Readonly<Record<string, (x: number) => number>> = {
    exp: Math.exp,
    exp2: (x) => 2 ** x,
    ln: Math.log,
    log2: Math.log2,
    tanh: Math.tanh,
    sigm: sigmoid,
    oox: (x) => 1 / x,
    oorx: (x) => 1 / Math.sqrt(x),
    sqrt: Math.sqrt,
  };
  const arguments_ = [
    ...SINGLE_EDGES,
    ...take(3, 60).map((word) => singleCode(((word / 2 ** 32) * 2 - 1) * 20)),
    ...take(4, 40).map((word) => singleCode(2 ** ((word % 40) - 20))),
  ];
  /** All codes that a value known to a few parts in 1e15 may round to. */
  const candidates = (value: number, round: (x: number) => number) =>
    new Set([value, value * (1 + 2e-15), value * (1 - 2e-15)].map(round));

  it.each(Object.entries(FUNCTIONS))('f32%s', async (name, of) => {
    const results = await runAux(
      arguments_.map((x) => ({ code: [[`f32${name}`, a(1), a(0)]], before: [x] })),
    );
    arguments_.forEach((x, index) => {
      const expected = candidates(of(singleValue(x)), singleCode);
      expect(expected, `${name}(${singleValue(x)})`).toContain(results[index].after[1]);
    });
  });

  it.each(['exp', 'exp2', 'ln', 'log2', 'tanh', 'sigm'])('f16v2%s', async (name) => {
    const codes = [...EDGES, ...take(5, 80).map((word) => word & 0xffff)];
    const results = await runAux(
      codes.map((x) => ({ code: [[`f16v2${name}`, a(1), a(0)]], before: [wordOf(x, 0x3c00)] })),
    );
    codes.forEach((x, index) => {
      const expected = candidates(FUNCTIONS[name](halfValue(x)), (value) => halfCode(value));
      expect(expected, `${name}(${halfValue(x)})`).toContain(halvesOf(results[index].after[1])[0]);
      expect(halvesOf(results[index].after[1])[1]).toBe(halfCode(FUNCTIONS[name](1)));
    });
  });

  it('f32div', async () => {
    const codes = [...SINGLE_EDGES, ...take(6, 10)];
    const pairs = codes.flatMap((x) => codes.map((y) => [x, y]));
    const results = await runAux(pairs.map((before) => ({ code: [['f32div', a(2), a(0), a(1)]], before })));
    expect(results.map(({ after }) => after[2])).toEqual(
      pairs.map(([x, y]) => singleCode(singleValue(x) / singleValue(y))),
    );
  });
});

describe('conversions', () => {
  const round: Readonly<Record<Mode, (x: number) => number>> = {
    0: (x) => {
      const low = Math.floor(x);
      return x - low === 0.5 ? (low % 2 === 0 ? low : low + 1) : Math.round(x);
    },
    1: Math.ceil,
    2: Math.floor,
    3: Math.trunc,
    4: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  };

  it.each(MODES)('f32 to integers and integral f32, mode %i', async (mode) => {
    const values = [0, -0, 0.5, -0.5, 1.5, -1.5, 2.5, 3.49, -3.51, 1e9, -1e9, 3e9, -3e9, 5e9, 2147483648];
    const results = await runAux(
      values.map((value) => ({
        code: [
          ['f32toi32', a(1), a(0)],
          ['f32toui32', a(2), a(0)],
          ['f32int', a(3), a(0), mode],
        ],
        before: [singleCode(value)],
        control: mode << 16,
      })),
    );
    const clip = (x: number, low: number, high: number) => Math.min(high, Math.max(low, x));
    values.forEach((value, index) => {
      const rounded = round[mode](Math.fround(value));
      const { after } = results[index];
      expect(after[1] | 0).toBe(clip(rounded, -(2 ** 31), 2 ** 31 - 1) | 0);
      expect(after[2]).toBe(clip(rounded, 0, 2 ** 32 - 1) >>> 0);
      expect(singleValue(after[3]) + 0).toBe(rounded + 0);
    });
  });

  it('integers to f32 round once', async () => {
    const numbers = [0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x01000001, 0x01000003, 0x80000081];
    const results = await runAux(
      numbers.map((word) => ({
        code: [
          ['f32fromi32', a(1), a(0)],
          ['f32fromui32', a(2), a(0)],
        ],
        before: [word],
      })),
    );
    numbers.forEach((word, index) => {
      expect(results[index].after[1]).toBe(singleCode(word | 0));
      expect(results[index].after[2]).toBe(singleCode(word));
    });
  });

  it('unsigned fractions never give zero', async () => {
    const [low, middle] = await runAux([
      {
        code: [
          ['f16v2sufromui', a(2), a(0)],
          ['f32sufromui', a(3), a(1)],
        ],
        before: [wordOf(0, 0xffff), 0],
      },
      {
        code: [
          ['f16v2sufromui', a(2), a(0)],
          ['f32sufromui', a(3), a(1)],
        ],
        before: [wordOf(0x8000, 0x7fff), 0x80000000],
      },
    ]);
    expect(halvesOf(low.after[2])).toEqual([halfCode(0.5 / 65536 - 0.5), halfCode(0.5 - 0.5 / 65536)]);
    expect(halvesOf(middle.after[2]).map(halfValue)).toEqual([2 ** -17, -(2 ** -17)]);
    expect(singleValue(low.after[3])).toBe(-0.5);
    expect(singleValue(middle.after[3])).toBe(2 ** -33);
  });

  it.each(['f143', 'f152'] as const)(
    '%s: all codes to f16, and f16 back with scale and every mode',
    async (format) => {
      const FORMAT = CSR.FP_NFMT;
      const SCALE = CSR.FP_SCL;
      const bit = format === 'f143' ? 1 : 0;
      const codes = take(8, 90)
        .map((word) => word & 0xffff)
        .concat(EDGES);
      const cases: (AuxCase & { expected: number })[] = [];
      for (const mode of MODES) {
        for (const scale of [0, -3, 4]) {
          for (const nan of [false, true]) {
            for (let at = 0; at + 2 <= codes.length; at += 2) {
              const [x, y] = [codes[at], codes[at + 1]];
              const convert = (code: number) => quarterCode(halfValue(code) * 2 ** scale, format, mode, nan);
              cases.push({
                code: [['f16v2tof8', a(1), a(0)]],
                before: [wordOf(x, y)],
                control: (mode << 16) | (nan ? 1 << 20 : 0),
                registers: { [FORMAT]: bit, [SCALE]: scale & 63 },
                expected: convert(x) | (convert(y) << 8),
              });
            }
          }
        }
      }
      for (let from = 0; from < cases.length; from += 900) {
        const some = cases.slice(from, from + 900);
        const results = await runAux(some);
        expect(results.map(({ after }) => after[1])).toEqual(some.map(({ expected }) => expected));
      }
      const back = await runAux(
        Array.from({ length: 64 }, (_, word) => ({
          code: [
            ['f8v4tof16', pair(a(2)), a(0)],
            ['f16v8tof8', pair(a(6)), quad(a(0))],
          ],
          before: [(word * 4 + 0x03020100 + word * 0x04040400) >>> 0],
          registers: { [FORMAT]: bit, [SCALE]: 0 },
        })),
      );
      back.forEach(({ after }, word) => {
        const codes4 = [0, 1, 2, 3].map((i) => (4 * word + i) & 0xff);
        expect(
          [after[2], after[3]].flatMap(halvesOf).map((code) => quarterCode(halfValue(code), format)),
        ).toEqual(codes4.map((code) => (Number.isNaN(code) ? 0x80 : code)));
        expect(bytesOf(after[7])).toEqual(codes4);
      });
    },
  );
});

describe('random numbers', () => {
  const seeds = (seed: number) => {
    const s = BigInt(seed >>> 0);
    const n = BigInt(~seed >>> 0);
    const mask = 0xffffffffn;
    const third = ((s << 13n) & mask) | (n >> 19n);
    const fourth = ((n << 13n) & mask) | (s >> 19n);
    return [s | (n << 32n), third | (fourth << 32n)];
  };
  /** The published generator, in whole numbers. */
  function* draws(seed: number): Generator<bigint> {
    let [s0, s1] = seeds(seed);
    const word = (x: bigint) => BigInt.asUintN(64, x);
    const turn = (x: bigint, n: bigint) => word(x << n) | (x >> (64n - n));
    for (;;) {
      const mixed = s0 ^ s1;
      const both = s0 & s1;
      s0 = turn(s0, 55n) ^ mixed ^ word(mixed << 14n);
      s1 = turn(mixed, 36n);
      yield mixed ^ (turn(both, 1n) | turn(both, 2n));
    }
  }

  it('a seed gives the published sequence', async () => {
    const seed = 0x1234567;
    const [{ after }] = await runAux([
      {
        code: [
          ['urand64', pair(a(0))],
          ['urand64', pair(a(2))],
          ['urand32', a(4)],
        ],
        before: [],
        registers: { [CSR.PRNG_SEED]: seed },
      },
    ]);
    const source = draws(seed);
    const next = () => source.next().value as bigint;
    const first = next();
    const second = next();
    const third = next();
    const low = (x: bigint) => Number(x & 0xffffffffn);
    expect(after.slice(0, 5)).toEqual([
      low(first),
      low(first >> 32n),
      low(second),
      low(second >> 32n),
      low(third),
    ]);
  });

  it('rmask keeps all, none, or a share', async () => {
    const ones = wordOf(0x3c00, 0x3c00);
    const run = (chance: number, count: number) =>
      runAux(
        Array.from({ length: count }, (_, index) => ({
          code: [['f16v4rmask', pair(a(4)), pair(a(0)), a(2)]],
          before: [ones, ones, chance],
          registers: { [CSR.PRNG_SEED]: index * 977 + 1 },
        })),
      );
    const kept = (results: readonly { after: readonly number[] }[]) =>
      results.flatMap(({ after }) => [after[4], after[5]].flatMap(halvesOf)).filter((code) => code === 0x3c00)
        .length;
    expect(kept(await run(0x10000, 4))).toBe(16);
    expect(kept(await run(0, 4))).toBe(0);
    const quarter = kept(await run(0x4000, 200));
    expect(quarter).toBeGreaterThan(140);
    expect(quarter).toBeLessThan(260);
  });

  it('Gaussians have mean 0 and variance 1', async () => {
    const count = 400;
    const results = await runAux(
      Array.from({ length: count }, (_, index) => ({
        code: [
          ['f32v2grand', pair(a(0))],
          ['f16v2grand', a(2)],
        ],
        before: [],
        registers: { [CSR.PRNG_SEED]: index * 7919 + 3 },
      })),
    );
    const numbers = results.flatMap(({ after }) => [
      ...after.slice(0, 2).map(singleValue),
      ...halvesOf(after[2]).map(halfValue),
    ]);
    const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length;
    expect(Math.abs(mean)).toBeLessThan(0.1);
    expect(variance).toBeGreaterThan(0.85);
    expect(variance).toBeLessThan(1.15);
  });

  it('stochastic rounding gives a neighbour, right on average', async () => {
    const ESR = 1 << 19;
    const value = 1 + 2 ** -10 * 0.25;
    const results = await runAux(
      Array.from({ length: 400 }, (_, index) => ({
        code: [['f32tof16', a(1), a(0)]],
        before: [singleCode(value)],
        control: ESR,
        registers: { [CSR.PRNG_SEED]: index * 31337 + 11 },
      })),
    );
    const codes = results.map(({ after }) => after[1] & 0xffff);
    expect(new Set(codes)).toEqual(new Set([0x3c00, 0x3c01]));
    const share = codes.filter((code) => code === 0x3c01).length / codes.length;
    expect(share).toBeGreaterThan(0.17);
    expect(share).toBeLessThan(0.33);
    const [exact] = await runAux([
      {
        code: [['f32tof16', a(1), a(0)]],
        before: [singleCode(1.5)],
        control: ESR,
        registers: { [CSR.PRNG_SEED]: 5 },
      },
    ]);
    expect(halfValue(exact.after[1] & 0xffff)).toBe(1.5);
  });
});

it('permutations of the auxiliary file', async () => {
  const [{ after }, more] = await runAux([
    {
      code: [
        ['sort4x16lo', a(2), a(0), a(1)],
        ['sort4x16hi', a(3), a(0), a(1)],
        ['roll16', a(4), a(0), a(1)],
        ['shuf8x8lo', a(5), a(0), a(1)],
        ['shuf8x8hi', a(6), a(0), a(1)],
        ['roll8r', a(7), a(0), a(1)],
      ],
      before: [0x33221100, 0x77665544],
    },
    {
      code: [
        ['sort8x8lo.aaa', a(2), a(0), a(1)],
        ['sort8x8hi.aaa', a(3), a(0), a(1)],
        ['swap8.aa', a(4), a(0)],
        ['sort8.aa', a(5), a(0)],
        ['not', a(6), a(0)],
      ],
      before: [0x33221100, 0x77665544],
    },
  ]);
  expect(after.slice(2)).toEqual([0x55441100, 0x77663322, 0x55443322, 0x55114400, 0x77336622, 0x44332211]);
  expect(more.after.slice(2, 7)).toEqual([0x66442200, 0x77553311, 0x22330011, 0x33112200, 0xccddeeff]);
});
