import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompileError } from '../errors.ts';
import { DATA_CAPACITY } from '../place/memoryMap.ts';
import { enumerateGemmPlans, parseGrid, planForGrid } from './gemm.ts';
import { partitionAxis, splitEvenly } from './partition.ts';
import { positionOfTile, tileOfPosition } from './plan.ts';
import { verifyGemmPlan } from './verify.ts';

const extent = fc.integer({ min: 1, max: 2000 });
const tileCount = fc.integer({ min: 1, max: 1472 });

describe('partitionAxis', () => {
  it('covers the axis with balanced shares', () => {
    fc.assert(
      fc.property(extent, fc.constantFrom(1, 16), fc.nat(), (size, block, pick) => {
        const blocks = Math.ceil(size / block);
        const parts = 1 + (pick % blocks);
        const partition = partitionAxis(size, block, parts);
        const counts = partition.shares.map((share) => share.blocks);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(blocks);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        expect(partition.shares.reduce((sum, share) => sum + share.size, 0)).toBe(size);
      }),
    );
  });

  it('refuses more parts than blocks', () => {
    expect(() => partitionAxis(33, 16, 4)).toThrow(RangeError);
  });

  it('splits items into ranges that differ by at most one', () => {
    expect(splitEvenly(7, 3)).toEqual([
      { start: 0, end: 3 },
      { start: 3, end: 5 },
      { start: 5, end: 7 },
    ]);
  });
});

describe('enumerateGemmPlans', () => {
  it('gives legal plans on at most the tiles asked for, at least half of them when possible', () => {
    fc.assert(
      fc.property(extent, extent, extent, tileCount, (m, k, n, tiles) => {
        const shape = { m, k, n };
        let grids: ReturnType<typeof enumerateGemmPlans>;
        try {
          grids = enumerateGemmPlans(shape, tiles);
        } catch (error) {
          expect((error as CompileError).facts.demand).toBeGreaterThan(DATA_CAPACITY);
          return;
        }
        const plan = planForGrid(shape, grids[0], tiles);
        verifyGemmPlan(plan);
        const possible = grids.some((grid) => grid.m * grid.n * grid.k * 2 >= tiles);
        if (possible) expect(plan.tilesActive * 2).toBeGreaterThanOrEqual(tiles);
      }),
      { numRuns: 60 },
    );
  });

  it('is a pure function', () => {
    const shape = { m: 47, k: 129, n: 63 };
    expect(enumerateGemmPlans(shape, 64)).toEqual(enumerateGemmPlans(shape, 64));
  });

  it('says what the smallest grid needs when nothing fits', () => {
    const attempt = () => enumerateGemmPlans({ m: 1024, k: 1024, n: 1024 }, 2);
    expect(attempt).toThrow(CompileError);
    try {
      attempt();
    } catch (error) {
      const { stage, facts } = error as CompileError;
      expect(stage).toBe('plan');
      expect(facts.demand).toBeGreaterThan(facts.capacity as number);
    }
  });
});

describe('pinned plans', () => {
  it.each(['', '8x8', '0x1x1', '1x1x1x1', '8X8X8', '99999x1x1', '1x-1x1'])('refuses %j', (text) => {
    expect(() => parseGrid(text)).toThrow(/is not a grid/);
  });

  it('refuses a grid with more parts than the axis has blocks, naming both numbers', () => {
    const plan = () => planForGrid({ m: 4, k: 16, n: 16 }, parseGrid('5x1x1'), 8);
    expect(plan).toThrow(/asks for 5 rows, there are 4/);
    expect(() => planForGrid({ m: 4, k: 16, n: 16 }, parseGrid('4x1x1'), 2)).toThrow(/4 tiles, there are 2/);
  });

  it('maps grid positions to tiles and back', () => {
    const grid = parseGrid('3x4x5');
    const seen = new Set<number>();
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 4; j++)
        for (let l = 0; l < 5; l++) {
          const tile = tileOfPosition(grid, i, j, l);
          seen.add(tile);
          expect(positionOfTile(grid, tile)).toEqual({ i, j, l });
        }
    expect(seen.size).toBe(60);
    expect(positionOfTile(grid, 60)).toBeUndefined();
  });
});

describe('verifyGemmPlan', () => {
  const plan = planForGrid({ m: 20, k: 64, n: 64 }, { m: 2, n: 2, k: 2 }, 8);

  it.each([
    ['too many tiles', { ...plan, tilesActive: 9 }],
    ['a missing share', { ...plan, rows: { ...plan.rows, shares: plan.rows.shares.slice(1) } }],
    [
      'an overlap',
      {
        ...plan,
        rows: { ...plan.rows, shares: [plan.rows.shares[0], { ...plan.rows.shares[1], start: 9 }] },
      },
    ],
    ['an uncovered tail', { ...plan, inner: { ...plan.inner, extent: 80 } }],
    ['a share above the maximum', { ...plan, columns: { ...plan.columns, maxBlocks: 1 } }],
  ])('catches %s', (_defect, broken) => {
    expect(() => verifyGemmPlan(broken)).toThrow(/plan verifier/);
  });
});
