import { BLOCK_BIAS_BYTES } from '../kernels/epilogue.ts';
import { BLOCK, blockCount, blockExtent } from '../plan/axis.ts';
import { BLOCK_BYTES, type LayerPlan, rowGrain } from '../plan/layer.ts';
import { tileOfPosition } from '../plan/plan.ts';
import { add, type Draft, range, TO_THE_END } from './draft.ts';
import { gatherTransfers, ownedPieces, type Piece } from './gather.ts';
import type { LayerPart, LayerSpec, Ownership } from './layerSpec.ts';
import type { BindingSlice, BufferName, HostBlock, Transfer } from './stages.ts';

/** Weights as rows of features: resident copies, or pieces at the tiles that share a block. */
export function placeWeights(draft: Draft, spec: LayerSpec, plan: LayerPlan, left: BufferName) {
  const { grid, rows, inner } = plan;
  const shared = plan.weights === 'single' && grid.n > 1;
  const home = shared ? (`${spec.name}.weights` as BufferName) : undefined;
  const transfers: Transfer[] = [];
  let homeBytes = 0;
  spec.parts.forEach((part, partIndex) => {
    const { firstShare, shares, firstBlock } = plan.parts[partIndex];
    const blocks: HostBlock[] = [];
    const slices: BindingSlice[] = [];
    let file = 0;
    for (let i = firstShare; i < firstShare + shares; i++) {
      for (let l = 0; l < grid.k; l++) {
        const bytes = rows.shares[i].blocks * inner.shares[l].blocks * BLOCK_BYTES;
        blocks.push(...weightBlocks(spec, part, plan, firstBlock, i, l, file));
        const members = range(grid.n).map((j) => tileOfPosition(grid, i, j, l));
        if (home === undefined) {
          for (const tile of members) slices.push({ tile, buffer: left, offset: 0, fileOffset: file, bytes });
        } else {
          const pieces = ownedPieces(bytes, members);
          homeBytes = Math.max(homeBytes, ...pieces.map((one: Piece) => one.bytes));
          slices.push(
            ...pieces.map(({ owner, offset, bytes: size }) => ({
              tile: owner,
              buffer: home,
              offset: 0,
              fileOffset: file + offset,
              bytes: size,
            })),
          );
          transfers.push(...gatherTransfers(pieces, members, home, left));
        }
        file += bytes;
      }
    }
    const { weights } = part;
    draft.bindings.push({
      name: weights.name,
      direction: 'input',
      dtype: spec.operands,
      shape: weights.shape,
      fileBytes: file,
      blocks,
      slices,
    });
  });
  if (home !== undefined) add(draft, home, homeBytes, -1, TO_THE_END);
  return { home, transfers, bytes: rows.maxBlocks * inner.maxBlocks * BLOCK_BYTES };
}

/** What of the weights lies in share i and inner piece l: one rectangle, or blocks where an axis has segments. */
function weightBlocks(
  spec: LayerSpec,
  part: LayerPart,
  plan: LayerPlan,
  firstBlock: number,
  i: number,
  l: number,
  file: number,
): readonly HostBlock[] {
  const [features, piece] = [plan.rows.shares[i], plan.inner.shares[l]];
  const labels = { featureBlock: i, kPiece: l };
  if (part.axis.segments === 1 && spec.inner.segments === 1)
    return [
      {
        order: 'leftTransposed',
        fileOffset: file,
        row: piece.start,
        rows: piece.size,
        column: features.start - firstBlock * BLOCK,
        columns: Math.min(features.size, part.axis.length + firstBlock * BLOCK - features.start),
        columnGrain: rowGrain(plan.shape),
        labels,
      },
    ];
  return range(piece.blocks).flatMap((group) => {
    const row = blockExtent(spec.inner, piece.firstBlock + group);
    return range(features.blocks).map((block): HostBlock => {
      const column = blockExtent(part.axis, features.firstBlock - firstBlock + block);
      return {
        order: 'leftTransposed',
        fileOffset: file + (group * features.blocks + block) * BLOCK_BYTES,
        row: row.start,
        rows: row.size,
        column: column.start,
        columns: column.size,
        labels,
      };
    });
  });
}

/** Every tile gets the biases of the features of its own blocks, in their order. */
export function placeBias(
  draft: Draft,
  spec: LayerSpec,
  plan: LayerPlan,
  own: Ownership,
  buffer: BufferName,
): BufferName {
  const { grid, rows } = plan;
  spec.parts.forEach(({ bias, axis }, partIndex) => {
    if (bias === undefined) return;
    const { firstShare, shares, firstBlock } = plan.parts[partIndex];
    const slices: BindingSlice[] = [];
    for (let i = firstShare; i < firstShare + shares; i++)
      for (let j = 0; j < grid.n; j++)
        own.pieces(i, j).forEach(({ start, end }, l) => {
          for (let block = start; block < end; block++) {
            const features = rows.shares[i].firstBlock - firstBlock + (block % rows.shares[i].blocks);
            slices.push({
              tile: tileOfPosition(grid, i, j, l),
              buffer,
              offset: (block - start) * BLOCK_BIAS_BYTES,
              fileOffset: features * BLOCK_BIAS_BYTES,
              bytes: BLOCK_BIAS_BYTES,
            });
          }
        });
    slices.sort((x, y) => x.fileOffset - y.fileOffset || x.tile - y.tile || x.offset - y.offset);
    const stored = Math.ceil(blockCount(axis) / own.grain) * own.grain;
    draft.bindings.push({
      name: bias.name,
      direction: 'input',
      dtype: 'f16',
      shape: bias.shape,
      fileBytes: stored * BLOCK_BIAS_BYTES,
      blocks:
        axis.segments === 1
          ? [{ order: 'left', fileOffset: 0, row: 0, rows: 1, column: 0, columns: axis.length, labels: {} }]
          : range(blockCount(axis)).map((block): HostBlock => {
              const { start, size } = blockExtent(axis, block);
              return {
                order: 'left',
                fileOffset: block * BLOCK_BIAS_BYTES,
                row: 0,
                rows: 1,
                column: start,
                columns: size,
                labels: {},
              };
            }),
      slices,
    });
  });
  add(draft, buffer, own.largest * BLOCK_BIAS_BYTES, -1, TO_THE_END);
  return buffer;
}
