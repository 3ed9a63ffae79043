/**
 * The f16 code nearest to a positive number, ties to even; numbers above the largest finite f16 give it. Constants of
 * kernels only: exact by construction, because a significand of 11 bits and a power of two fit f64.
 */
export function halfCode(value: number): number {
  if (!(value > 0)) throw new RangeError(`${value} is not a positive number`);
  const exponent = Math.max(-14, Math.min(15, Math.floor(Math.log2(value))));
  const scaled = value / 2 ** (exponent - 10);
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const significand = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
  return Math.min(0x7bff, Math.max(0, ((exponent + 14) << 10) + significand));
}

/** The number a finite positive f16 code stands for. */
export const halfValue = (code: number): number => {
  const exponent = code >> 10;
  return exponent === 0 ? (code & 0x3ff) * 2 ** -24 : (1024 + (code & 0x3ff)) * 2 ** (exponent - 25);
};
