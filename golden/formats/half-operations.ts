import { decodeHalf, encodeHalf } from '../half.ts';
import { HALF, type RoundingMode, roundUnbounded } from './rounding.ts';

/** What a finite result beyond the largest f16 becomes: NANOO clear or set [SDK]. */
export type Overflow = 'saturate' | 'nan';

const NAN = 0x7e00;

/**
 * Code of an exact result in f16. Infinite results (of infinite operands) stay infinite; results beyond the largest
 * finite number saturate or become NaN.
 */
export function halfResult(value: number, mode: RoundingMode, overflow: Overflow): number {
  if (!Number.isFinite(value)) return encodeHalf(value, 'infinity');
  const rounded = roundUnbounded(value, HALF, mode);
  if (Math.abs(rounded) > HALF.largest) return overflow === 'nan' ? NAN : encodeHalf(rounded, 'saturate');
  return encodeHalf(rounded, 'infinity');
}

/** Sums and products of two f16 numbers are exact in f64. */
export const HALF_ARITHMETIC: Readonly<Record<string, (x: number, y: number) => number>> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  absadd: (x, y) => Math.abs(x) + Math.abs(y),
};

/** All ones where the relation holds; nothing but != holds with NaN. */
export const HALF_RELATIONS: Readonly<Record<string, (x: number, y: number) => boolean>> = {
  cmpeq: (x, y) => x === y,
  cmpne: (x, y) => x !== y,
  cmpgt: (x, y) => x > y,
  cmpge: (x, y) => x >= y,
  cmplt: (x, y) => x < y,
  cmple: (x, y) => x <= y,
};

const VALUES = Float64Array.from({ length: 65_536 }, (_, code) => decodeHalf(code));

/** Value of an f16 code, from a table. */
export const halfValue = (code: number): number => VALUES[code];

/** The larger or smaller of two numbers by value; of equal values (the two zeros) either is right. */
export function isExtreme(code: number, x: number, y: number, largest: boolean): boolean {
  const [a, b] = [VALUES[x], VALUES[y]];
  if (Number.isNaN(a) || Number.isNaN(b)) return code === x || code === y || Number.isNaN(VALUES[code]);
  const wanted = largest ? Math.max(a, b) : Math.min(a, b);
  return (code === x || code === y) && VALUES[code] === wanted;
}
