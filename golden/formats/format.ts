/**
 * The binary number formats of the chip. Everything else in this folder follows from these rows.
 *
 * - `ieee`: the greatest exponent field holds infinity and NaN, zero has a sign [ISA];
 * - `quarter`: every exponent field holds numbers; there is no infinity and no negative zero, the code of the
 *   sign bit alone is NaN [SDK].
 *
 * Both have gradual underflow. For f32 that is a guess: the facts do not say whether arithmetic keeps subnormals
 * [GUESS].
 */
export interface Format {
  readonly name: 'f32' | 'f16' | 'F143' | 'F152';
  readonly bits: number;
  readonly fractionBits: number;
  readonly bias: number;
  readonly family: 'ieee' | 'quarter';
  /** Code of every NaN result: quiet, positive, no payload [GUESS]; for f8 the only NaN. */
  readonly nan: number;
}

export const F32: Format = {
  name: 'f32',
  bits: 32,
  fractionBits: 23,
  bias: 127,
  family: 'ieee',
  nan: 0x7fc00000,
};
export const F16: Format = {
  name: 'f16',
  bits: 16,
  fractionBits: 10,
  bias: 15,
  family: 'ieee',
  nan: 0x7e00,
};
export const F143: Format = {
  name: 'F143',
  bits: 8,
  fractionBits: 3,
  bias: 8,
  family: 'quarter',
  nan: 0x80,
};
export const F152: Format = {
  name: 'F152',
  bits: 8,
  fractionBits: 2,
  bias: 16,
  family: 'quarter',
  nan: 0x80,
};

/** Rounding modes in the numbering of FP_CTL.RND and of f32int [SDK]. */
export const MODES = ['nearest-even', 'toward-plus', 'toward-minus', 'toward-zero', 'nearest-away'] as const;
export type Mode = (typeof MODES)[number];

/** What an f16 or f8 result beyond the greatest number becomes: NANOO clear or set [SDK]. f32 overflows as IEEE. */
export type Overflow = 'saturate' | 'nan';

/** What the control word says about results. */
export interface Control {
  readonly mode: Mode;
  readonly overflow: Overflow;
}

export const NEAREST: Control = { mode: 'nearest-even', overflow: 'saturate' };

/** Exponent of the unit in which every number of the format is whole: the distance of its subnormals. */
export const unitExponent = ({ bias, fractionBits }: Format): number => 1 - bias - fractionBits;

/** Code of zero with the sign bit set. */
export const signBit = ({ bits }: Format): number => 2 ** (bits - 1);

/** Magnitude of the first code that is no finite number: infinity, or one past the greatest f8. */
export const firstBeyond = (format: Format): number =>
  format.family === 'ieee'
    ? signBit(format) - 2 ** format.fractionBits // all ones in the exponent, zeros in the fraction
    : signBit(format);

/** True for every NaN of the format. */
export function isNan(code: number, format: Format): boolean {
  if (format.family === 'quarter') return code === format.nan;
  return code % signBit(format) > firstBeyond(format);
}

/** NaN whose highest fraction bit is clear; f8 has none. */
export const isSignalling = (code: number, format: Format): boolean =>
  isNan(code, format) &&
  format.family === 'ieee' &&
  Math.floor(code / 2 ** (format.fractionBits - 1)) % 2 === 0;
