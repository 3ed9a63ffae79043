import { CompileError } from '../errors.ts';
import { DATA_CAPACITY } from '../place/memoryMap.ts';
import { type BlockShape, priceGemm } from './cost.ts';
import { gemmBytes } from './memory.ts';
import { partitionAxis } from './partition.ts';
import type { GemmGrid, GemmPlan } from './plan.ts';

/** Width of the matrix unit's output in f16, in channels [SDK]. */
export const PANEL = 16;
/** Inner values per coefficient load in f16 [SDK]. */
export const GROUP = 16;

export interface GemmShape {
  readonly m: number;
  readonly k: number;
  readonly n: number;
}

/** Cuts a shape over a grid. Throws CompileError when the grid has more parts than an axis has blocks. */
export function planForGrid(shape: GemmShape, grid: GemmGrid, tilesRequested: number): GemmPlan {
  const panels = Math.ceil(shape.n / PANEL);
  const groups = Math.ceil(shape.k / GROUP);
  const active = grid.m * grid.n * grid.k;
  const limits: [string, number, number][] = [
    ['rows', grid.m, shape.m],
    ['panels of 16 columns', grid.n, panels],
    ['groups of 16 inner values', grid.k, groups],
    ['tiles', active, tilesRequested],
  ];
  for (const [what, demand, capacity] of limits) {
    if (demand > capacity) {
      throw new CompileError(
        'plan',
        `grid ${grid.m}x${grid.n}x${grid.k} asks for ${demand} ${what}, there are ${capacity}`,
        { demand, capacity },
        'Pin a smaller grid or leave the plan to the compiler.',
      );
    }
  }
  const rows = partitionAxis(shape.m, 1, grid.m);
  const columns = partitionAxis(shape.n, PANEL, grid.n);
  const inner = partitionAxis(shape.k, GROUP, grid.k);
  const cost = priceGemm(grid, {
    rows: rows.maxBlocks,
    panels: columns.maxBlocks,
    groups: inner.maxBlocks,
  });
  return { grid, tilesRequested, tilesActive: active, rows, columns, inner, cost };
}

/** True when no smaller split of the axis gives the same largest share. */
const isTight = (blocks: number, parts: number) =>
  parts === 1 || Math.ceil(blocks / parts) < Math.ceil(blocks / (parts - 1));

/** Every part count of an axis that could be worth using, up to a limit. */
function tightSplits(blocks: number, limit: number): number[] {
  const splits: number[] = [];
  for (let parts = 1; parts <= Math.min(blocks, limit); parts++)
    if (isTight(blocks, parts)) splits.push(parts);
  return splits;
}

interface SizedGrid {
  readonly grid: GemmGrid;
  readonly block: BlockShape;
  readonly bytes: number;
}

/** Grids of tight splits on at most `tiles` tiles, with the memory of their worst tile. */
function sizedGrids(shape: GemmShape, tiles: number): readonly SizedGrid[] {
  const panels = Math.ceil(shape.n / PANEL);
  const groups = Math.ceil(shape.k / GROUP);
  const sized: SizedGrid[] = [];
  for (const m of tightSplits(shape.m, tiles)) {
    for (const n of tightSplits(panels, Math.floor(tiles / m))) {
      for (const k of tightSplits(groups, Math.floor(tiles / (m * n)))) {
        const grid = { m, n, k };
        const block = {
          rows: Math.ceil(shape.m / m),
          panels: Math.ceil(panels / n),
          groups: Math.ceil(groups / k),
        };
        sized.push({ grid, block, bytes: gemmBytes(grid, block) });
      }
    }
  }
  return sized;
}

/**
 * Plans of a shape that fit on at most `tiles` tiles, cheapest first; equal costs order by fewer tiles,
 * then by (m, n, k). Only tight splits are considered: a looser one costs the same cycles on more tiles.
 * Grids that leave more than half of the tiles idle come last: who asks for tiles wants them used, even
 * where one tile would be faster. Throws CompileError when no grid fits.
 */
export function enumerateGemmPlans(shape: GemmShape, tiles: number): readonly GemmGrid[] {
  const sized = sizedGrids(shape, tiles);
  const fitting = sized.filter(({ bytes }) => bytes <= DATA_CAPACITY);
  if (fitting.length === 0) throw tooLarge(shape, tiles, sized);
  const size = (grid: GemmGrid) => grid.m * grid.n * grid.k;
  const idle = (grid: GemmGrid) => Number(size(grid) * 2 < tiles);
  return fitting
    .map(({ grid, block }) => ({ grid, cycles: priceGemm(grid, block).total }))
    .sort(
      (x, y) =>
        idle(x.grid) - idle(y.grid) ||
        (idle(x.grid) === 1 ? size(y.grid) - size(x.grid) : 0) ||
        x.cycles - y.cycles ||
        size(x.grid) - size(y.grid) ||
        x.grid.m - y.grid.m ||
        x.grid.n - y.grid.n ||
        x.grid.k - y.grid.k,
    )
    .map(({ grid }) => grid);
}

/** Names the least demanding grid; who can place programs adds the tiles that would do. */
function tooLarge(shape: GemmShape, tiles: number, sized: readonly SizedGrid[]): CompileError {
  const smallest = sized.reduce((least, next) => (next.bytes < least.bytes ? next : least));
  const grid = `${smallest.grid.m}x${smallest.grid.n}x${smallest.grid.k}`;
  return new CompileError(
    'plan',
    `gemm ${shape.m}x${shape.k}x${shape.n} does not fit ${tiles} tiles: even grid ${grid} needs ` +
      `${smallest.bytes} bytes on its worst tile, ${DATA_CAPACITY} are there`,
    { demand: smallest.bytes, capacity: DATA_CAPACITY, grid },
    'Use more tiles or a smaller shape.',
    { tile: 0 },
  );
}

/** Reads a pinned plan such as `8x12x15`. */
export function parseGrid(text: string): GemmGrid {
  const match = /^([1-9]\d{0,3})x([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(text);
  if (match === null) {
    throw new CompileError(
      'plan',
      `plan '${text}' is not a grid`,
      { plan: text },
      'Write the grid as ROWSxCOLUMNSxINNER, for example plan=8x12x15.',
    );
  }
  return { m: Number(match[1]), n: Number(match[2]), k: Number(match[3]) };
}
