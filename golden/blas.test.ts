import { describe, expect, test } from 'vitest';
import { crossCheck, loadBlas, openBlas } from './blas.ts';
import { OracleError } from './errors.ts';
import { gemmReference } from './gemm.ts';
import { decodeHalf, encodeHalf } from './half.ts';

const blas = openBlas();

/** Halves spread over [-1, 1] by a multiplicative sequence. */
function spread(count: number, multiplier: number): Uint16Array {
  return Uint16Array.from({ length: count }, (_, index) => {
    const fraction = ((index + 1) * multiplier) % 1;
    return encodeHalf(2 * fraction - 1);
  });
}

test('a library that is not there is undefined, not an error', () => {
  expect(loadBlas('libno-such-blas.so.9')).toBeUndefined();
});

describe('OpenBLAS', () => {
  const shape = { m: 61, k: 300, n: 47 };
  const aBits = spread(shape.m * shape.k, 0.618033988749895);
  const bBits = spread(shape.k * shape.n, 0.7548776662466927);
  const a = Float64Array.from(aBits, decodeHalf);
  const b = Float64Array.from(bBits, decodeHalf);
  const needBlas = (skip: (reason: string) => void) => {
    if (blas === undefined) skip('OpenBLAS is not installed (Debian package libopenblas0-pthread)');
    return blas as NonNullable<typeof blas>;
  };

  test('says what it is', ({ skip }) => {
    expect(needBlas(skip).description).toMatch(/OpenBLAS/);
  });

  test('agrees with the reference within the rounding of two f64 sums', ({ skip }) => {
    const library = needBlas(skip);
    const { values, exact } = gemmReference(shape, aBits, bBits, {
      kind: 'gemm-f16-partials',
      microK: 16,
      kPieces: [
        [0, 160],
        [160, 300],
      ],
      partial: 'f16',
      reduce: 'f32-sum',
      out: 'f16',
      overflow: 'saturate',
    });
    expect(exact).toBe(false);
    expect(crossCheck(library, shape, a, b, values).worstRatio).toBeLessThanOrEqual(1);
  });

  test('the cross-check convicts one wrong element and NaN', ({ skip }) => {
    const library = needBlas(skip);
    const values = library.dgemm(shape, a, b);
    expect(crossCheck(library, shape, a, b, values).worstRatio).toBe(0);
    values[1234] += 1e-9;
    expect(crossCheck(library, shape, a, b, values)).toMatchObject({ index: 1234 });
    expect(crossCheck(library, shape, a, b, values).worstRatio).toBeGreaterThan(100);
    values[7] = Number.NaN;
    expect(crossCheck(library, shape, a, b, values)).toEqual({
      worstRatio: Number.POSITIVE_INFINITY,
      index: 7,
    });
  });

  test('sgemm is the f32 product', ({ skip }) => {
    const library = needBlas(skip);
    const single = library.sgemm(shape, Float32Array.from(a), Float32Array.from(b));
    const double = library.dgemm(shape, a, b);
    const worst = single.reduce((most, value, at) => Math.max(most, Math.abs(value - double[at])), 0);
    // gamma(300) in f32 times |A||B| of at most 300
    expect(worst).toBeLessThan((300 * 300) / 2 ** 24);
    expect(worst).toBeGreaterThan(0);
  });

  test('wrong lengths are refused before the library sees them', ({ skip }) => {
    const library = needBlas(skip);
    expect(() => library.dgemm(shape, a.subarray(1), b)).toThrow(OracleError);
    expect(() => library.dgemm({ m: 0, k: 1, n: 1 }, new Float64Array(0), new Float64Array(1))).toThrow(
      OracleError,
    );
  });
});
