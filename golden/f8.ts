/**
 * F143 of the oracle: 1-4-3, bias 8, gradual underflow, no infinity, no negative zero, code 0x80 is NaN [SDK].
 * A stored code stands for its value times a power of two.
 */

/** Largest finite value. */
export const F143_MAX = 240;

const LEAST_EXPONENT = -7;
const FRACTION_STEPS = 8;

/** Values of all codes. */
export const F143_VALUES = Float64Array.from({ length: 256 }, (_, code) => {
  if (code === 0x80) return Number.NaN;
  const exponent = Math.floor((code % 128) / FRACTION_STEPS);
  const fraction = code % FRACTION_STEPS;
  const magnitude =
    exponent === 0
      ? (fraction / FRACTION_STEPS) * 2 ** LEAST_EXPONENT
      : (1 + fraction / FRACTION_STEPS) * 2 ** (exponent - 8);
  return code < 128 ? magnitude : -magnitude;
});

/** Distance of neighbouring values at a magnitude of at most 240. */
function spacing(magnitude: number): number {
  let exponent = LEAST_EXPONENT;
  while (magnitude >= 2 ** (exponent + 1)) exponent++;
  return 2 ** exponent / FRACTION_STEPS;
}

/** The nearest F143 value, ties to even, saturating; of NaN NaN. */
export function roundF143(value: number): number {
  if (Number.isNaN(value)) return value;
  const magnitude = Math.min(Math.abs(value), F143_MAX);
  const step = spacing(magnitude);
  const quotient = magnitude / step;
  const lower = Math.floor(quotient);
  const rest = quotient - lower;
  const up = rest > 0.5 || (rest === 0.5 && lower % 2 === 1);
  const rounded = Math.min((lower + (up ? 1 : 0)) * step, F143_MAX);
  return value < 0 && rounded > 0 ? -rounded : rounded;
}

/** Values of codes under a scale. */
export const decodeF143 = (codes: Uint8Array, scale: number): Float64Array =>
  Float64Array.from(codes, (code) => F143_VALUES[code] * 2 ** scale);
