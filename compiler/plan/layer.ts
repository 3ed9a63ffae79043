import { castCycles } from '../kernels/cast.ts';
import { type EpilogueKind, epilogueCycles } from '../kernels/epilogue.ts';
import { gemmKernelCycles } from '../kernels/gemm.ts';
import { reduceKernelCycles } from '../kernels/reduce.ts';
import { BLOCK } from './axis.ts';
import { PHASE_OVERHEAD, SOURCE_CHANGE } from './cost.ts';
import { type AxisPartition, partitionAxis, tightParts } from './partition.ts';
import type { GemmGrid } from './plan.ts';

/**
 * Plan of one layer y = f(x . w + b) with features as rows of the matrix unit and tokens as its coefficients:
 * tile (i, j, l) multiplies feature block i, inner piece l and token block j. Values between layers live in
 * blocks of 16 tokens x 16 features.
 */

/** Bytes of a block of 16 x 16 f16. */
export const BLOCK_BYTES = 512;

/** Where the weights live: once on the chip, or on every tile that multiplies them. */
export type WeightPolicy = 'single' | 'replicated';

export interface LayerShape {
  readonly tokens: number;
  readonly inner: number;
  readonly features: number;
  readonly operands: 'f16' | 'f8f143';
  /** The result is cast to f8, whose blocks hold 32 features. */
  readonly casts: boolean;
}

/** Inner values of a coefficient load: a block of operands always has 512 bytes [SDK]. */
export const innerBlock = ({ operands }: LayerShape): number => (operands === 'f16' ? BLOCK : 2 * BLOCK);
/** Blocks of 16 features that stay together on a tile. */
export const rowGrain = ({ casts }: LayerShape): number => (casts ? 2 : 1);

/** What the layer does behind its GEMM; undefined when nothing. */
export type LayerEpilogue = EpilogueKind | undefined;

/** Modelled tile cycles of the parts of a layer. */
export interface LayerCost {
  readonly gather: number;
  readonly gemm: number;
  readonly partials: number;
  readonly reduce: number;
  readonly epilogue: number;
  readonly cast: number;
  readonly total: number;
}

/** One product among the rows of a layer: a run of row shares with their own epilogue. */
export interface LayerPartPlan {
  readonly firstShare: number;
  readonly shares: number;
  /** First block of 16 features, among all of the layer's. */
  readonly firstBlock: number;
  readonly epilogue: LayerEpilogue;
}

export interface LayerPlan {
  readonly shape: LayerShape;
  /** m feature blocks x n token blocks x k inner pieces. */
  readonly grid: GemmGrid;
  readonly weights: WeightPolicy;
  readonly epilogue: LayerEpilogue;
  readonly rows: AxisPartition;
  readonly columns: AxisPartition;
  readonly inner: AxisPartition;
  readonly parts: readonly LayerPartPlan[];
  readonly cost: LayerCost;
  /** Bytes of the worst tile that live as long as the program. */
  readonly residentBytes: number;
  /** Bytes of the worst tile that live during the layer only. */
  readonly transientBytes: number;
}

/** Worst-tile extents in blocks of 16. */
export interface LayerExtents {
  readonly rows: number;
  readonly panels: number;
  readonly groups: number;
}

const leftBytes = ({ rows, groups }: LayerExtents): number => rows * groups * BLOCK_BYTES;
const rightBytes = ({ panels, groups }: LayerExtents): number => panels * groups * BLOCK_BYTES;
const resultBytes = ({ rows, panels }: LayerExtents): number => rows * panels * BLOCK_BYTES;

/** Closed-form price of a grid, in tile cycles of the worst tile. */
export function priceLayer(
  grid: GemmGrid,
  extents: LayerExtents,
  weights: WeightPolicy,
  epilogue: LayerEpilogue,
  grain: number,
): LayerCost {
  const gathersWeights = weights === 'single' && grid.n > 1;
  const words = (rightBytes(extents) + (gathersWeights ? leftBytes(extents) : 0)) / 4;
  const sources = grid.m + (gathersWeights ? grid.n : 0);
  const gather = words + PHASE_OVERHEAD + SOURCE_CHANGE * sources;
  const gemm = gemmKernelCycles({ ...extents, rows: extents.rows * BLOCK });
  const piece = pieceBlocks(grid, extents, grain);
  let partials = 0;
  let reduce = 0;
  if (grid.k > 1) {
    partials = ((piece * BLOCK_BYTES) / 4) * (grid.k - 1) + PHASE_OVERHEAD + SOURCE_CHANGE * (grid.k - 1);
    reduce = reduceKernelCycles({ granules: piece * 32, partials: grid.k });
  }
  const after = epilogue === undefined ? 0 : epilogueCycles(epilogue, { blocks: piece });
  const cast = grain === 1 ? 0 : castCycles({ blocks: piece / grain });
  const total = gather + gemm + partials + reduce + after + cast;
  return { gather, gemm, partials, reduce, epilogue: after, cast, total };
}

/** Most result blocks of one tile after the reduction. */
const pieceBlocks = (grid: GemmGrid, { rows, panels }: LayerExtents, grain: number): number =>
  Math.ceil((rows * panels) / grain / grid.k) * grain;

export function layerMemory(grid: GemmGrid, extents: LayerExtents, weights: WeightPolicy, grain: number) {
  const left = leftBytes(extents);
  const piece = pieceBlocks(grid, extents, grain) * BLOCK_BYTES;
  const home = weights === 'single' && grid.n > 1;
  return {
    residentBytes: Math.ceil(home ? left / grid.n : left) + piece / BLOCK,
    transientBytes: (home ? left : 0) + rightBytes(extents) + resultBytes(extents) + (grid.k + 2) * piece,
  };
}

/** Cuts a layer over a grid. The grid must fit the shape: no more parts than blocks on any axis. */
export function layerForGrid(
  shape: LayerShape,
  grid: GemmGrid,
  weights: WeightPolicy,
  epilogue: LayerEpilogue,
): LayerPlan {
  const grain = rowGrain(shape);
  const rows = widened(partitionAxis(shape.features, BLOCK * grain, grid.m), grain);
  const columns = partitionAxis(shape.tokens, BLOCK, grid.n);
  const inner = partitionAxis(shape.inner, innerBlock(shape), grid.k);
  const extents = { rows: rows.maxBlocks, panels: columns.maxBlocks, groups: inner.maxBlocks };
  return {
    shape,
    grid,
    weights,
    epilogue,
    rows,
    columns,
    inner,
    parts: [{ firstShare: 0, shares: grid.m, firstBlock: 0, epilogue }],
    cost: priceLayer(grid, extents, weights, epilogue, grain),
    ...layerMemory(grid, extents, weights, grain),
  };
}

/** A partition in grains of several blocks, told in blocks of 16. */
function widened(partition: AxisPartition, grain: number): AxisPartition {
  return {
    ...partition,
    block: BLOCK,
    maxBlocks: partition.maxBlocks * grain,
    shares: partition.shares.map((share) => ({
      ...share,
      firstBlock: share.firstBlock * grain,
      blocks: share.blocks * grain,
    })),
  };
}

export interface LayerCandidate {
  readonly grid: GemmGrid;
  readonly total: number;
  readonly residentBytes: number;
  readonly transientBytes: number;
}

/** Grids on at most `tiles` tiles, cheapest first; ties go to fewer tiles. */
export function layerCandidates(
  shape: LayerShape,
  tiles: number,
  weights: WeightPolicy,
  epilogue: LayerEpilogue,
): readonly LayerCandidate[] {
  const grain = rowGrain(shape);
  const rowGrains = Math.ceil(shape.features / (BLOCK * grain));
  const panels = Math.ceil(shape.tokens / BLOCK);
  const groups = Math.ceil(shape.inner / innerBlock(shape));
  const found: LayerCandidate[] = [];
  for (const m of tightParts(rowGrains, tiles)) {
    for (const n of tightParts(panels, Math.floor(tiles / m))) {
      for (const k of tightParts(groups, Math.floor(tiles / (m * n)))) {
        const grid = { m, n, k };
        const extents = {
          rows: Math.ceil(rowGrains / m) * grain,
          panels: Math.ceil(panels / n),
          groups: Math.ceil(groups / k),
        };
        const { total } = priceLayer(grid, extents, weights, epilogue, grain);
        found.push({ grid, total, ...layerMemory(grid, extents, weights, grain) });
      }
    }
  }
  const active = ({ grid }: LayerCandidate) => grid.m * grid.n * grid.k;
  return found.sort((x, y) => x.total - y.total || active(x) - active(y) || x.grid.m - y.grid.m);
}
