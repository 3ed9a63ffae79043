import type { LogicalTile } from '../../device/ipu21/index.ts';
import { type LayerChain, operandType } from '../graph/layers.ts';
import { plainAxis } from '../plan/axis.ts';
import type { ChainPlan } from '../plan/chain.ts';
import { BLOCK_BYTES, type LayerPlan } from '../plan/layer.ts';
import { splitEvenly } from '../plan/partition.ts';
import { tileOfPosition } from '../plan/plan.ts';
import { add, closed, type Draft, emptyDraft, type Fragment, type Source, TO_THE_END } from './draft.ts';
import { lowerLayer } from './layer.ts';
import type { LayerSpec, Ownership } from './layerSpec.ts';
import type { BindingLayout, BindingSlice, BufferName, HostBlock, LoweredProgram } from './stages.ts';

/** Lowers a planned chain: layer after layer, each fed by the blocks of the one before; the last one's are the output. */
export function lowerLayers(chain: LayerChain, plan: ChainPlan): LoweredProgram {
  const draft = emptyDraft(plan.tilesRequested);
  const end = plan.layers.length - 1;
  let source = hostInput(draft, chain, plan.layers[0]);
  plan.layers.forEach((layer, index) => {
    const last = index === end;
    const lowered = lowerLayer(draft, layerSpec(chain, index), layer, source, last ? TO_THE_END : undefined);
    if (last) draft.bindings.push(outputLayout(chain, layer, lowered.own, lowered.buffer));
    source = lowered;
  });
  return closed(draft);
}

function layerSpec(chain: LayerChain, index: number): LayerSpec {
  const { x, weights, bias, castScale } = chain.layers[index];
  return {
    name: `l${index}`,
    operands: operandType(chain),
    scale: x.scale + weights.scale,
    ...(castScale === undefined ? {} : { castScale }),
    inner: plainAxis(weights.shape[0]),
    parts: [{ weights, axis: plainAxis(weights.shape[1]), ...(bias === undefined ? {} : { bias }) }],
  };
}

/** The chain's input: the blocks of every coefficient operand are dealt to the tiles that share it. */
function hostInput(draft: Draft, chain: LayerChain, layer: LayerPlan): Source {
  const { grid, columns, inner } = layer;
  const buffer = 'x' as BufferName;
  const blocks: HostBlock[] = [];
  const slices: BindingSlice[] = [];
  const owners = new Map<number, readonly Fragment[]>();
  const groupsInAll = inner.shares.reduce((sum, share) => sum + share.blocks, 0);
  let file = 0;
  let largest = 0;
  for (let j = 0; j < grid.n; j++) {
    for (let l = 0; l < grid.k; l++) {
      const [tokens, piece] = [columns.shares[j], inner.shares[l]];
      blocks.push({
        order: 'rightTransposed',
        fileOffset: file,
        row: tokens.start,
        rows: tokens.size,
        column: piece.start,
        columns: piece.size,
        labels: { tokenBlock: j, kPiece: l },
      });
      splitEvenly(tokens.blocks * piece.blocks, grid.m).forEach(({ start, end }, i) => {
        if (end === start) return;
        const tile = tileOfPosition(grid, i, j, l);
        const bytes = (end - start) * BLOCK_BYTES;
        largest = Math.max(largest, bytes);
        slices.push({ tile, buffer, offset: 0, fileOffset: file + start * BLOCK_BYTES, bytes });
        for (let block = start; block < end; block++) {
          const panel = tokens.firstBlock + Math.floor(block / piece.blocks);
          const group = piece.firstBlock + (block % piece.blocks);
          const span = { tile, buffer, offset: (block - start) * BLOCK_BYTES };
          owners.set(panel * groupsInAll + group, [{ span, bytes: BLOCK_BYTES }]);
        }
      });
      file += tokens.blocks * piece.blocks * BLOCK_BYTES;
    }
  }
  const { x } = chain.layers[0];
  draft.bindings.push({
    name: x.name,
    direction: 'input',
    dtype: operandType(chain),
    shape: x.shape,
    fileBytes: file,
    blocks,
    slices,
  });
  add(draft, buffer, largest, -1, TO_THE_END);
  return {
    buffers: [buffer],
    at: (panel, group) => {
      const fragments = owners.get(panel * groupsInAll + group);
      if (fragments === undefined) throw new RangeError(`no input block ${panel}, ${group}`);
      return fragments;
    },
  };
}

function outputLayout(chain: LayerChain, plan: LayerPlan, own: Ownership, buffer: BufferName): BindingLayout {
  const { grid, rows, columns } = plan;
  const blocks: HostBlock[] = [];
  const slices: BindingSlice[] = [];
  let file = 0;
  for (let i = 0; i < grid.m; i++) {
    for (let j = 0; j < grid.n; j++) {
      const [features, tokens] = [rows.shares[i], columns.shares[j]];
      blocks.push({
        order: 'leftTransposed',
        fileOffset: file,
        row: tokens.start,
        rows: tokens.size,
        column: features.start,
        columns: features.size,
        labels: { featureBlock: i, tokenBlock: j },
      });
      own.pieces(i, j).forEach(({ start, end }, l) => {
        if (end > start)
          slices.push({
            tile: tileOfPosition(grid, i, j, l) as LogicalTile,
            buffer,
            offset: 0,
            fileOffset: file + start * BLOCK_BYTES,
            bytes: (end - start) * BLOCK_BYTES,
          });
      });
      file += features.blocks * tokens.blocks * BLOCK_BYTES;
    }
  }
  const { y } = chain.layers[chain.layers.length - 1];
  return {
    name: y.name,
    direction: 'output',
    dtype: 'f16',
    shape: y.shape,
    freePaddingRows: true,
    fileBytes: file,
    blocks,
    slices,
  };
}
