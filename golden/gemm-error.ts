import { dotBlock, type Packed, type Step } from './gemm-blocks.ts';
import type { GemmShape } from './gemm-rounding.ts';
import { HALF_MAX, halfSpacing } from './half.ts';

/**
 * Running error analysis of a GEMM with f16 partials.
 *
 * Notation: u = 2^-24 is the unit roundoff of f32 and gamma(j) = j u / (1 - j u); h(x) is half the f16 spacing at
 * |x|, that is 2^(floor(log2 |x|) - 11), at least 2^-25; clamp(x) limits x to +-65504.
 *
 * Within one piece, step p adds d_p = sum of at most w = microK exact products (two f16 factors have 22 significant
 * bits) to the running partial. The device computes
 *
 *     s^_p = fl16(fl32(s^_(p-1) + d_p)),    s^_0 = 0
 *
 * with saturation in fl16. The reference is the same recursion without rounding, T_p = clamp(T_(p-1) + d_p), which
 * is the plain sum as long as no prefix leaves the f16 range. With E_p >= |s^_p - T_p|:
 *
 *     F_p = gamma(w) (|T_(p-1)| + E_(p-1) + D_p),    D_p = |a_p| |b_p| (Euclidean norms) >= sum of |a||b|
 *     X_p = E_(p-1) + F_p                            error before the rounding to f16
 *     E_p = X_p + h(min(|T_(p-1) + d_p| + X_p, 65504))
 *
 * F_p holds for any order of the w additions in f32; h grows with its argument, so taking it at an upper bound
 * of the device's magnitude is safe, and clamping both sides never increases a distance. The bound of a piece is E
 * after its last step. All of it uses the actual prefixes, which is what makes it tight.
 *
 * With Q > 1 pieces, results c^_q are added in f32 in any order and rounded once:
 *
 *     E = sum E_q + gamma(Q - 1) sum (|c_q| + E_q),    bound = E + h(min(|sum c_q| + E, 65504))
 *
 * The alarm replaces the sum of the roundings to f16 by their statistics: each is at most h_p, taken as uniform and
 * independent, so their sum has variance sum h_p^2 / 3 and
 *
 *     alarm = min(bound, lambda sqrt(sum h_p^2 / 3) + sum F_p),    lambda = 5.
 *
 * Left values that are themselves computed may be off by at most e (hard) and typically by f. Then the device adds
 * d^_p with |d^_p - d_p| <= |e_p| |b_p| (Euclidean norms), which enters X_p and the magnitudes of F_p; the alarm takes
 * the w errors of a step as independent, so that they add (|f_p| |b_p|)^2 / w to the variance.
 *
 * About one element in two million of a correct result exceeds five standard deviations.
 */

/** Unit roundoff of f32. */
const U32 = 2 ** -24;

/** Standard deviations of the accumulated rounding error that raise an alarm. */
const LAMBDA = 5;

/**
 * Covers what this computation itself rounds in f64. Per step the prefix errs by at most gamma(w + 1)(2^-53)
 * (|T| + D), which is below 2^-28 of F_p, and the bound by a few 2^-53 of |T| + E; a larger F_p absorbs both.
 */
const SLACK = 1 + 2 ** -20;

const BLOCK_ROWS = 16;
const BLOCK_COLUMNS = 64;

function gamma(terms: number): number {
  return (terms * U32) / (1 - terms * U32);
}

/** h by f64 exponent field; exponents above the f16 range never occur because arguments are clamped. */
const HALF_SPACINGS = Float64Array.from({ length: 2048 }, (_, field) =>
  halfSpacing(field === 0 ? 0 : Math.min(HALF_MAX, 2 ** Math.min(1023, field - 1023))),
);

/** Unrounded values with their hard and probabilistic bounds, row-major m x n. */
export interface BoundedProduct {
  readonly values: Float64Array;
  readonly bound: Float64Array;
  readonly alarm: Float64Array;
}

/** Runs the recursions above for all elements, block by block. Non-finite operands give meaningless bounds. */
export function boundedProduct(
  shape: GemmShape,
  left: Packed,
  right: Packed,
  steps: readonly Step[],
  pieces: number,
): BoundedProduct {
  const { m, n } = shape;
  const values = new Float64Array(m * n);
  const bound = new Float64Array(m * n);
  const alarm = new Float64Array(m * n);
  const scratch = new BlockScratch(BLOCK_ROWS * BLOCK_COLUMNS);
  for (let row = 0; row < m; row += BLOCK_ROWS) {
    const rows = Math.min(BLOCK_ROWS, left.lines - row);
    for (let column = 0; column < n; column += BLOCK_COLUMNS) {
      const columns = Math.min(BLOCK_COLUMNS, right.lines - column);
      scratch.clear(rows * columns);
      for (const [index, step] of steps.entries()) {
        dotBlock(scratch.dots, left, right, index, row, rows, column, columns);
        scratch.accumulate(left, right, index, row, rows, column, columns);
        if (step.endsPiece) scratch.endPiece(rows * columns);
      }
      scratch.finish(rows * columns, pieces);
      for (let r = 0; r < Math.min(rows, m - row); r++) {
        const to = (row + r) * n + column;
        const from = r * columns;
        const until = from + Math.min(columns, n - column);
        values.set(scratch.sums.subarray(from, until), to);
        bound.set(scratch.bounds.subarray(from, until), to);
        alarm.set(scratch.alarms.subarray(from, until), to);
      }
    }
  }
  return { values, bound, alarm };
}

/** State of one block of elements: the current piece, then the totals over pieces. */
class BlockScratch {
  readonly dots: Float64Array;
  /** T, E, sum of F and sum of h^2 of the current piece. */
  readonly #partials: Float64Array;
  readonly #errors: Float64Array;
  readonly #additions: Float64Array;
  readonly #squares: Float64Array;
  /** Sums over finished pieces: values, errors, and magnitudes for the f32 reduction. */
  readonly sums: Float64Array;
  readonly bounds: Float64Array;
  readonly alarms: Float64Array;
  readonly #magnitudes: Float64Array;
  readonly #aligned = new Float64Array(1);
  readonly #fields = new Uint32Array(this.#aligned.buffer);

  constructor(size: number) {
    this.dots = new Float64Array(size);
    this.#partials = new Float64Array(size);
    this.#errors = new Float64Array(size);
    this.#additions = new Float64Array(size);
    this.#squares = new Float64Array(size);
    this.sums = new Float64Array(size);
    this.bounds = new Float64Array(size);
    this.alarms = new Float64Array(size);
    this.#magnitudes = new Float64Array(size);
  }

  clear(count: number): void {
    const all = [this.#partials, this.#errors, this.#additions, this.#squares, this.#magnitudes];
    for (const array of [...all, this.sums, this.bounds, this.alarms]) array.fill(0, 0, count);
  }

  /** h of a magnitude of at most 65504. */
  #halfSpacing(magnitude: number): number {
    this.#aligned[0] = magnitude;
    return HALF_SPACINGS[this.#fields[HIGH_WORD] >>> 20];
  }

  accumulate(
    left: Packed,
    right: Packed,
    step: number,
    firstRow: number,
    rows: number,
    firstColumn: number,
    columns: number,
  ): void {
    const partials = this.#partials;
    const errors = this.#errors;
    const additions = this.#additions;
    const squares = this.#squares;
    const dots = this.dots;
    const aligned = this.#aligned;
    const fields = this.#fields;
    const largest = HALF_MAX;
    const roundoff = gamma(left.width) * SLACK;
    const { slack } = left;
    for (let r = 0; r < rows; r++) {
      const line = step * left.lines + firstRow + r;
      const offBound = slack === undefined ? 0 : slack.bound[line];
      const offTypical = slack === undefined ? 0 : slack.typical[line] ** 2 / left.width;
      const norm = left.norms[line] + offBound;
      const normsFrom = step * right.lines + firstColumn;
      for (let c = 0; c < columns; c++) {
        const at = r * columns + c;
        const before = partials[at];
        const sum = before + dots[at];
        const f32 = roundoff * (Math.abs(before) + errors[at] + norm * right.norms[normsFrom + c]);
        const rightNorm = right.norms[normsFrom + c];
        const entering = errors[at] + f32 + offBound * rightNorm;
        aligned[0] = Math.min(largest, Math.abs(sum) + entering);
        const spacing = HALF_SPACINGS[fields[HIGH_WORD] >>> 20];
        partials[at] = Math.max(-largest, Math.min(largest, sum));
        errors[at] = entering + spacing;
        additions[at] += f32;
        squares[at] += spacing * spacing + 3 * offTypical * rightNorm * rightNorm;
      }
    }
  }

  endPiece(count: number): void {
    for (let at = 0; at < count; at++) {
      this.sums[at] += this.#partials[at];
      this.bounds[at] += this.#errors[at];
      this.#magnitudes[at] += Math.abs(this.#partials[at]) + this.#errors[at];
      this.#partials[at] = 0;
      this.#errors[at] = 0;
    }
  }

  finish(count: number, pieces: number): void {
    const roundoff = gamma(pieces - 1) * SLACK;
    for (let at = 0; at < count; at++) {
      if (pieces > 1) {
        const addition = roundoff * this.#magnitudes[at];
        const entering = this.bounds[at] + addition;
        const spacing = this.#halfSpacing(Math.min(HALF_MAX, Math.abs(this.sums[at]) + entering));
        this.bounds[at] = entering + spacing;
        this.#additions[at] += addition;
        this.#squares[at] += spacing * spacing;
        this.sums[at] = Math.max(-HALF_MAX, Math.min(HALF_MAX, this.sums[at]));
      }
      this.bounds[at] *= SLACK;
      const typical = LAMBDA * Math.sqrt(this.#squares[at] / 3) + this.#additions[at];
      this.alarms[at] = Math.min(this.bounds[at], typical * SLACK);
    }
  }
}

/** Index of the word of a double that holds sign and exponent. */
const HIGH_WORD = new Uint32Array(new Float64Array([1]).buffer)[1] === 0 ? 0 : 1;

/** Plain sums in f64 of all elements; exact when every partial is exactly representable. */
export function plainProduct(
  shape: GemmShape,
  left: Packed,
  right: Packed,
  steps: readonly Step[],
): Float64Array {
  const { m, n } = shape;
  const values = new Float64Array(m * n);
  const dots = new Float64Array(BLOCK_ROWS * BLOCK_COLUMNS);
  for (let row = 0; row < m; row += BLOCK_ROWS) {
    const rows = Math.min(BLOCK_ROWS, left.lines - row);
    for (let column = 0; column < n; column += BLOCK_COLUMNS) {
      const columns = Math.min(BLOCK_COLUMNS, right.lines - column);
      for (let step = 0; step < steps.length; step++) {
        dotBlock(dots, left, right, step, row, rows, column, columns);
        for (let r = 0; r < Math.min(rows, m - row); r++) {
          for (let c = 0; c < Math.min(columns, n - column); c++) {
            values[(row + r) * n + column + c] += dots[r * columns + c];
          }
        }
      }
    }
  }
  return values;
}
