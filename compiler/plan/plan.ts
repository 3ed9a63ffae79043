import type { LogicalTile } from '../../device/ipu21/index.ts';
import type { AxisPartition } from './partition.ts';

/** Tiles in use as a box: row blocks x column blocks x inner (K) pieces. */
export interface GemmGrid {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Modelled tile cycles of each part of a plan. */
export interface GemmCost {
  readonly operandWords: number;
  readonly operandCycles: number;
  readonly gemmCycles: number;
  readonly reductionWords: number;
  readonly reductionExchangeCycles: number;
  readonly reductionCycles: number;
  readonly total: number;
}

/**
 * How one GEMM is cut over tiles: rows in single rows, columns in panels of 16, inner values in groups
 * of 16. Tile (i, j, l) multiplies row block i, inner piece l and column block j.
 */
export interface GemmPlan {
  readonly grid: GemmGrid;
  readonly tilesRequested: number;
  readonly tilesActive: number;
  readonly rows: AxisPartition;
  readonly columns: AxisPartition;
  readonly inner: AxisPartition;
  readonly cost: GemmCost;
}

/** Logical tile of a grid position: K pieces are neighbours, then column blocks, then row blocks. */
export function tileOfPosition(grid: GemmGrid, i: number, j: number, l: number): LogicalTile {
  return ((i * grid.n + j) * grid.k + l) as LogicalTile;
}

/** Inverse of tileOfPosition; undefined for a tile outside the grid. */
export function positionOfTile(
  grid: GemmGrid,
  tile: number,
): { i: number; j: number; l: number } | undefined {
  if (tile >= grid.m * grid.n * grid.k) return undefined;
  const l = tile % grid.k;
  const rest = (tile - l) / grid.k;
  return { i: Math.floor(rest / grid.n), j: rest % grid.n, l };
}

/** The plan in one line, as printed and pinned: `grid=8x12x15`. */
export function describePlan(plan: GemmPlan): string {
  const { grid, rows, columns, inner } = plan;
  return (
    `grid=${grid.m}x${grid.n}x${grid.k} tiles=${plan.tilesActive}/${plan.tilesRequested} ` +
    `rows<=${rows.maxBlocks} columns<=${columns.maxBlocks * 16} inner<=${inner.maxBlocks * 16} ` +
    `weights=single model=${plan.cost.total}`
  );
}
