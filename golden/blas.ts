import koffi, { type LibraryHandle } from 'koffi';
import { OracleError } from './errors.ts';
import type { GemmShape } from './gemm-rounding.ts';

/** A BLAS library of the host, called on one thread. */
export interface Blas {
  /** What the library says of itself: version, build options, CPU. */
  readonly description: string;
  /** C = A . B in f64, row-major. Throws OracleError for operands that do not fill their shapes. */
  dgemm(shape: GemmShape, a: Float64Array, b: Float64Array): Float64Array;
  /** C = A . B in f32, row-major. */
  sgemm(shape: GemmShape, a: Float32Array, b: Float32Array): Float32Array;
}

/** File names tried in order; the first is Debian's libopenblas0-pthread. */
const LIBRARIES = ['libopenblas.so.0', 'libopenblas.so', 'libopenblas.dylib', 'libopenblas.dll'];

const ROW_MAJOR = 101;
const NO_TRANSPOSE = 111;

let opened: Blas | undefined;
let tried = false;

/** OpenBLAS when the host has it, else undefined. The answer is remembered. */
export function openBlas(): Blas | undefined {
  if (tried) return opened;
  tried = true;
  for (const name of LIBRARIES) {
    opened = loadBlas(name);
    if (opened !== undefined) break;
  }
  return opened;
}

/** Opens one library; undefined when it is missing or lacks a function. */
export function loadBlas(name: string): Blas | undefined {
  try {
    return bind(koffi.load(name));
  } catch {
    return undefined;
  }
}

function bind(library: LibraryHandle): Blas {
  const gemm = (letter: 'd' | 's', scalar: 'double' | 'float') =>
    library.func(
      `void cblas_${letter}gemm(int layout, int transa, int transb, int m, int n, int k, ${scalar} alpha, ` +
        `const ${scalar} *a, int lda, const ${scalar} *b, int ldb, ${scalar} beta, _Inout_ ${scalar} *c, int ldc)`,
    );
  const double = gemm('d', 'double');
  const single = gemm('s', 'float');
  // several threads may sum in an order that changes from call to call
  library.func('void openblas_set_num_threads(int threads)')(1);
  const description = String(library.func('const char *openblas_get_config()')());
  return {
    description,
    dgemm: (shape, a, b) => multiply(double, shape, a, b, new Float64Array(shape.m * shape.n)),
    sgemm: (shape, a, b) => multiply(single, shape, a, b, new Float32Array(shape.m * shape.n)),
  };
}

/** The library reports bad arguments on stderr only, so they are refused here and the output is poisoned. */
function multiply<T extends Float64Array | Float32Array>(
  gemm: ReturnType<LibraryHandle['func']>,
  { m, k, n }: GemmShape,
  a: T,
  b: T,
  c: T,
): T {
  const positive = [m, k, n].every((extent) => Number.isInteger(extent) && extent > 0 && extent < 2 ** 31);
  if (!positive || a.length !== m * k || b.length !== k * n) {
    throw new OracleError(
      `BLAS operands of ${a.length} and ${b.length} elements do not fill ${m} x ${k} and ${k} x ${n}`,
      { left: a.length, right: b.length, m, k, n },
      'Give row-major operands that fill their shapes.',
    );
  }
  c.fill(Number.NaN);
  gemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, 1, a, k, b, n, 0, c, n);
  return c;
}

/** Agreement of a product with BLAS. */
export interface CrossCheck {
  /** Largest difference over gamma(k)(2^-53) (|A||B|), times two for the two sums; at most 1 when both are right. */
  readonly worstRatio: number;
  /** Flat index of the worst element. */
  readonly index: number;
}

/**
 * Compares f64 values of A . B with dgemm. Any two summation orders differ by at most 2 gamma(k) (|A||B|), and
 * |A||B| is computed by dgemm of the absolute values. NaN differences count as infinite.
 */
export function crossCheck(
  blas: Blas,
  shape: GemmShape,
  a: Float64Array,
  b: Float64Array,
  values: Float64Array,
): CrossCheck {
  const other = blas.dgemm(shape, a, b);
  const magnitudes = blas.dgemm(shape, a.map(Math.abs), b.map(Math.abs));
  const roundoff = shape.k * 2 ** -53;
  // one more gamma covers the rounding of the magnitudes themselves
  const gamma = (roundoff / (1 - roundoff)) * (1 + 2 * roundoff);
  let worst = { worstRatio: 0, index: 0 };
  for (let index = 0; index < values.length; index++) {
    const difference = Math.abs(values[index] - other[index]);
    let ratio = difference === 0 ? 0 : difference / (2 * gamma * magnitudes[index]);
    if (Number.isNaN(ratio)) ratio = Number.POSITIVE_INFINITY;
    if (ratio > worst.worstRatio) worst = { worstRatio: ratio, index };
  }
  return worst;
}
