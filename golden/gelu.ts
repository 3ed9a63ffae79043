import { HALF_MAX, halfSpacing } from './half.ts';

const LINEAR = Math.sqrt(2 / Math.PI);
const CUBIC = 0.044715 * LINEAR;
/** The same as the f16 constants that kernels hold: 0x3a62 and 0x2891. */
const LINEAR_F16 = 0.7978515625;
const CUBIC_F16 = 0.035675048828125;
/** Relative half step of f16 and of f32. */
const U16 = 2 ** -11;
const U32 = 2 ** -24;
/** Half step of f16 subnormals. */
const TINY = 2 ** -25;
/** More than the steepest slope of GeLU, 1.1290 at x = 1.4. */
const SLOPE = 1.13;
/** Beyond this |x| the tanh argument exceeds 12 and tanh differs from 1 by less than 2^-33. */
const FLAT = 6;

/** GeLU in its tanh form. */
export const geluTanh = (x: number): number => 0.5 * x * (1 + Math.tanh(LINEAR * x + CUBIC * x * x * x));

/** Half the distance of f16 values at a magnitude. */
const half = (magnitude: number): number => halfSpacing(Math.min(HALF_MAX, magnitude));

/**
 * Bound on the error of an f16 evaluation of GeLU whose argument may be off by `slack`, in these steps, each rounded
 * to f16: u = x x; v = u x; p = A x + B v (products and sum in f32); t = tanh p within `tanhUlp` steps; w = 1 + t;
 * y = (x / 2) w.
 *
 * With |x| <= M = |value| + slack: |p^ - p| <= dA M + dB M^3 + B M^3 (2 U + U^2 + ...) + f32 + half(p);
 * |t^ - t| <= dp sech^2(|p| - dp) + tanhUlp steps; then half steps of w and y. Beyond |x| = 6 tanh is 1 up to its steps.
 */
export function geluError(value: number, slack: number, tanhUlp: number): number {
  const largest = Math.abs(value) + slack;
  const smallest = Math.max(0, Math.abs(value) - slack);
  const moved = SLOPE * slack;
  const halved = largest / 2;
  const stepsOfT = tanhUlp * 2 * half(1 - U16);
  let tangent = stepsOfT;
  if (smallest <= FLAT) {
    const cube = largest ** 3;
    const argument = LINEAR * largest + CUBIC * cube;
    const cubeError = cube * (2 * U16 + U16 * U16) + TINY * (largest + 1);
    const dp =
      Math.abs(LINEAR_F16 - LINEAR) * largest +
      Math.abs(CUBIC_F16 - CUBIC) * cube +
      CUBIC_F16 * cubeError +
      4 * U32 * argument +
      half(argument * (1 + 4 * U16));
    const least = Math.max(0, LINEAR * smallest + CUBIC * smallest ** 3 - dp);
    tangent += dp / Math.cosh(least) ** 2;
  }
  const sum = tangent + half(2 - U16);
  const product = halved * sum + 2 * TINY;
  const result = Math.abs(geluTanh(value)) + moved + product;
  return moved + product + half(result);
}
