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
  readonly bits: 32 | 16 | 8;
  readonly fractionBits: number;
  readonly bias: number;
  readonly family: 'ieee' | 'quarter';
  /** Code of every NaN result: quiet, positive, no payload [GUESS]; for f8 the only NaN. */
  readonly nan: number;
  /** Exponent of the unit in which every number of the format is whole: the distance of its subnormals. */
  readonly unit: number;
  /** Code of zero with the sign bit set. */
  readonly sign: number;
  /** Magnitude of the first code that is no finite number: infinity, or one past the greatest f8. */
  readonly beyond: number;
  /** Distance of the codes of equal fractions in neighbouring binades. */
  readonly binade: number;
}

type Layout = Pick<Format, 'name' | 'bits' | 'fractionBits' | 'bias' | 'family' | 'nan'>;

function format(layout: Layout): Format {
  const sign = 2 ** (layout.bits - 1);
  const binade = 2 ** layout.fractionBits;
  return {
    ...layout,
    unit: 1 - layout.bias - layout.fractionBits,
    sign,
    // IEEE keeps the last exponent field for infinity and NaN.
    beyond: layout.family === 'ieee' ? sign - binade : sign,
    binade,
  };
}

export const F32 = format({
  name: 'f32',
  bits: 32,
  fractionBits: 23,
  bias: 127,
  family: 'ieee',
  nan: 0x7fc00000,
});
export const F16 = format({ name: 'f16', bits: 16, fractionBits: 10, bias: 15, family: 'ieee', nan: 0x7e00 });
export const F143 = format({ name: 'F143', bits: 8, fractionBits: 3, bias: 8, family: 'quarter', nan: 0x80 });
export const F152 = format({
  name: 'F152',
  bits: 8,
  fractionBits: 2,
  bias: 16,
  family: 'quarter',
  nan: 0x80,
});

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

/** True for every NaN of the format. */
export function isNan(code: number, format: Format): boolean {
  if (format.family === 'quarter') return code === format.nan;
  return code % format.sign > format.beyond;
}

/** NaN whose highest fraction bit is clear; f8 has none. */
export const isSignalling = (code: number, format: Format): boolean =>
  isNan(code, format) && format.family === 'ieee' && code % format.binade < format.binade / 2;
