import type { Exact } from './exact.ts';
import type { Control, Format, Mode } from './format.ts';

/** Where a magnitude lies between two neighbours. */
export type Rest = 'none' | 'below half' | 'half' | 'above half';

/** True when a magnitude between two neighbours becomes the upper one. `odd` tells of the lower one's last digit. */
export function roundsUp(mode: Mode, negative: boolean, odd: boolean, rest: Rest): boolean {
  if (rest === 'none') return false;
  switch (mode) {
    case 'nearest-even':
      return rest === 'above half' || (rest === 'half' && odd);
    case 'nearest-away':
      return rest !== 'below half';
    case 'toward-plus':
      return !negative;
    case 'toward-minus':
      return negative;
    case 'toward-zero':
      return false;
  }
}

/** Code of a magnitude that was rounded as if exponents had no end; `magnitude` counts codes from zero. */
export function signed(
  magnitude: number,
  negative: boolean,
  format: Format,
  { mode, overflow }: Control,
): number {
  const beyond = format.beyond;
  const sign = negative ? format.sign : 0;
  if (magnitude < beyond) return format.family === 'quarter' && magnitude === 0 ? 0 : sign + magnitude;
  if (format.name !== 'f32') return overflow === 'nan' ? format.nan : sign + beyond - 1;
  // f32 as IEEE 754, 7.4: a directed mode that points back at the numbers stops at the greatest one.
  const back =
    mode === 'toward-zero' || (mode === 'toward-plus' && negative) || (mode === 'toward-minus' && !negative);
  return sign + (back ? beyond - 1 : beyond);
}

/** Lower neighbour of a magnitude as a count of codes, and the part of the distance to the next that is left. */
export function split(
  significand: bigint,
  exponent: number,
  format: Format,
): { lower: bigint; rest: bigint; distance: bigint } {
  if (significand === 0n) return { lower: 0n, rest: 0n, distance: 1n };
  const digits = significand.toString(2).length;
  // The distance of neighbours: the last digit of a full significand, or the unit of subnormals.
  const last = Math.max(format.unit, exponent + digits - (format.fractionBits + 1));
  const drop = last - exponent;
  const kept = drop > 0 ? significand >> BigInt(drop) : significand << BigInt(-drop);
  const distance = drop > 0 ? 1n << BigInt(drop) : 1n;
  const rest = drop > 0 ? significand - (kept << BigInt(drop)) : 0n;
  // Codes count numbers: each binade above the subnormals has 2^fractionBits of them.
  const lower = kept + (BigInt(last - format.unit) << BigInt(format.fractionBits));
  return { lower, rest, distance };
}

const restOf = (rest: bigint, distance: bigint): Rest =>
  rest === 0n ? 'none' : 2n * rest < distance ? 'below half' : 2n * rest > distance ? 'above half' : 'half';

/** Code of an exact value rounded once. */
export function encode(value: Exact, format: Format, control: Control): number {
  if (value.kind === 'nan') return format.nan;
  const { negative } = value;
  if (value.kind === 'infinity')
    return format.family === 'quarter' ? format.nan : (negative ? format.sign : 0) + format.beyond;
  const { lower, rest, distance } = split(value.significand, value.exponent, format);
  const up = roundsUp(control.mode, negative, lower % 2n === 1n, restOf(rest, distance));
  return signed(Number(lower) + (up ? 1 : 0), negative, format, control);
}

/**
 * Stochastic rounding: the codes of both neighbours and the chance of the upper one in magnitude. Which random bits
 * decide is not known, so a result is right when it is one of the two; with the frequencies of many draws.
 */
export function neighbours(
  value: Exact,
  format: Format,
  control: Control,
): { lower: number; upper: number; chance: number } {
  if (value.kind !== 'finite') {
    const code = encode(value, format, control);
    return { lower: code, upper: code, chance: 0 };
  }
  const { lower, rest, distance } = split(value.significand, value.exponent, format);
  const code = (magnitude: bigint) => signed(Number(magnitude), value.negative, format, control);
  return {
    lower: code(lower),
    upper: code(rest === 0n ? lower : lower + 1n),
    chance: Number((rest << 60n) / distance) / 2 ** 60,
  };
}
