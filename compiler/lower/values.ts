import type { GraphValue } from '../graph/graph.ts';
import { groupsOf, panelsOf, type StreamShape } from '../graph/network.ts';
import { BLOCK, type BlockedAxis, blockCount, blockExtent } from '../plan/axis.ts';
import { BLOCK_BYTES } from '../plan/layer.ts';
import { splitEvenly } from '../plan/partition.ts';
import { add, type BlockSource, type Draft, type Fragment, TO_THE_END } from './draft.ts';
import type { BindingLayout, BindingSlice, BufferName, HostBlock, Span } from './stages.ts';

/** Bytes of a row of 16 values in a block. */
export const RUN_BYTES = 32;

/** A value of a network on the chip: blocks of 16 tokens x 16 features of every stream. */
export interface StoredValue {
  readonly shape: StreamShape;
  readonly buffers: readonly BufferName[];
  /** Fragments of the block at (stream, panel, group); rows are tokens, or features for values of attention. */
  readonly at: (stream: number, panel: number, group: number) => readonly Fragment[];
}

/** Tokens of all sequences, each padded to blocks. */
export const tokensAxis = ({ batch, rows }: StreamShape): BlockedAxis => ({ segments: batch, length: rows });
/** Features of all heads, each padded to blocks. */
export const featuresAxis = ({ heads, width }: StreamShape): BlockedAxis => ({
  segments: heads,
  length: width,
});

/** The value as a layer sees it: blocks by panel among all sequences and group among all heads. */
export function asBlocks({ shape, at }: StoredValue): BlockSource {
  const [panels, groups] = [panelsOf(shape), groupsOf(shape)];
  return (panel, group) =>
    at(Math.floor(panel / panels) * shape.heads + Math.floor(group / groups), panel % panels, group % groups);
}

/** The reverse: a layer's blocks by stream. `firstGroup` is where the value's features begin among the layer's. */
export function byStream(shape: StreamShape, at: BlockSource, firstGroup: number): StoredValue['at'] {
  const [panels, groups] = [panelsOf(shape), groupsOf(shape)];
  return (stream, panel, group) =>
    at(
      Math.floor(stream / shape.heads) * panels + panel,
      firstGroup + (stream % shape.heads) * groups + group,
    );
}

/** First row and column of a stream in the graph's value. */
function originOf(value: GraphValue, { rows, heads, width }: StreamShape) {
  if (value.shape.length === 3) return { origin: (stream: number) => ({ row: stream * rows, column: 0 }) };
  return {
    origin: (stream: number) => ({
      row: Math.floor(stream / heads) * rows,
      column: (stream % heads) * width,
    }),
  };
}

/** A graph input in blocks, dealt over all tiles. `turned` blocks have tokens as rows, others features. */
export function placeHostValue(
  draft: Draft,
  value: GraphValue,
  shape: StreamShape,
  turned: boolean,
): StoredValue {
  const buffer = value.name as BufferName;
  const streams = shape.batch * shape.heads;
  const [panels, groups] = [panelsOf(shape), groupsOf(shape)];
  const { origin } = originOf(value, shape);
  const count = streams * panels * groups;
  const blocks: HostBlock[] = [];
  for (let stream = 0; stream < streams; stream++)
    for (let panel = 0; panel < panels; panel++)
      for (let group = 0; group < groups; group++) {
        const { row, column } = origin(stream);
        blocks.push({
          order: turned ? 'rightTransposed' : 'right',
          fileOffset: blocks.length * BLOCK_BYTES,
          row: row + panel * BLOCK,
          rows: Math.min(BLOCK, shape.rows - panel * BLOCK),
          column: column + group * BLOCK,
          columns: Math.min(BLOCK, shape.width - group * BLOCK),
          labels: { stream, panel, group },
        });
      }
  const slices: BindingSlice[] = [];
  const owners: Span[] = [];
  splitEvenly(count, Math.min(count, draft.tiles)).forEach(({ start, end }, tile) => {
    slices.push({
      tile: tile as Span['tile'],
      buffer,
      offset: 0,
      fileOffset: start * BLOCK_BYTES,
      bytes: (end - start) * BLOCK_BYTES,
    });
    for (let block = start; block < end; block++)
      owners.push({ tile: tile as Span['tile'], buffer, offset: (block - start) * BLOCK_BYTES });
  });
  draft.bindings.push({
    name: value.name,
    direction: 'input',
    dtype: 'f16',
    shape: value.shape,
    fileBytes: count * BLOCK_BYTES,
    blocks,
    slices,
  });
  add(draft, buffer, Math.ceil(count / Math.min(count, draft.tiles)) * BLOCK_BYTES, -1, TO_THE_END);
  return {
    shape,
    buffers: [buffer],
    at: (stream, panel, group) => [
      { span: owners[(stream * panels + panel) * groups + group], bytes: BLOCK_BYTES },
    ],
  };
}

/** The graph's output from blocks with tokens as rows; rows of padding stay on the chip. */
export function outputOf(value: GraphValue, stored: StoredValue): BindingLayout {
  const { shape, at } = stored;
  const [panels, groups] = [panelsOf(shape), groupsOf(shape)];
  const { origin } = originOf(value, shape);
  const blocks: HostBlock[] = [];
  const slices: BindingSlice[] = [];
  let file = 0;
  for (let stream = 0; stream < shape.batch * shape.heads; stream++)
    for (let panel = 0; panel < panels; panel++)
      for (let group = 0; group < groups; group++) {
        const { row, column } = origin(stream);
        let first = panel * BLOCK;
        for (const { span, bytes } of at(stream, panel, group)) {
          const rows = Math.min(bytes / RUN_BYTES, shape.rows - first);
          if (rows > 0) {
            blocks.push({
              order: 'left',
              fileOffset: file,
              row: row + first,
              rows,
              column: column + group * BLOCK,
              columns: Math.min(BLOCK, shape.width - group * BLOCK),
              labels: { stream, panel, group },
            });
            slices.push({ ...span, fileOffset: file, bytes: rows * RUN_BYTES });
            file += rows * RUN_BYTES;
          }
          first += bytes / RUN_BYTES;
        }
      }
  return {
    name: value.name,
    direction: 'output',
    dtype: 'f16',
    shape: value.shape,
    fileBytes: file,
    blocks,
    slices,
  };
}

/** A vector of one value per feature, stored once per tile that needs it: the whole of it, padded to blocks. */
export function placeVector(
  draft: Draft,
  value: GraphValue,
  buffer: BufferName,
  axis: BlockedAxis,
  tiles: readonly Span['tile'][],
): void {
  const bytes = blockCount(axis) * RUN_BYTES;
  draft.bindings.push({
    name: value.name,
    direction: 'input',
    dtype: 'f16',
    shape: value.shape,
    fileBytes: bytes,
    blocks: Array.from({ length: blockCount(axis) }, (_, block): HostBlock => {
      const { start, size } = blockExtent(axis, block);
      return {
        order: 'left',
        fileOffset: block * RUN_BYTES,
        row: 0,
        rows: 1,
        column: start,
        columns: size,
        labels: { group: block },
      };
    }),
    slices: tiles.map((tile) => ({ tile, buffer, offset: 0, fileOffset: 0, bytes })),
  });
  add(draft, buffer, bytes, -1, TO_THE_END);
}
