/**
 * Standard normal numbers from 32-bit words by inversion of the distribution function (Acklam's rational
 * approximation, relative error below 1.2e-9). Only additions, multiplications, divisions and square roots
 * are used, which IEEE 754 defines exactly, so that inputs do not depend on a platform's log or cos.
 */

const CENTRAL_NUMERATOR = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
];
const CENTRAL_DENOMINATOR = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
  1,
];
const TAIL_NUMERATOR = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_DENOMINATOR = [
  7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1,
];
/** Below this probability the tail form is used. */
const TAIL = 0.02425;

function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (const coefficient of coefficients) value = value * x + coefficient;
  return value;
}

/** Natural logarithm of 2^-33 <= x <= 1 by halving into [1/2, 1] and the series of atanh. */
function ln(x: number): number {
  let mantissa = x;
  let exponent = 0;
  while (mantissa < 0.5) {
    mantissa *= 2;
    exponent--;
  }
  const t = (mantissa - 1) / (mantissa + 1);
  let sum = 0;
  for (let power = 31; power >= 1; power -= 2) sum = sum * t * t + 1 / power;
  return exponent * Math.LN2 + 2 * t * sum;
}

/** Standard normal quantile of a probability in [2^-33, 1 - 2^-33]. */
export function normalQuantile(probability: number): number {
  const upper = 1 - probability;
  const smaller = Math.min(probability, upper);
  if (smaller < TAIL) {
    const q = Math.sqrt(-2 * ln(smaller));
    const magnitude = -polynomial(TAIL_NUMERATOR, q) / polynomial(TAIL_DENOMINATOR, q);
    return probability < upper ? -magnitude : magnitude;
  }
  const q = probability - 0.5;
  const r = q * q;
  return (q * polynomial(CENTRAL_NUMERATOR, r)) / polynomial(CENTRAL_DENOMINATOR, r);
}

/** Standard normal number of one random word; its magnitude is below 6.4. */
export function normalOf(word: number): number {
  return normalQuantile((word + 0.5) / 2 ** 32);
}
