import type { CausalMask } from '../graph/graph.ts';
import { gemmKernelCycles } from '../kernels/gemm.ts';
import { mergeCycles } from '../kernels/merge.ts';
import { softmaxCycles } from '../kernels/softmax.ts';
import { BLOCK } from './axis.ts';
import { PHASE_OVERHEAD, SOURCE_CHANGE } from './cost.ts';
import { type AxisPartition, partitionAxis, tightParts } from './partition.ts';

/**
 * Plan of attention over streams: tile (stream, i, j) holds query block i and, one after another, the keys and
 * values of its key block j. Every tile makes a softmax of its own keys; statistics (maximum, sum) carry the merge.
 */

export interface AttentionShape {
  readonly streams: number;
  readonly kvStreams: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
  readonly causal: CausalMask;
}

/**
 * materialised: all keys of a query on one tile at once; blocked: keys cut over tiles, one merge; online: keys one
 * block after another on one tile, merged each time; blocked-online: both.
 */
export type AttentionStrategy = 'materialised' | 'blocked' | 'online' | 'blocked-online';

/** Tiles per stream: query blocks x key blocks; and key blocks one after another. */
export interface AttentionGrid {
  readonly queryBlocks: number;
  readonly keyBlocks: number;
  readonly timeBlocks: number;
}

/** Modelled tile cycles of the parts, all rounds together. */
export interface AttentionCost {
  readonly gather: number;
  readonly scores: number;
  readonly softmax: number;
  readonly values: number;
  readonly mergeInTime: number;
  readonly exchange: number;
  readonly merge: number;
  readonly total: number;
}

export interface AttentionPlan {
  readonly shape: AttentionShape;
  readonly grid: AttentionGrid;
  readonly strategy: AttentionStrategy;
  /** Streams at work side by side, and how many times that is done. */
  readonly streamsPerRound: number;
  readonly rounds: number;
  readonly queries: AxisPartition;
  readonly keys: AxisPartition;
  readonly cost: AttentionCost;
  readonly residentBytes: number;
  readonly transientBytes: number;
}

/** Bytes of a row's statistics: maximum and sum in f32. */
export const STATISTICS_BYTES = 8;
/** Bytes of a row of 16 f16. */
const RUN_BYTES = 32;
const BLOCK_WORDS = 128;

export const strategyOf = ({ keyBlocks, timeBlocks }: AttentionGrid): AttentionStrategy => {
  if (timeBlocks === 1) return keyBlocks === 1 ? 'materialised' : 'blocked';
  return keyBlocks === 1 ? 'online' : 'blocked-online';
};

/** Blocks of 16 features of a head. */
export const widthGroups = ({ width }: Pick<AttentionShape, 'width'>): number => Math.ceil(width / BLOCK);

/** Worst-tile extents of a grid. */
function extentsOf(shape: AttentionShape, grid: AttentionGrid) {
  const rows = Math.ceil(Math.ceil(shape.queries / BLOCK) / grid.queryBlocks) * BLOCK;
  const panels = Math.ceil(Math.ceil(shape.keys / BLOCK) / grid.keyBlocks);
  return {
    rows,
    panels,
    panelsAtOnce: Math.ceil(panels / grid.timeBlocks),
    groups: widthGroups(shape),
    /** Query rows a tile keeps after the merge of key blocks. */
    kept: Math.ceil(Math.min(rows, shape.queries) / grid.keyBlocks),
  };
}

function roundsOf({ streams }: AttentionShape, grid: AttentionGrid, tiles: number) {
  const streamsPerRound = Math.min(streams, Math.floor(tiles / (grid.queryBlocks * grid.keyBlocks)));
  return { streamsPerRound, rounds: Math.ceil(streams / streamsPerRound) };
}

function price(shape: AttentionShape, grid: AttentionGrid, rounds: number): AttentionCost {
  const { rows, panels, panelsAtOnce, groups, kept } = extentsOf(shape, grid);
  const { keyBlocks, timeBlocks } = grid;
  const queryWords = (rows / BLOCK) * groups * BLOCK_WORDS;
  const keyWords = 2 * panels * groups * BLOCK_WORDS;
  const messages = (rows / BLOCK + 2 * panels) * groups;
  const gather = queryWords + keyWords + timeBlocks * PHASE_OVERHEAD + SOURCE_CHANGE * messages;
  const scores = timeBlocks * gemmKernelCycles({ rows, panels: panelsAtOnce, groups });
  const softmax = timeBlocks * softmaxCycles({ rows, panels: panelsAtOnce, keys: panelsAtOnce * BLOCK });
  const values = timeBlocks * gemmKernelCycles({ rows, panels: groups, groups: panelsAtOnce });
  const mergeInTime = (timeBlocks - 1) * mergeCycles({ rows, panels: groups, partials: 2, statistics: true });
  const pieceWords = kept * (groups * (RUN_BYTES / 4) + STATISTICS_BYTES / 4);
  const exchange =
    keyBlocks === 1 ? 0 : keyBlocks * (pieceWords + SOURCE_CHANGE * (groups + 1)) + PHASE_OVERHEAD;
  const merge = keyBlocks === 1 ? 0 : mergeCycles({ rows: kept, panels: groups, partials: keyBlocks });
  const parts = { gather, scores, softmax, values, mergeInTime, exchange, merge };
  const total = Object.values(parts).reduce((sum, one) => sum + one, 0);
  return scaled({ ...parts, total }, rounds);
}

const scaled = (cost: AttentionCost, times: number): AttentionCost => ({
  gather: cost.gather * times,
  scores: cost.scores * times,
  softmax: cost.softmax * times,
  values: cost.values * times,
  mergeInTime: cost.mergeInTime * times,
  exchange: cost.exchange * times,
  merge: cost.merge * times,
  total: cost.total * times,
});

function memory(shape: AttentionShape, grid: AttentionGrid, rounds: number) {
  const { rows, panelsAtOnce, groups, kept } = extentsOf(shape, grid);
  const block = BLOCK * RUN_BYTES;
  const out = rows * (groups * RUN_BYTES + STATISTICS_BYTES);
  const piece = kept * (groups * RUN_BYTES + STATISTICS_BYTES);
  const staging = grid.keyBlocks === 1 ? 0 : grid.keyBlocks * piece;
  return {
    residentBytes: rounds * (grid.keyBlocks === 1 ? out : piece),
    transientBytes:
      (rows / BLOCK) * groups * block +
      2 * panelsAtOnce * groups * block +
      panelsAtOnce * rows * RUN_BYTES +
      out +
      staging,
  };
}

/** Cuts attention over a grid that fits the shape and the tiles. */
export function attentionForGrid(shape: AttentionShape, grid: AttentionGrid, tiles: number): AttentionPlan {
  const { streamsPerRound, rounds } = roundsOf(shape, grid, tiles);
  return {
    shape,
    grid,
    strategy: strategyOf(grid),
    streamsPerRound,
    rounds,
    queries: partitionAxis(shape.queries, BLOCK, grid.queryBlocks),
    keys: partitionAxis(shape.keys, BLOCK, grid.keyBlocks),
    cost: price(shape, grid, rounds),
    ...memory(shape, grid, rounds),
  };
}

export interface AttentionCandidate {
  readonly grid: AttentionGrid;
  readonly total: number;
  readonly residentBytes: number;
  readonly transientBytes: number;
}

/** Grids on at most `tiles` tiles, cheapest first; `strategy` keeps only its own. */
export function attentionCandidates(
  shape: AttentionShape,
  tiles: number,
  strategy?: AttentionStrategy,
): readonly AttentionCandidate[] {
  const found: AttentionCandidate[] = [];
  const queryPanels = Math.ceil(shape.queries / BLOCK);
  const keyPanels = Math.ceil(shape.keys / BLOCK);
  for (const queryBlocks of tightParts(queryPanels, tiles))
    for (const keyBlocks of tightParts(keyPanels, Math.floor(tiles / queryBlocks)))
      for (const timeBlocks of tightParts(Math.floor(keyPanels / keyBlocks), keyPanels)) {
        const grid = { queryBlocks, keyBlocks, timeBlocks };
        if (strategy !== undefined && strategyOf(grid) !== strategy) continue;
        const { rounds } = roundsOf(shape, grid, tiles);
        found.push({ grid, total: price(shape, grid, rounds).total, ...memory(shape, grid, rounds) });
      }
  const size = ({ grid }: AttentionCandidate) => grid.queryBlocks * grid.keyBlocks * grid.timeBlocks;
  return found.sort(
    (x, y) => x.total - y.total || size(x) - size(y) || x.grid.queryBlocks - y.grid.queryBlocks,
  );
}
