import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerGemm } from '../lower/gemm.ts';
import type { BindingLayout } from '../lower/stages.ts';
import { planForGrid } from '../plan/gemm.ts';
import { fileOffsetOf, packBinding, unpackBinding } from './hostLayout.ts';

const layouts = (m: number, k: number, n: number, grid: { m: number; n: number; k: number }) =>
  lowerGemm(planForGrid({ m, k, n }, grid, 1472), { a: 'a', b: 'b', c: 'c' }).bindings;

const size = fc.integer({ min: 1, max: 70 });
const anyLayout = fc
  .tuple(size, size, size, fc.nat(), fc.nat(), fc.nat(), fc.integer({ min: 0, max: 2 }))
  .map(([m, k, n, x, y, z, which]) => {
    const grid = { m: 1 + (x % m), n: 1 + (y % Math.ceil(n / 16)), k: 1 + (z % Math.ceil(k / 16)) };
    return layouts(m, k, n, grid)[which];
  });
const numbered = (layout: BindingLayout) =>
  Uint16Array.from({ length: layout.shape[0] * layout.shape[1] }, (_, index) => 1 + (index % 65_535));

describe('host layouts', () => {
  it('unpack gives back what was packed, all elements covered, padding clean', () => {
    fc.assert(
      fc.property(anyLayout, (layout) => {
        const data = numbered(layout);
        const result = unpackBinding(layout, packBinding(layout, data));
        expect(result.data).toEqual(data);
        expect(result.covered).toBe(data.length);
        expect(result.dirty).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('finds every element where packing put it', () => {
    fc.assert(
      fc.property(anyLayout, fc.nat(), fc.nat(), (layout, x, y) => {
        const [row, column] = [x % layout.shape[0], y % layout.shape[1]];
        const file = new DataView(packBinding(layout, numbered(layout)).buffer);
        const place = fileOffsetOf(layout, row, column);
        expect(place).toBeDefined();
        expect(file.getUint16(place!.offset, true)).toBe(1 + ((row * layout.shape[1] + column) % 65_535));
      }),
    );
  });

  it('stores left operands as whole runs of 16 columns and coefficients column by column', () => {
    const [a, b] = layouts(3, 20, 18, { m: 1, n: 1, k: 1 });
    // A is 3 x 20: groups of [row][16]; B is 20 x 18: panels of [group][column][16 inner].
    expect(fileOffsetOf(a, 2, 17)?.offset).toBe((1 * 3 * 16 + 2 * 16 + 1) * 2);
    expect(fileOffsetOf(b, 17, 16)?.offset).toBe(((1 * 2 + 1) * 256 + 0 * 16 + 1) * 2);
    expect(fileOffsetOf(a, 3, 0)).toBeUndefined();
  });

  it('counts only the elements that some block covers', () => {
    const [, , c] = layouts(40, 16, 40, { m: 2, n: 2, k: 1 });
    const missing = { ...c, blocks: c.blocks.slice(1) };
    const gone = c.blocks[0].rows * c.blocks[0].columns;
    expect(gone).toBeGreaterThan(0);
    expect(unpackBinding(missing, packBinding(c, numbered(c))).covered).toBe(40 * 40 - gone);
  });

  it('reports padding that is not zero, ignoring the sign', () => {
    const [, , c] = layouts(2, 16, 10, { m: 1, n: 1, k: 1 });
    const file = packBinding(c, numbered(c));
    new DataView(file.buffer).setUint16(30, 0x8000, true);
    expect(unpackBinding(c, file).dirty).toEqual([]);
    new DataView(file.buffer).setUint16(30, 0x3c00, true);
    expect(unpackBinding(c, file).dirty).toEqual([{ fileOffset: 30, code: 0x3c00 }]);
  });
});
