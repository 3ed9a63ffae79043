/**
 * IEEE binary16 as the harness reads and writes it: 1-5-10, bias 15, subnormals kept [ISA]. The oracle has
 * its own independent conversion; the two are compared only through results.
 */

const words = new Uint32Array(2);
const asDouble = new Float64Array(words.buffer);
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;
const LOW = 1 - HIGH;

/** Storage bits of a quiet NaN. */
export const HALF_NAN = 0x7e00;
/** Storage bits of 65504, the largest finite value. */
export const HALF_MAX = 0x7bff;
/** Storage bits of infinity. */
export const HALF_INFINITY = 0x7c00;

/**
 * Rounds a double once to the nearest f16, ties to even. A finite value at or beyond 65520 becomes
 * the largest finite value, or infinity when `overflow` says so.
 */
export function encodeHalf(value: number, overflow: 'saturate' | 'infinity' = 'saturate'): number {
  asDouble[0] = value;
  const high = words[HIGH];
  const sign = (high >>> 16) & 0x8000;
  const biased = (high >>> 20) & 0x7ff;
  if (biased === 0x7ff) return Number.isNaN(value) ? HALF_NAN : sign | HALF_INFINITY;
  const exponent = biased - 1023;
  if (exponent < -25) return sign;
  // 21 significant bits and a sticky word; `shift` of them do not fit
  const significand = (high & 0xfffff) | 0x100000;
  const shift = 10 + Math.max(0, -14 - exponent);
  const rest = significand & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  let kept = significand >>> shift;
  if (rest > half || (rest === half && (words[LOW] !== 0 || (kept & 1) === 1))) kept++;
  // a carry out of the significand moves into the exponent field by itself
  const magnitude = exponent < -14 ? kept : ((exponent + 14) << 10) + kept;
  if (exponent > 15 || magnitude >= HALF_INFINITY) {
    return sign | (overflow === 'saturate' ? HALF_MAX : HALF_INFINITY);
  }
  return sign | magnitude;
}

/** Value of f16 storage bits. */
export function decodeHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
