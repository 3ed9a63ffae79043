/**
 * Rounding of exact values to binary formats, from the definition: the two neighbours of a magnitude are multiples of
 * the spacing of its binade, and the mode picks one. Exact because scaling by powers of two is exact in f64 for every
 * value these formats can meet.
 */

/** Rounding modes in the numbering of f32int and FP_CTL.RND [SDK]. */
export const MODES = ['nearest-even', 'toward-plus', 'toward-minus', 'toward-zero', 'nearest-away'] as const;
export type RoundingMode = (typeof MODES)[number];

/** A binary format with gradual underflow. */
export interface BinaryFormat {
  readonly fractionBits: number;
  /** Exponent of the smallest normal number. */
  readonly leastExponent: number;
  readonly largest: number;
}

export const HALF: BinaryFormat = { fractionBits: 10, leastExponent: -14, largest: 65_504 };
export const F143: BinaryFormat = { fractionBits: 3, leastExponent: -7, largest: 240 };
export const F152: BinaryFormat = { fractionBits: 2, leastExponent: -15, largest: 57_344 };

/** Exponent of the binade of a finite magnitude, at least the least one. */
function binade(magnitude: number, { leastExponent }: BinaryFormat): number {
  let exponent = leastExponent;
  while (magnitude >= 2 ** (exponent + 1)) exponent++;
  return exponent;
}

/** True when the magnitude is to be rounded up to the next multiple of its spacing. */
function roundsUp(mode: RoundingMode, negative: boolean, lower: number, rest: number): boolean {
  switch (mode) {
    case 'nearest-even':
      return rest > 0.5 || (rest === 0.5 && lower % 2 === 1);
    case 'nearest-away':
      return rest >= 0.5;
    case 'toward-plus':
      return rest > 0 && !negative;
    case 'toward-minus':
      return rest > 0 && negative;
    case 'toward-zero':
      return false;
  }
}

/** The rounded value as if the exponent had no upper end; may exceed the largest finite one. */
export function roundUnbounded(value: number, format: BinaryFormat, mode: RoundingMode): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const magnitude = Math.abs(value);
  const spacing = 2 ** (binade(magnitude, format) - format.fractionBits);
  const quotient = magnitude / spacing;
  const lower = Math.floor(quotient);
  const rounded = (lower + (roundsUp(mode, value < 0, lower, quotient - lower) ? 1 : 0)) * spacing;
  return value < 0 ? -rounded : rounded;
}
