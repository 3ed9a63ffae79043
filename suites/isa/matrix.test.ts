import { afterAll, describe, expect, it } from 'vitest';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { matrixUnitDot } from '../../golden/matrix-unit.ts';
import { deriveSeed } from '../../harness/case/index.ts';
import { wordStream } from '../../harness/fill/index.ts';
import { compileGemm } from '../gemm/build.ts';
import { gemmGrammar } from '../gemm/problem.ts';

/**
 * The matrix unit bit for bit against exact integers: one tile multiplies random f16 patterns whose exponents spread, so
 * that sums cancel, round in f32 and in f16, become subnormal and saturate. One tile and one K piece: every result is
 * the unit's own.
 */
const device = new SimulatedIpu21();
afterAll(() => device.close());

type Draw = (word: number) => number;
/** Finite patterns with exponents from `from` on, `count` of them. */
const exponents =
  (from: number, count: number): Draw =>
  (word) =>
    ((word & 0x8000) | ((from + ((word >>> 16) % count)) << 10) | (word & 0x3ff)) & 0xffff;

const SPREADS: readonly (readonly [string, Draw, Draw])[] = [
  ['around one', exponents(13, 5), exponents(13, 5)],
  ['wide', exponents(3, 20), exponents(6, 14)],
  ['towards subnormal sums', exponents(0, 9), exponents(1, 9)],
  ['towards saturation', exponents(20, 10), exponents(14, 6)],
  ['large against small', exponents(25, 4), exponents(0, 25)],
];

async function product(name: string, m: number, k: number, n: number, left: Draw, right: Draw) {
  const [aw, bw] = ['a', 'b'].map((tensor) => wordStream(deriveSeed(`isa/matrix/${name}`, tensor)));
  const a = Uint16Array.from({ length: m * k }, (_, at) => left(aw(at)));
  const b = Uint16Array.from({ length: k * n }, (_, at) => right(bw(at)));
  const { fill: _fill, seed: _seed, ...problem } = gemmGrammar.parse(`gemm/m=${m},k=${k},n=${n},plan=1x1x1`);
  const compiled = compileGemm(problem);
  await device.load(compiled.packageBytes);
  const { outputs } = await device.call(
    'run',
    compiled.pack([
      { name: 'a', dtype: 'f16', shape: [m, k], data: a },
      { name: 'b', dtype: 'f16', shape: [k, n], data: b },
    ]),
  );
  const c = compiled.unpack(outputs)[0].tensor.data as Uint16Array;
  const wanted = Uint16Array.from({ length: m * n }, (_, at) => {
    const row = a.subarray(Math.floor(at / n) * k, (Math.floor(at / n) + 1) * k);
    return matrixUnitDot(row, (inner) => b[inner * n + (at % n)], k);
  });
  return { c, wanted };
}

/** Codes that differ, both zeros counted as one: a sum of nothing has no sign of its own. */
const differing = (left: Uint16Array, right: Uint16Array): number =>
  left.filter((code, at) => code !== right[at] && ((code | right[at]) & 0x7fff) !== 0).length;

describe('f16v4hihov4amp against exact integers', () => {
  it.each(SPREADS)('%s', async (name, left, right) => {
    for (const k of [16, 40, 80]) {
      const { c, wanted } = await product(`${name}/${k}`, 37, k, 32, left, right);
      expect(differing(c, wanted), `k = ${k}`).toBe(0);
    }
  });

  it('sees one step in one result, and lost last bits', async () => {
    const { c, wanted } = await product('planted', 24, 48, 32, exponents(3, 20), exponents(6, 14));
    expect(differing(c, wanted)).toBe(0);
    expect(
      differing(
        c.map((code, at) => (at === 100 ? code ^ 1 : code)),
        wanted,
      ),
    ).toBe(1);
    const coarse = c.map((code) => code & 0xfffe);
    expect(differing(coarse, wanted)).toBeGreaterThan(100);
  });
});
