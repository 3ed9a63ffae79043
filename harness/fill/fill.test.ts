import fc from 'fast-check';
import { erf } from 'mathjs';
import { describe, expect, test } from 'vitest';
import { below, threefry, wordStream } from './counter.ts';
import { FILL_NAMES, FILLS, type FillName, HALF_INTEGERS, integerRange } from './fills.ts';
import { decodeHalf } from './half.ts';
import { normalOf, normalQuantile } from './normal.ts';
import { SIGNATURES, signatures } from './signature.ts';

const hex = (pair: [number, number]) => pair.map((word) => word.toString(16).padStart(8, '0')).join(' ');
const decode = (bits: Uint16Array) => Float64Array.from(bits, decodeHalf);

describe('counter-based words', () => {
  test('known answers of the published Threefry-2x32-20', () => {
    expect(hex(threefry(0, 0, 0, 0))).toBe('6b200159 99ba4efe');
    const ones = 0xffffffff;
    expect(hex(threefry(ones, ones, ones, ones))).toBe('1cb996fc bb002be7');
    expect(hex(threefry(0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3))).toBe('c4923a9c 483df7a0');
  });

  test('a word depends on seed and index only', () => {
    const forwards = wordStream(7n);
    const expected = Array.from({ length: 101 }, (_, index) => forwards(index));
    const backwards = wordStream(7n);
    for (let index = 100; index >= 0; index--) expect(backwards(index)).toBe(expected[index]);
    expect(wordStream(7n)(2 ** 40)).not.toBe(wordStream(7n)(2 ** 40 % 2 ** 33));
    expect(wordStream(7n + (1n << 32n))(0)).not.toBe(expected[0]);
  });

  test('bits are balanced and neighbouring seeds share no words beyond chance', () => {
    const count = 1 << 15;
    const tensors = [1n, 2n, 3n, 1n << 63n].map((seed) => {
      const at = wordStream(seed);
      return Array.from({ length: count }, (_, index) => at(index));
    });
    for (const words of tensors) {
      for (let bit = 0; bit < 32; bit++) {
        const ones = words.reduce((sum, word) => sum + ((word >>> bit) & 1), 0);
        // six standard deviations of a fair coin
        expect(Math.abs(ones - count / 2)).toBeLessThan(3 * Math.sqrt(count));
      }
    }
    // 131072 words make about 2 equal pairs by chance; a permuted stream would make 32768
    expect(new Set(tensors.flat()).size).toBeGreaterThan(4 * count - 16);
  });

  test('below covers exactly its range', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.integer({ min: 1, max: 100_000 }), (word, limit) => {
        const value = below(word, limit);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(limit);
      }),
    );
    expect(below(0xffffffff, 10)).toBe(9);
    expect(below(0, 10)).toBe(0);
  });
});

describe('normal numbers', () => {
  test('the quantile inverts the distribution function', () => {
    for (let step = 1; step < 2000; step++) {
      const p = step / 2000;
      const back = 0.5 * (1 + erf(normalQuantile(p) / Math.SQRT2));
      expect(Math.abs(back - p)).toBeLessThan(3e-9);
    }
    // standard values of the far tail
    expect(normalQuantile(1e-3)).toBeCloseTo(-3.090232306, 7);
    expect(normalQuantile(1e-6)).toBeCloseTo(-4.753424309, 7);
    expect(normalQuantile(1 - 1e-9)).toBeCloseTo(5.997807015, 5);
    expect(normalOf(0)).toBe(-normalOf(0xffffffff));
    expect(Math.abs(normalOf(0))).toBeLessThan(6.4);
  });

  test('mean, variance, skewness, kurtosis and neighbour correlation within five standard errors', () => {
    const count = 200_000;
    const at = wordStream(99n);
    const values = Float64Array.from({ length: count }, (_, index) => normalOf(at(index)));
    const moment = (power: number) => values.reduce((sum, x) => sum + x ** power, 0) / count;
    const limit = (variance: number) => 5 * Math.sqrt(variance / count);
    expect(Math.abs(moment(1))).toBeLessThan(limit(1));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(limit(2));
    expect(Math.abs(moment(3))).toBeLessThan(limit(15));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(limit(96));
    let correlation = 0;
    for (let index = 1; index < count; index++) correlation += values[index] * values[index - 1];
    expect(Math.abs(correlation / count)).toBeLessThan(limit(1));
  });
});

/** Largest sum of |a||b| over the inner axis: no partial in any order is larger. */
function largestPartial(left: Float64Array, right: Float64Array, m: number, k: number, n: number): number {
  let largest = 0;
  for (let row = 0; row < m; row++) {
    for (let column = 0; column < n; column++) {
      let sum = 0;
      for (let inner = 0; inner < k; inner++) {
        sum += Math.abs(left[row * k + inner] * right[inner * n + column]);
      }
      largest = Math.max(largest, sum);
    }
  }
  return largest;
}

function product(left: Float64Array, right: Float64Array, m: number, k: number, n: number): Float64Array {
  const result = new Float64Array(m * n);
  for (let row = 0; row < m; row++) {
    for (let inner = 0; inner < k; inner++) {
      for (let column = 0; column < n; column++) {
        result[row * n + column] += left[row * k + inner] * right[inner * n + column];
      }
    }
  }
  return result;
}

describe('fills', () => {
  test.each(FILL_NAMES)('%s depends on seed and index only, and is finite', (name) => {
    const fill = FILLS[name];
    for (const [rows, inner, columns] of [
      [1, 1, 1],
      [5, 2, 3],
      [3, 130, 17],
    ]) {
      const left = fill.left(rows, inner, 3n);
      const right = fill.right(inner, columns, 4n);
      expect(left).toHaveLength(rows * inner);
      expect(right).toHaveLength(inner * columns);
      expect(fill.left(rows, inner, 3n)).toEqual(left);
      // fewer rows are a prefix of more rows
      expect(fill.left(rows + 2, inner, 3n).subarray(0, rows * inner)).toEqual(left);
      for (const value of [...decode(left), ...decode(right)]) expect(Number.isFinite(value)).toBe(true);
      expect(product(decode(left), decode(right), rows, inner, columns).some((value) => value !== 0)).toBe(
        true,
      );
    }
  });

  test.each(FILL_NAMES.filter((name) => !['identity', 'ramp'].includes(name)))(
    '%s changes with the seed',
    (name) => {
      const fill = FILLS[name];
      expect(fill.right(64, 40, 1n)).not.toEqual(fill.right(64, 40, 2n));
      if (name !== 'onehot') expect(fill.left(40, 64, 1n)).not.toEqual(fill.left(40, 64, 2n));
    },
  );

  test('integers keep every partial within 2048 for any k', () => {
    for (const k of [1, 2, 3, 16, 127, 513, 2047, 2048, 2049, 2050, 4096, 4304, 6145, 9001]) {
      const range = integerRange(k);
      if (k <= HALF_INTEGERS) {
        expect(k * range * range).toBeLessThanOrEqual(HALF_INTEGERS);
        expect(k * (range + 1) ** 2).toBeGreaterThan(HALF_INTEGERS);
      }
      const left = decode(FILLS.int.left(3, k, 5n));
      const right = decode(FILLS.int.right(k, 4, 6n));
      expect([...left, ...right].every(Number.isInteger)).toBe(true);
      expect(right.every((value) => value !== 0)).toBe(true);
      expect(largestPartial(left, right, 3, k, 4)).toBeLessThanOrEqual(HALF_INTEGERS);
    }
  });

  test('integers take every nonzero value of the range and nothing else', () => {
    const range = integerRange(100);
    const values = new Set(decode(FILLS.int.left(100, 100, 1n)));
    expect(range).toBe(4);
    expect([...values].sort((a, b) => a - b)).toEqual([-4, -3, -2, -1, 1, 2, 3, 4]);
  });

  test('sparse integers use every inner index and all 2048 groups', () => {
    const k = 4304;
    const left = decode(FILLS.int.left(64, k, 9n));
    const used = new Set<number>();
    for (const [index, value] of left.entries()) if (value !== 0) used.add(index % k);
    expect(used.size).toBe(k);
    const perRow = left.subarray(0, k).filter((value) => value !== 0).length;
    expect(perRow).toBe(Math.ceil(k / 3));
  });

  test('normal results have unit standard deviation; large and subnormal ones theirs', () => {
    const deviations: [FillName, number][] = [
      ['normal', 1],
      ['large', 65_536],
      ['subnormal', 2 ** -18],
    ];
    for (const [name, deviation] of deviations) {
      const [m, k, n] = [60, 64, 61];
      const left = decode(FILLS[name].left(m, k, 1n));
      const right = decode(FILLS[name].right(k, n, 2n));
      const result = product(left, right, m, k, n);
      const variance = result.reduce((sum, x) => sum + (x / deviation) ** 2, 0) / result.length;
      // elements of one row share an operand: about 60 independent rows and columns
      expect(Math.abs(variance - 1)).toBeLessThan(5 * Math.sqrt(2 / 60));
      const mean = result.reduce((sum, x) => sum + x / deviation, 0) / result.length;
      expect(Math.abs(mean)).toBeLessThan(5 / 60);
    }
  });

  test('onehot: each row selects one inner index, consecutive k rows select all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (k, seed) => {
        const m = k + 3;
        const left = decode(FILLS.onehot.left(m, k, seed));
        const chosen = Array.from({ length: m }, (_, row) => {
          const values = left.subarray(row * k, (row + 1) * k);
          expect(values.filter((value) => value !== 0)).toHaveLength(1);
          return values.findIndex((value) => value !== 0);
        });
        expect(new Set(chosen.slice(0, k)).size).toBe(k);
        expect(new Set(chosen.slice(3)).size).toBe(k);
      }),
      { numRuns: 40 },
    );
  });

  test('cancel: the sum is far below its partials', () => {
    const [m, k, n] = [8, 1024, 9];
    const left = decode(FILLS.cancel.left(m, k, 1n));
    const right = decode(FILLS.cancel.right(k, n, 2n));
    const whole = product(left, right, m, k, n);
    const firstHalf = left.map((value, index) => (index % k < k / 2 ? value : 0));
    const partial = product(firstHalf, right, m, k, n);
    const rms = (values: Float64Array) =>
      Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);
    expect(rms(whole)).toBeGreaterThan(0.05);
    expect(rms(partial) / rms(whole)).toBeGreaterThan(3);
  });

  test('identity repeats the right operand; ramp counts rows and columns', () => {
    const [m, k, n] = [40, 7, 35];
    const right = FILLS.identity.right(k, n, 8n);
    const copied = product(decode(FILLS.identity.left(m, k, 0n)), decode(right), m, k, n);
    for (let index = 0; index < m * n; index++) {
      expect(copied[index]).toBe(decodeHalf(right[(Math.floor(index / n) % k) * n + (index % n)]));
    }
    const counted = product(decode(FILLS.ramp.left(m, k, 0n)), decode(FILLS.ramp.right(k, n, 0n)), m, k, n);
    expect(counted[n * 33 + 34]).toBe(32 * 1 + 2 + 1);
    const outer = product(decode(FILLS.ramp.left(m, 1, 0n)), decode(FILLS.ramp.right(1, n, 0n)), m, 1, n);
    expect(outer[n * 33 + 34]).toBe(2 * 3);
  });
});

describe('signatures', () => {
  test('are unique within 61440 elements and name their source', () => {
    const { bitsOf, sourcesOf } = signatures(123n);
    const all = new Set<number>();
    for (let index = 0; index < SIGNATURES; index++) {
      const bits = bitsOf(index);
      all.add(bits);
    }
    const magnitudes = [...all].map((bits) => bits & 0x7fff);
    expect(magnitudes.every((magnitude) => magnitude >= 0x0400 && magnitude <= 0x7bff)).toBe(true);
    expect(all.size).toBe(SIGNATURES);
    for (const index of [0, 1, 61_439, 61_440, 100_000, 200_001]) {
      const sources = sourcesOf(bitsOf(index), 250_000);
      expect(sources).toContain(index);
      expect(sources.every((source) => bitsOf(source) === bitsOf(index))).toBe(true);
      expect(sources.length).toBeGreaterThanOrEqual(4);
      expect(sources.length).toBeLessThanOrEqual(5);
    }
    expect(sourcesOf(bitsOf(7), 7)).toEqual([]);
    for (const bits of [0, 0x8000, 0x3ff, 0x7c00, 0xfe00]) expect(sourcesOf(bits, 1_000_000)).toEqual([]);
  });

  test('two seeds order the numbers differently', () => {
    const [a, b] = [signatures(1n), signatures(2n)];
    const equal = Array.from({ length: 1000 }, (_, index) => index).filter(
      (index) => a.bitsOf(index) === b.bitsOf(index),
    );
    expect(equal.length).toBeLessThan(20);
  });
});
