import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OracleError } from './errors.ts';
import {
  blockContributions,
  type GemmRounding,
  type GemmShape,
  gemmReference,
  parseGemmRounding,
} from './gemm.ts';
import { decodeHalf, encodeHalf } from './half.ts';

function model(kPieces: [number, number][], microK = 16): GemmRounding {
  return {
    kind: 'gemm-f16-partials',
    microK,
    kPieces,
    partial: 'f16',
    reduce: 'f32-sum',
    out: 'f16',
    overflow: 'saturate',
  };
}

/** Small deterministic generator of this test: uniform in [0, 1). */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** Roughly normal: the sum of twelve uniform numbers. */
function normalHalves(count: number, deviation: number, next: () => number): Uint16Array {
  return Uint16Array.from({ length: count }, () => {
    let sum = -6;
    for (let draw = 0; draw < 12; draw++) sum += next();
    return encodeHalf(deviation * sum);
  });
}

/**
 * A device that obeys the model: f32 additions in an order drawn per step, partials rounded to f16 every
 * `every` products, pieces added in f32 in a drawn order. `every` and `toHalf` can make it disobey.
 */
function device(
  { m, k, n }: GemmShape,
  aBits: Uint16Array,
  bBits: Uint16Array,
  rounding: GemmRounding,
  next: () => number,
  every = rounding.microK,
  toHalf = (value: number) => decodeHalf(encodeHalf(value)),
): Float64Array {
  const a = Float64Array.from(aBits, decodeHalf);
  const b = Float64Array.from(bBits, decodeHalf);
  const shuffled = <T>(items: T[]): T[] => {
    for (let last = items.length - 1; last > 0; last--) {
      const other = Math.floor(next() * (last + 1));
      [items[last], items[other]] = [items[other], items[last]];
    }
    return items;
  };
  const sum = (terms: number[]) => shuffled(terms).reduce((total, term) => Math.fround(total + term));
  const result = new Float64Array(m * n);
  for (let at = 0; at < m * n; at++) {
    const [row, column] = [Math.floor(at / n), at % n];
    const pieces = rounding.kPieces.map(([first, end]) => {
      let partial = 0;
      for (let start = first; start < end; start += every) {
        const terms = [partial];
        for (let inner = start; inner < Math.min(end, start + every); inner++) {
          terms.push(a[row * k + inner] * b[inner * n + column]);
        }
        partial = toHalf(sum(terms));
      }
      return partial;
    });
    result[at] = pieces.length === 1 ? pieces[0] : toHalf(sum(pieces));
  }
  return result;
}

/** Cuts 0..k at the given places. */
function cut(k: number, places: readonly number[]): [number, number][] {
  const cuts = [...new Set([0, ...places.filter((place) => place > 0 && place < k), k])].sort(
    (x, y) => x - y,
  );
  return cuts.slice(1).map((end, index) => [cuts[index], end]);
}

const worstRatio = (output: Float64Array, values: Float64Array, bound: Float64Array) =>
  output.reduce((worst, value, at) => Math.max(worst, Math.abs(value - values[at]) / bound[at]), 0);

describe('reference values', () => {
  test('are the exact product, checked with integers of unlimited size', () => {
    const [m, k, n] = [5, 67, 6];
    const next = uniform(1);
    const aBits = normalHalves(m * k, 1, next);
    const bBits = normalHalves(k * n, 0.1, next);
    const { values } = gemmReference({ m, k, n }, aBits, bBits, model([[0, k]]));
    // every f16 number is an integer multiple of 2^-24
    const whole = (bits: number) => BigInt(decodeHalf(bits) * 2 ** 24);
    for (let at = 0; at < m * n; at++) {
      let sum = 0n;
      for (let inner = 0; inner < k; inner++) {
        sum += whole(aBits[Math.floor(at / n) * k + inner]) * whole(bBits[inner * n + (at % n)]);
      }
      expect(Math.abs(values[at] - Number(sum) * 2 ** -48)).toBeLessThan(1e-14);
    }
  });

  test('do not depend on the pieces; block contributions add up to them', () => {
    const shape = { m: 3, k: 100, n: 7 };
    const next = uniform(2);
    const aBits = normalHalves(300, 1, next);
    const bBits = normalHalves(700, 0.1, next);
    const one = gemmReference(shape, aBits, bBits, model([[0, 100]]));
    const three = gemmReference(shape, aBits, bBits, model(cut(100, [32, 80])));
    const parts = blockContributions(shape, aBits, bBits, 16);
    for (let at = 0; at < 21; at++) {
      expect(Math.abs(three.values[at] - one.values[at])).toBeLessThan(1e-13);
      expect(parts(at)).toHaveLength(7);
      expect(Math.abs(parts(at).reduce((sum, part) => sum + part) - one.values[at])).toBeLessThan(1e-13);
    }
  });
});

describe('hard bound', () => {
  test('holds for every device that obeys the model, whatever the data, order and pieces', () => {
    const shape = fc.record({
      m: fc.integer({ min: 1, max: 5 }),
      k: fc.integer({ min: 1, max: 150 }),
      n: fc.integer({ min: 1, max: 5 }),
    });
    const scale = fc.constantFrom(2 ** -12, 2 ** -6, 1, 40, 1000);
    fc.assert(
      fc.property(
        shape,
        scale,
        scale,
        fc.nat(1e9),
        fc.array(fc.nat(150), { maxLength: 4 }),
        (s, left, right, seed, places) => {
          const next = uniform(seed);
          const aBits = normalHalves(s.m * s.k, left, next);
          const bBits = normalHalves(s.k * s.n, right, next);
          const rounding = model(cut(s.k, places));
          const { values, bound, alarm, exact } = gemmReference(s, aBits, bBits, rounding);
          const output = device(s, aBits, bBits, rounding, next);
          if (exact) {
            expect(output).toEqual(values);
          } else {
            for (const [at, value] of output.entries()) {
              expect(Math.abs(value - values[at])).toBeLessThanOrEqual(bound[at]);
              expect(alarm[at]).toBeLessThanOrEqual(bound[at]);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('holds with saturation on the way, where the plain sum would be far off', () => {
    const shape = { m: 8, k: 96, n: 9 };
    const next = uniform(3);
    const aBits = normalHalves(8 * 96, 100, next);
    const bBits = normalHalves(96 * 9, 150, next);
    const rounding = model(cut(96, [48]));
    const { values, bound } = gemmReference(shape, aBits, bBits, rounding);
    const output = device(shape, aBits, bBits, rounding, next);
    expect(worstRatio(output, values, bound)).toBeLessThanOrEqual(1);
    const parts = blockContributions(shape, aBits, bBits, 16);
    const plain = values.map((_, at) => parts(at).reduce((sum, part) => sum + part));
    const saturatedOnTheWay = plain.filter(
      (sum, at) => Math.abs(sum) < 60_000 && Math.abs(sum - values[at]) > 1000,
    );
    expect(saturatedOnTheWay.length).toBeGreaterThan(3);
    expect(values.every((value) => Math.abs(value) <= 65_504)).toBe(true);
  });

  test('is attained within 10 % by a single rounding and stays within a factor of about six at k = 256', () => {
    const ratio = (k: number) => {
      const shape = { m: 40, k, n: 41 };
      const next = uniform(k);
      const aBits = normalHalves(shape.m * k, 1, next);
      const bBits = normalHalves(k * shape.n, 1 / Math.sqrt(k), next);
      const rounding = model([[0, k]]);
      const { values, bound } = gemmReference(shape, aBits, bBits, rounding);
      return worstRatio(device(shape, aBits, bBits, rounding, next), values, bound);
    };
    expect(ratio(16)).toBeGreaterThan(0.9);
    expect(ratio(64)).toBeGreaterThan(0.35);
    expect(ratio(256)).toBeGreaterThan(0.15);
  });

  test('convicts a kernel that rounds its partial to f16 more often than declared', () => {
    const shape = { m: 30, k: 64, n: 31 };
    const next = uniform(5);
    const aBits = normalHalves(30 * 64, 1, next);
    const bBits = normalHalves(64 * 31, 0.125, next);
    const rounding = model([[0, 64]]);
    const { values, bound } = gemmReference(shape, aBits, bBits, rounding);
    const output = device(shape, aBits, bBits, rounding, next, 1);
    expect(worstRatio(output, values, bound)).toBeGreaterThan(1);
  });

  test('grows with the number of roundings: more pieces of fewer steps are cheaper', () => {
    const shape = { m: 6, k: 512, n: 6 };
    const next = uniform(6);
    const aBits = normalHalves(6 * 512, 1, next);
    const bBits = normalHalves(512 * 6, 0.04, next);
    const total = (pieces: [number, number][], microK = 16) =>
      gemmReference(shape, aBits, bBits, model(pieces, microK)).bound.reduce((sum, bound) => sum + bound);
    expect(total([[0, 512]], 32)).toBeLessThan(total([[0, 512]], 16));
    expect(total(cut(512, [128, 256, 384]))).toBeLessThan(total([[0, 512]]));
  });

  test('a subnormal result may be off by half of 2^-24', () => {
    const { values, bound, exact } = gemmReference(
      { m: 1, k: 1, n: 1 },
      Uint16Array.of(encodeHalf(1.5 * 2 ** -12)),
      Uint16Array.of(encodeHalf(2 ** -13)),
      model([[0, 1]]),
    );
    expect([values[0], exact]).toEqual([1.5 * 2 ** -25, false]);
    expect(bound[0]).toBeGreaterThanOrEqual(2 ** -25);
    expect(bound[0]).toBeLessThan(1.001 * 2 ** -25);
  });
});

describe('alarm', () => {
  test('right results stay quiet, truncation of partials does not', () => {
    const shape = { m: 40, k: 512, n: 40 };
    const next = uniform(7);
    const aBits = normalHalves(40 * 512, 1, next);
    // columns of one sign keep the partials away from zero
    const bBits = normalHalves(512 * 40, 0.04, next).map((bits, at) => (at % 40 < 20 ? bits & 0x7fff : bits));
    const rounding = model([[0, 512]]);
    const { values, bound, alarm } = gemmReference(shape, aBits, bBits, rounding);
    const alarms = (results: Float64Array) =>
      results.filter((value, at) => !(Math.abs(value - values[at]) <= alarm[at])).length;
    expect(alarms(device(shape, aBits, bBits, rounding, next))).toBe(0);
    const truncate = (value: number) => {
      const bits = encodeHalf(value);
      return Math.abs(decodeHalf(bits)) > Math.abs(value) ? decodeHalf(bits - 1) : decodeHalf(bits);
    };
    const truncated = device(shape, aBits, bBits, rounding, next, 16, truncate);
    expect(alarms(truncated)).toBeGreaterThan(400);
    expect(worstRatio(truncated, values, bound)).toBeGreaterThan(0.8);
  });
});

describe('exactness', () => {
  const shape = { m: 2, k: 3, n: 2 };
  const halves = (...values: number[]) => Uint16Array.from(values, (value) => encodeHalf(value));
  const isExact = (a: Uint16Array, b: Uint16Array) => gemmReference(shape, a, b, model([[0, 3]])).exact;

  test('small integers are exact up to sums of 2048 of absolute products', () => {
    const b = halves(1, 2, -3, 4, 5, -6);
    expect(isExact(halves(1, 2, 3, -4, 5, 6), b)).toBe(true);
    // |a| . max|b| per inner index: 2 a0 + 4 a1 + 6 a2
    expect(isExact(halves(1, 2, 3, 4, 255, 170), b)).toBe(true);
    expect(isExact(halves(1, 2, 3, 5, 255, 170), b)).toBe(false);
    expect(isExact(halves(1, 2, 3, 0.5, 5, 6), b)).toBe(false);
    expect(isExact(halves(1, 2, 3, -4, 5, 6), halves(1, 2, -3, 4.5, 5, -6))).toBe(false);
  });

  test('rows that select are exact for any finite right operand', () => {
    const b = halves(0.1, 65_504, -3e-7, 0.3, 7, -1e-3);
    expect(isExact(halves(0, 1, 0, 0, 0, -1), b)).toBe(true);
    expect(isExact(halves(0, 1, 0, 0, 0, 0), b)).toBe(true);
    expect(isExact(halves(0, 1, 0, 0, 1, -1), b)).toBe(false);
    expect(isExact(halves(0, 2, 0, 0, 0, 1), b)).toBe(false);
    expect(isExact(halves(0, 1, 0, 0, 0, 1), halves(1, Number.NaN, 1, 1, 1, 1))).toBe(false);
    const { expectedBits, bound } = gemmReference(shape, halves(0, 1, 0, 0, 0, -1), b, model([[0, 3]]));
    expect(expectedBits).toEqual(halves(-3e-7, 0.3, -7, 1e-3));
    expect(bound).toEqual(new Float64Array(4));
  });

  test('a zero result is +0', () => {
    const { expectedBits } = gemmReference(
      { m: 1, k: 2, n: 1 },
      halves(1, -1),
      halves(3, 3),
      model([[0, 2]]),
    );
    expect(expectedBits).toEqual(Uint16Array.of(0));
  });
});

describe('special values', () => {
  test('a NaN or infinity makes its row or column non-finite and leaves the rest bounded', () => {
    const shape = { m: 3, k: 20, n: 4 };
    const next = uniform(8);
    const aBits = normalHalves(60, 1, next);
    const bBits = normalHalves(80, 1, next);
    aBits[20] = 0x7c00; // row 1
    bBits[2 + 4 * 19] = 0x7e00; // column 2
    bBits[0] = encodeHalf(-1);
    const { values, bound } = gemmReference(shape, aBits, bBits, model(cut(20, [16])));
    for (let at = 0; at < 12; at++) {
      const [row, column] = [Math.floor(at / 4), at % 4];
      if (column === 2) expect(values[at]).toBeNaN();
      else expect(Number.isFinite(values[at])).toBe(row !== 1);
      expect(bound[at] > 0).toBe(row !== 1 && column !== 2);
    }
    expect(values[4]).toBe(Number.NEGATIVE_INFINITY);
  });

  test('zero times infinity is NaN', () => {
    const { values } = gemmReference(
      { m: 1, k: 2, n: 1 },
      Uint16Array.of(0, 0x3c00),
      Uint16Array.of(0x7c00, 0x3800),
      model([[0, 2]]),
    );
    expect(values[0]).toBeNaN();
  });
});

describe('rejections', () => {
  const good = model([
    [0, 16],
    [16, 40],
  ]);

  test('a declared model is taken as data and checked', () => {
    expect(parseGemmRounding(JSON.parse(JSON.stringify(good)), 40)).toEqual(good);
    const bad: [unknown, RegExp][] = [
      [undefined, /must be an object/],
      [null, /must be an object/],
      [{ ...good, kind: 'gemm-f32' }, /kind must be gemm-f16-partials; found "gemm-f32"/],
      [{ ...good, partial: 'f32' }, /partial must be f16/],
      [{ ...good, overflow: 'nan' }, /overflow must be saturate/],
      [{ ...good, microK: 0 }, /microK must be an integer/],
      [{ ...good, microK: 15.5 }, /microK must be an integer/],
      [{ ...good, kPieces: [] }, /kPieces must be a list/],
      [{ ...good, kPieces: 'all' }, /kPieces must be a list/],
      [{ ...good, kPieces: [[0, 16, 3]] }, /a piece must be \[k0, k1\]/],
      [
        {
          ...good,
          kPieces: [
            [0, 16],
            [17, 40],
          ],
        },
        /without gaps; expected one from 16; found \[17,40\]/,
      ],
      [
        {
          ...good,
          kPieces: [
            [0, 16],
            [8, 40],
          ],
        },
        /disjoint/,
      ],
      [
        {
          ...good,
          kPieces: [
            [0, 16],
            [16, 16],
          ],
        },
        /in order/,
      ],
      [{ ...good, kPieces: [[0, Number.NaN]] }, /in order/],
      [
        {
          ...good,
          kPieces: [
            [0, 16],
            [16, 39],
          ],
        },
        /pieces must cover 0\.\.40/,
      ],
      [
        {
          ...good,
          kPieces: [
            [0, 16],
            [16, 41],
          ],
        },
        /pieces must cover 0\.\.40/,
      ],
    ];
    for (const [value, message] of bad) {
      expect(() => parseGemmRounding(value, 40)).toThrow(OracleError);
      expect(() => parseGemmRounding(value, 40)).toThrow(message);
    }
  });

  test('operands must fill their shapes', () => {
    const run = (shape: GemmShape, a: number, b: number) => () =>
      gemmReference(shape, new Uint16Array(a), new Uint16Array(b), model([[0, shape.k]]));
    expect(run({ m: 2, k: 3, n: 4 }, 5, 12)).toThrow('A has 5 elements for 2 x 3');
    expect(run({ m: 2, k: 3, n: 4 }, 6, 13)).toThrow('B has 13 elements for 3 x 4');
    expect(run({ m: 0, k: 3, n: 4 }, 0, 12)).toThrow(OracleError);
  });
});
