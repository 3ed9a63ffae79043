/**
 * IEEE binary16 of the oracle: 1-5-10, bias 15, gradual underflow [ISA]. Written from the definition by
 * exact scaling in f64, without bit manipulation, so that it shares nothing with other conversions.
 */

/** What a finite number at or beyond 65520 becomes: +-65504, +-infinity or NaN (NANOO [SDK]). */
export type HalfOverflow = 'saturate' | 'infinity' | 'nan';

/** Largest finite f16. */
export const HALF_MAX = 65_504;

/** Exponent of the smallest normal number; all smaller numbers share its spacing of 2^-24. */
const LEAST_EXPONENT = -14;
const GREATEST_EXPONENT = 15;
const INFINITY = 0x7c00;
const QUIET_NAN = 0x7e00;

/** Adding and subtracting this rounds 0 <= x < 2^51 to an integer, ties to even. */
const ROUNDER = 2 ** 52;

/** Exponent of the binade of a magnitude, at least -14 and at most 16. */
function binade(magnitude: number): number {
  let exponent = LEAST_EXPONENT;
  let limit = 2 ** (LEAST_EXPONENT + 1);
  while (exponent <= GREATEST_EXPONENT && magnitude >= limit) {
    exponent++;
    limit *= 2;
  }
  return exponent;
}

/** Storage bits of a double, rounded once to the nearest f16, ties to even. */
export function encodeHalf(value: number, overflow: HalfOverflow = 'saturate'): number {
  if (Number.isNaN(value)) return QUIET_NAN;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return sign + INFINITY;
  const exponent = binade(magnitude);
  if (exponent <= GREATEST_EXPONENT) {
    const quotient = magnitude / 2 ** (exponent - 10);
    // 1024..2048 for a normal number, so that the sum counts codes across binades
    const code = (exponent - LEAST_EXPONENT) * 1024 + (quotient + ROUNDER - ROUNDER);
    if (code < INFINITY) return sign + code;
  }
  if (overflow === 'nan') return QUIET_NAN;
  return sign + (overflow === 'infinity' ? INFINITY : INFINITY - 1);
}

/** Value of f16 storage bits. */
export function decodeHalf(bits: number): number {
  const negative = bits >= 0x8000;
  const code = negative ? bits - 0x8000 : bits;
  const exponent = Math.floor(code / 1024);
  const fraction = code % 1024;
  let magnitude: number;
  if (exponent === 31) magnitude = fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  else if (exponent === 0) magnitude = (fraction / 1024) * 2 ** LEAST_EXPONENT;
  else magnitude = (1 + fraction / 1024) * 2 ** (exponent - 15);
  return negative ? -magnitude : magnitude;
}

/** Half of the f16 spacing at a magnitude: no rounding to nearest of a smaller or equal magnitude errs more. */
export function halfSpacing(magnitude: number): number {
  return 2 ** (Math.min(GREATEST_EXPONENT, binade(magnitude)) - 11);
}
