import { decode, finite, integer } from './exact.ts';
import { type Control, F16, F32, type Format, isNan, type Mode, NEAREST } from './format.ts';
import { encode, neighbours, roundsUp } from './round.ts';
import { encodeSmall, partsOf, placeOf } from './small.ts';

const isInfinite = (code: number, format: Format): boolean =>
  format.family === 'ieee' && code % format.sign === format.beyond;

/** A code of one format as the code of another, rounded once; infinity stays where the target has one. */
export function convert(code: number, from: Format, to: Format, control: Control): number {
  return scaled(code, from, to, 0, control);
}

/** Value of the code times 2^scale in another format, rounded once. Infinity has no f8 and becomes NaN [SDK]. */
export function scaled(code: number, from: Format, to: Format, scale: number, control: Control): number {
  if (isNan(code, from)) return to.nan;
  if (isInfinite(code, from))
    return to.family === 'quarter' ? to.nan : (code >= from.sign ? to.sign : 0) + to.beyond;
  const { negative, significand, exponent } = partsOf(code, from);
  return encodeSmall(negative, significand, exponent + scale, to, control);
}

/** Both codes a stochastic conversion may give, and the chance of the one with the larger magnitude. */
export function scaledNeighbours(code: number, from: Format, to: Format, scale: number, control: Control) {
  const value = decode(code, from);
  const moved = value.kind === 'finite' ? { ...value, exponent: value.exponent + scale } : value;
  return neighbours(moved, to, control);
}

/** A 32-bit word as integer. */
const integerOf = (word: number, isSigned: boolean): number => (isSigned ? word | 0 : word >>> 0);

export const fromInteger = (word: number, isSigned: boolean, control: Control): number => {
  const value = integerOf(word, isSigned);
  return encodeSmall(value < 0, Math.abs(value), 0, F32, control);
};

/** The whole number that a finite f32 rounds to, as magnitude. */
function wholeMagnitude(code: number, mode: Mode): number {
  const { negative, significand, exponent } = partsOf(code, F32);
  if (exponent >= 0) return significand * 2 ** exponent;
  const distance = 2 ** -exponent;
  const lower = Math.floor(significand / distance);
  const rest = significand - lower * distance;
  return lower + (roundsUp(mode, negative, lower % 2 === 1, placeOf(rest, distance)) ? 1 : 0);
}

/** f32 to integer: saturates, NaN gives 0 [GUESS: the usual completion of IEEE 754, 5.8]. */
export function toInteger(code: number, isSigned: boolean, { mode }: Control): number {
  if (isNan(code, F32)) return 0;
  const negative = code >= F32.sign;
  const magnitude = isInfinite(code, F32) ? Number.POSITIVE_INFINITY : wholeMagnitude(code, mode);
  const [least, most] = isSigned ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
  return Math.max(least, Math.min(most, negative ? -magnitude : magnitude)) >>> 0;
}

/** f32 to the integral f32 that the mode names; the sign stays, a zero's too [IEEE 754, 5.9]. */
export function toIntegral(code: number, mode: Mode): number {
  if (isNan(code, F32)) return F32.nan;
  const large = partsOf(code, F32).exponent >= 0;
  if (large || isInfinite(code, F32)) return code;
  return encodeSmall(code >= F32.sign, wholeMagnitude(code, mode), 0, F32, NEAREST);
}

/**
 * Uniform bits as a number of [-1/2, 1/2] that is never zero: the middle of the u-th of 2^bits equal parts, nearest
 * even whatever the rounding mode, since the conversion is documented as symmetric [ISA for range and least magnitude].
 */
export function symmetricFraction(word: number, format: Format): number {
  const parts = 1n << BigInt(format.bits);
  const centred = integer(2n * BigInt(word) + 1n - parts, -format.bits - 1);
  return encode(finite(centred.negative, centred.significand, centred.exponent), format, NEAREST);
}

export const halfToSingle = (code: number): number => convert(code, F16, F32, NEAREST);
export const singleToHalf = (code: number, control: Control): number => convert(code, F32, F16, control);
