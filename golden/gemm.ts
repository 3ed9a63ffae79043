import { OracleError } from './errors.ts';
import { COLUMN_MULTIPLE, decodeAll, pack, ROW_MULTIPLE, stepsOf } from './gemm-blocks.ts';
import { boundedProduct, plainProduct } from './gemm-error.ts';
import type { GemmRounding, GemmShape } from './gemm-rounding.ts';
import { decodeHalf, encodeHalf } from './half.ts';

export { type GemmRounding, type GemmShape, parseGemmRounding } from './gemm-rounding.ts';

/** f16 holds every integer up to this. */
const EXACT_INTEGERS = 2048;

/** What a GEMM result must be; arrays are row-major m x n. */
export interface GemmReference {
  /** The product in f64, saturated where the declared model saturates; not rounded to f16. */
  readonly values: Float64Array;
  /** Hard bound on |result - value|; 0 when exact and for non-finite values. */
  readonly bound: Float64Array;
  /** Probabilistic bound, at most `bound`. */
  readonly alarm: Float64Array;
  /** No partial in any order needs rounding: the result must equal `expectedBits`. */
  readonly exact: boolean;
  readonly expectedBits?: Uint16Array;
  /** Name of the model with its numbers. */
  readonly model: string;
}

/**
 * Reference of C = A . B for row-major f16 storage bits under a declared rounding model: f64 values, a rigorous
 * per-element bound and a probabilistic alarm (derivation in gemm-error.ts). Operands with infinities or NaN
 * make whole rows or columns non-finite, by IEEE rules [GUESS for infinities: no rounding mode makes them finite].
 * Throws OracleError when lengths and extents disagree.
 */
export function gemmReference(
  shape: GemmShape,
  aBits: Uint16Array,
  bBits: Uint16Array,
  rounding: GemmRounding,
): GemmReference {
  checkLengths(shape, aBits, bBits);
  const { m, k, n } = shape;
  const a = decodeAll(aBits);
  const b = decodeAll(bBits);
  const steps = stepsOf(rounding);
  const left = pack(a, m, k, 1, steps, rounding.microK, ROW_MULTIPLE);
  const right = pack(b, n, 1, n, steps, rounding.microK, COLUMN_MULTIPLE);
  if (isExact(shape, a, b)) {
    const values = plainProduct(shape, left, right, steps);
    return {
      values,
      bound: new Float64Array(m * n),
      alarm: new Float64Array(m * n),
      exact: true,
      expectedBits: Uint16Array.from(values, (value) => encodeHalf(value)),
      model: 'exact: every partial sum is an f16 number',
    };
  }
  const pieces = rounding.kPieces.length;
  const product = boundedProduct(shape, left, right, steps, pieces);
  replaceNonFinite(shape, a, b, product);
  const model = `f16 partials every ${rounding.microK} of ${k} inner values, ${pieces} piece(s) summed in f32`;
  return { ...product, exact: false, model };
}

function checkLengths({ m, k, n }: GemmShape, aBits: Uint16Array, bBits: Uint16Array): void {
  for (const [name, length, rows, columns] of [
    ['A', aBits.length, m, k],
    ['B', bBits.length, k, n],
  ] as const) {
    const positive = [rows, columns].every((extent) => Number.isSafeInteger(extent) && extent > 0);
    if (!positive || length !== rows * columns) {
      throw new OracleError(
        `${name} has ${length} elements for ${rows} x ${columns}`,
        { length, rows, columns },
        'Give row-major operands that fill their shapes.',
      );
    }
  }
}

/**
 * Two sufficient conditions for exactness in any order: integers with sums of |a||b| of at most 2048, or a left
 * operand whose rows each hold at most one nonzero, which is +-1.
 */
export function isExact({ m, k, n }: GemmShape, a: Float64Array, b: Float64Array): boolean {
  if (!b.every(Number.isFinite)) return false;
  const largest = new Float64Array(k);
  let integers = true;
  for (let inner = 0; inner < k; inner++) {
    for (let column = 0; column < n; column++) {
      const value = b[inner * n + column];
      integers &&= Number.isInteger(value);
      largest[inner] = Math.max(largest[inner], Math.abs(value));
    }
  }
  let selects = true;
  for (let row = 0; row < m && (integers || selects); row++) {
    let sum = 0;
    let nonzeros = 0;
    for (let inner = 0; inner < k; inner++) {
      const value = a[row * k + inner];
      if (value === 0) continue;
      integers &&= Number.isInteger(value);
      selects &&= Math.abs(value) === 1 && ++nonzeros === 1;
      sum += Math.abs(value) * largest[inner];
    }
    integers &&= sum <= EXACT_INTEGERS;
  }
  return integers || selects;
}

/** Elements whose row of A or column of B is not finite get their IEEE sum and no bound. */
function replaceNonFinite(
  { m, k, n }: GemmShape,
  a: Float64Array,
  b: Float64Array,
  product: { values: Float64Array; bound: Float64Array; alarm: Float64Array },
): void {
  const rows = Array.from({ length: m }, (_, row) =>
    a.subarray(row * k, (row + 1) * k).every(Number.isFinite),
  );
  const columns = new Array<boolean>(n).fill(true);
  for (let index = 0; index < k * n; index++) if (!Number.isFinite(b[index])) columns[index % n] = false;
  if (rows.every(Boolean) && columns.every(Boolean)) return;
  for (let row = 0; row < m; row++) {
    for (let column = 0; column < n; column++) {
      if (rows[row] && columns[column]) continue;
      let sum = 0;
      for (let inner = 0; inner < k; inner++) sum += a[row * k + inner] * b[inner * n + column];
      const at = row * n + column;
      product.values[at] = sum;
      product.bound[at] = 0;
      product.alarm[at] = 0;
    }
  }
}

/**
 * What each block of `blockK` inner values adds to one element (flat index) of the product, in f64. Used to name
 * a block that is missing from a wrong result.
 */
export function blockContributions(
  { k, n }: GemmShape,
  aBits: Uint16Array,
  bBits: Uint16Array,
  blockK: number,
): (element: number) => Float64Array {
  return (element) => {
    const row = Math.floor(element / n);
    const column = element % n;
    const parts = new Float64Array(Math.ceil(k / blockK));
    for (let inner = 0; inner < k; inner++) {
      parts[Math.floor(inner / blockK)] +=
        decodeHalf(aBits[row * k + inner]) * decodeHalf(bBits[inner * n + column]);
    }
    return parts;
  };
}
