import { BLOCK } from './axis.ts';
import {
  type LayerCandidate,
  type LayerEpilogue,
  type LayerPartPlan,
  type LayerPlan,
  layerMemory,
  priceLayer,
  type WeightPolicy,
} from './layer.ts';
import { type AxisPartition, partitionAxis, type Share, splitEvenly, tightParts } from './partition.ts';
import type { GemmGrid } from './plan.ts';

/** A layer of several products of one input in f16: their features lie side by side, in blocks of 16. */
export interface PartsShape {
  /** Tokens and inner values with the padding between their segments. */
  readonly tokens: number;
  readonly inner: number;
  readonly parts: readonly { readonly blocks: number; readonly epilogue: LayerEpilogue }[];
}

/** Row shares of every part when none has more than `share` blocks. */
const shareCounts = ({ parts }: PartsShape, share: number): readonly number[] =>
  parts.map(({ blocks }) => Math.ceil(blocks / share));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The dearest epilogue: parts with different ones work side by side. */
function dearest({ parts }: PartsShape): LayerEpilogue {
  const weight = (epilogue: LayerEpilogue) =>
    epilogue === undefined
      ? 0
      : 1 + Number(epilogue.bias) + 2 * Number(epilogue.turn) + 4 * Number(epilogue.gelu);
  return parts
    .map(({ epilogue }) => epilogue)
    .reduce((most, epilogue) => (weight(epilogue) > weight(most) ? epilogue : most));
}

/** Grids on at most `tiles` tiles, cheapest first; a grid's m counts the shares of all parts. */
export function partsCandidates(
  shape: PartsShape,
  tiles: number,
  weights: WeightPolicy,
): readonly LayerCandidate[] {
  const panels = Math.ceil(shape.tokens / BLOCK);
  const groups = Math.ceil(shape.inner / BLOCK);
  const most = Math.max(...shape.parts.map(({ blocks }) => blocks));
  const epilogue = dearest(shape);
  const found: LayerCandidate[] = [];
  for (const first of tightParts(most, tiles)) {
    const rows = Math.ceil(most / first);
    const m = sum(shareCounts(shape, rows));
    if (m > tiles) continue;
    for (const n of tightParts(panels, Math.floor(tiles / m)))
      for (const k of tightParts(groups, Math.floor(tiles / (m * n)))) {
        const grid = { m, n, k };
        const extents = { rows, panels: Math.ceil(panels / n), groups: Math.ceil(groups / k) };
        const { total } = priceLayer(grid, extents, weights, epilogue, 1);
        found.push({ grid, total, ...layerMemory(grid, extents, weights, 1) });
      }
  }
  const active = ({ grid }: LayerCandidate) => grid.m * grid.n * grid.k;
  return found.sort((x, y) => x.total - y.total || active(x) - active(y) || x.grid.m - y.grid.m);
}

/** Cuts a layer of parts over a grid; undefined when no share size gives `grid.m` shares. */
export function partsForGrid(
  shape: PartsShape,
  grid: GemmGrid,
  weights: WeightPolicy,
): LayerPlan | undefined {
  const most = Math.max(...shape.parts.map(({ blocks }) => blocks));
  let counts: readonly number[] | undefined;
  for (let share = 1; share <= most && counts === undefined; share++)
    if (sum(shareCounts(shape, share)) === grid.m) counts = shareCounts(shape, share);
  if (counts === undefined) return undefined;
  const shares: Share[] = [];
  const parts: LayerPartPlan[] = [];
  let firstBlock = 0;
  shape.parts.forEach(({ blocks, epilogue }, index) => {
    parts.push({ firstShare: shares.length, shares: counts[index], firstBlock, epilogue });
    for (const { start, end } of splitEvenly(blocks, counts[index]))
      shares.push({
        start: (firstBlock + start) * BLOCK,
        size: (end - start) * BLOCK,
        firstBlock: firstBlock + start,
        blocks: end - start,
      });
    firstBlock += blocks;
  });
  const features = firstBlock * BLOCK;
  const rows: AxisPartition = {
    extent: features,
    block: BLOCK,
    shares,
    maxBlocks: Math.max(...shares.map(({ blocks }) => blocks)),
  };
  const columns = partitionAxis(shape.tokens, BLOCK, grid.n);
  const inner = partitionAxis(shape.inner, BLOCK, grid.k);
  const extents = { rows: rows.maxBlocks, panels: columns.maxBlocks, groups: inner.maxBlocks };
  const epilogue = dearest(shape);
  return {
    shape: { tokens: shape.tokens, inner: shape.inner, features, operands: 'f16', casts: false },
    grid,
    weights,
    epilogue,
    rows,
    columns,
    inner,
    parts,
    cost: priceLayer(grid, extents, weights, epilogue, 1),
    ...layerMemory(grid, extents, weights, 1),
  };
}
