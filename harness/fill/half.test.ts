import { describe, expect, test } from 'vitest';
import { decodeHalf, encodeHalf, HALF_INFINITY, HALF_MAX, HALF_NAN } from './half.ts';

/** Non-negative finite f16 values by definition, in code order. */
const VALUES = Array.from({ length: HALF_INFINITY }, (_, code) => {
  const exponent = code >> 10;
  const fraction = (code % 1024) / 1024;
  return exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
});

/** The next double away from zero. */
function up(value: number): number {
  return value + Math.max(value * 2 ** -52, Number.MIN_VALUE);
}

describe('half', () => {
  test('every finite code decodes to its value and encodes back, both signs', () => {
    const wrong = VALUES.flatMap((value, code) => {
      const right =
        decodeHalf(code) === value &&
        encodeHalf(value) === code &&
        encodeHalf(decodeHalf(code | 0x8000)) === (code | 0x8000);
      return right ? [] : [code];
    });
    expect(wrong).toEqual([]);
    expect(VALUES).toHaveLength(31_744);
  });

  test('every midpoint goes to the even neighbour, and its nearest doubles to the nearer one', () => {
    const wrong = VALUES.slice(1).flatMap((value, index) => {
      const code = index + 1;
      const middle = (VALUES[index] + value) / 2;
      const even = code % 2 === 0 ? code : code - 1;
      const right =
        encodeHalf(middle) === even &&
        encodeHalf(-middle) === (even | 0x8000) &&
        encodeHalf(up(middle)) === code &&
        encodeHalf(middle * (1 - 2 ** -53)) === code - 1;
      return right ? [] : [code];
    });
    expect(wrong).toEqual([]);
  });

  test('overflow starts at 65520', () => {
    expect(encodeHalf(65519.999)).toBe(HALF_MAX);
    expect(encodeHalf(65519.999, 'infinity')).toBe(HALF_MAX);
    expect(encodeHalf(65520)).toBe(HALF_MAX);
    expect(encodeHalf(65520, 'infinity')).toBe(HALF_INFINITY);
    expect(encodeHalf(-1e300)).toBe(HALF_MAX | 0x8000);
    expect(encodeHalf(-1e300, 'infinity')).toBe(HALF_INFINITY | 0x8000);
  });

  test('infinities, NaN, zeros and vanishing numbers', () => {
    expect(encodeHalf(Number.POSITIVE_INFINITY)).toBe(HALF_INFINITY);
    expect(encodeHalf(Number.NEGATIVE_INFINITY)).toBe(HALF_INFINITY | 0x8000);
    expect(encodeHalf(Number.NaN)).toBe(HALF_NAN);
    expect(encodeHalf(-0)).toBe(0x8000);
    expect(encodeHalf(2 ** -26)).toBe(0);
    expect(encodeHalf(-Number.MIN_VALUE)).toBe(0x8000);
    const codes = Array.from({ length: 1023 }, (_, index) => HALF_INFINITY + 1 + index);
    expect(codes.every((code) => Number.isNaN(decodeHalf(code)))).toBe(true);
  });
});
