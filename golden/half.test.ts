import fc from 'fast-check';
import { all, type BigNumber, create } from 'mathjs';
import { describe, expect, test } from 'vitest';
import { decodeHalf, encodeHalf, HALF_MAX, halfSpacing } from './half.ts';

/** Decimal arithmetic wide enough to hold every number of these tests exactly. */
const math = create(all ?? {}, { number: 'BigNumber', precision: 400 });
const big = (value: number | string) => math.bignumber(value);
const powerOfTwo = (exponent: number) => big(2).pow(exponent);

/** Non-negative finite f16 numbers by definition, in code order, as decimal numbers. */
const LATTICE: BigNumber[] = Array.from({ length: 0x7c00 }, (_, code) => {
  const exponent = Math.floor(code / 1024);
  const fraction = big(code % 1024).div(1024);
  if (exponent === 0) return fraction.mul(powerOfTwo(-14));
  return fraction.plus(1).mul(powerOfTwo(exponent - 15));
});

/** The exact decimal value of a finite double: integer significand times a power of two. */
function exactly(value: number): BigNumber {
  let [significand, exponent] = [value, 0];
  while (!Number.isSafeInteger(significand)) {
    significand *= 2;
    exponent--;
  }
  return big(significand).mul(powerOfTwo(exponent));
}

/** Nearest lattice code of a non-negative double, ties to the even code; 0x7c00 from 65520 on. */
function nearestCode(value: number): number {
  const x = exactly(value);
  if (x.gte(65_520)) return 0x7c00;
  let [low, high] = [0, LATTICE.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (LATTICE[middle].lte(x)) low = middle;
    else high = middle - 1;
  }
  if (low === LATTICE.length - 1) return low;
  const [below, above] = [x.minus(LATTICE[low]), LATTICE[low + 1].minus(x)];
  if (below.eq(above)) return low % 2 === 0 ? low : low + 1;
  return below.lt(above) ? low : low + 1;
}

describe('half', () => {
  test('all 65536 patterns decode to their definition and encode back', () => {
    const wrong: number[] = [];
    for (let code = 0; code < 0x10000; code++) {
      const magnitude = code & 0x7fff;
      const value = decodeHalf(code);
      let right: boolean;
      if (magnitude < 0x7c00) {
        const expected = LATTICE[magnitude].toNumber();
        right = Object.is(value, code < 0x8000 ? expected : -expected) && encodeHalf(value) === code;
      } else if (magnitude === 0x7c00) {
        right = value === (code < 0x8000 ? 1 : -1) * Number.POSITIVE_INFINITY && encodeHalf(value) === code;
      } else {
        right = Number.isNaN(value) && encodeHalf(value) === 0x7e00;
      }
      if (!right) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });

  test('the lattice itself is exact in f64', () => {
    for (const code of [0, 1, 2, 1023, 1024, 1025, 0x3c00, 0x3555, 0x7bff]) {
      expect(exactly(decodeHalf(code)).eq(LATTICE[code])).toBe(true);
    }
    expect(LATTICE[0x7bff].toNumber()).toBe(HALF_MAX);
  });

  test('every midpoint rounds to the even code; the doubles beside it to the nearer one', () => {
    const wrong: number[] = [];
    for (let code = 1; code < 0x7c00; code++) {
      const middle = LATTICE[code]
        .plus(LATTICE[code - 1])
        .div(2)
        .toNumber();
      const even = code % 2 === 0 ? code : code - 1;
      const right =
        encodeHalf(middle) === even &&
        encodeHalf(-middle) === even + 0x8000 &&
        encodeHalf(middle * (1 + 2 ** -52)) === code &&
        encodeHalf(middle * (1 - 2 ** -53)) === code - 1;
      if (!right) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });

  test('any double rounds to the nearest lattice point', () => {
    const magnitude = fc
      .tuple(fc.integer({ min: -30, max: 17 }), fc.double({ min: 1, max: 2, noNaN: true }))
      .map(([exponent, significand]) => significand * 2 ** exponent);
    fc.assert(
      fc.property(magnitude, (value) => {
        const code = nearestCode(value);
        expect(encodeHalf(value, 'infinity')).toBe(code);
        expect(encodeHalf(-value, 'infinity')).toBe(code + 0x8000);
      }),
      { numRuns: 1000 },
    );
  });

  test('rounding happens once: no detour over f32', () => {
    // in f32 this becomes the midpoint 1 + 2^-11 and would then round to the even neighbour 1
    expect(encodeHalf(1 + 2 ** -11 + 2 ** -30)).toBe(0x3c01);
    expect(encodeHalf(Math.fround(1 + 2 ** -11 + 2 ** -30))).toBe(0x3c00);
  });

  test('overflow modes', () => {
    const largestKept = 65_519.999999999;
    for (const mode of ['saturate', 'infinity', 'nan'] as const)
      expect(encodeHalf(largestKept, mode)).toBe(0x7bff);
    for (const value of [65_520, 65_536, 1e5, Number.MAX_VALUE]) {
      expect(encodeHalf(value)).toBe(0x7bff);
      expect(encodeHalf(-value, 'saturate')).toBe(0xfbff);
      expect(encodeHalf(value, 'infinity')).toBe(0x7c00);
      expect(encodeHalf(-value, 'infinity')).toBe(0xfc00);
      expect(encodeHalf(value, 'nan')).toBe(0x7e00);
    }
  });

  test('zeros, vanishing numbers, infinities, NaN', () => {
    expect(encodeHalf(0)).toBe(0);
    expect(encodeHalf(-0)).toBe(0x8000);
    expect(encodeHalf(2 ** -25)).toBe(0);
    expect(encodeHalf(2 ** -25 * (1 + 2 ** -52))).toBe(1);
    expect(encodeHalf(-Number.MIN_VALUE)).toBe(0x8000);
    for (const mode of ['saturate', 'infinity', 'nan'] as const) {
      expect(encodeHalf(Number.NEGATIVE_INFINITY, mode)).toBe(0xfc00);
      expect(encodeHalf(Number.NaN, mode)).toBe(0x7e00);
    }
  });

  test('half spacing is half the distance to the neighbour', () => {
    for (let code = 0; code < 0x7bff; code += 7) {
      const distance = LATTICE[code + 1].minus(LATTICE[code]).toNumber();
      expect(halfSpacing(LATTICE[code].toNumber())).toBe(distance / 2);
    }
    expect(halfSpacing(HALF_MAX)).toBe(16);
  });
});
