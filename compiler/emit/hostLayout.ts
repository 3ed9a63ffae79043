import type { BindingLayout, HostBlock } from '../lower/stages.ts';

/** Bytes of a run, the unit of every layout; host blocks are padded to whole runs. */
const RUN_BYTES = 32;
/** Channels of a panel [SDK]. */
const PANEL = 16;

/** Storage of one block: padded extents and the file index (in elements) of a logical element. */
interface BlockGeometry {
  readonly paddedRows: number;
  readonly paddedColumns: number;
  /** Element index inside the block of block-relative (row, column). */
  index(row: number, column: number): number;
}

type Codes = Uint16Array | Uint8Array;

const alignUp = (value: number, unit: number) => Math.ceil(value / unit) * unit;
const elementBytes = ({ dtype }: BindingLayout): number => (dtype === 'f16' ? 2 : 1);
const codesOf = (layout: BindingLayout, bytes: number): Codes =>
  layout.dtype === 'f16' ? new Uint16Array(bytes / 2) : new Uint8Array(bytes);

/** `run` is the number of inner values in a run: 16 of f16, 32 of f8. */
function geometry(block: HostBlock, run: number): BlockGeometry {
  const { order, rows, columns } = block;
  switch (order) {
    case 'left':
      return {
        paddedRows: rows,
        paddedColumns: alignUp(columns, run),
        index: (row, column) => Math.floor(column / run) * rows * run + row * run + (column % run),
      };
    case 'leftTransposed': {
      const padded = alignUp(columns, PANEL * (block.columnGrain ?? 1));
      return {
        paddedRows: alignUp(rows, run),
        paddedColumns: padded,
        index: (row, column) => Math.floor(row / run) * padded * run + column * run + (row % run),
      };
    }
    case 'rightTransposed': {
      const groups = alignUp(columns, run) / run;
      return {
        paddedRows: alignUp(rows, PANEL),
        paddedColumns: alignUp(columns, run),
        index: (row, column) =>
          ((row >> 4) * groups + Math.floor(column / run)) * run * PANEL + (row & 15) * run + (column % run),
      };
    }
    case 'right': {
      const groups = alignUp(rows, run) / run;
      return {
        paddedRows: alignUp(rows, run),
        paddedColumns: alignUp(columns, PANEL),
        index: (row, column) =>
          ((column >> 4) * groups + Math.floor(row / run)) * run * PANEL + (column & 15) * run + (row % run),
      };
    }
  }
}

/** Logical row-major codes to a binding's file bytes; padding is zero. */
export function packBinding(layout: BindingLayout, data: Codes): Uint8Array {
  const file = codesOf(layout, layout.fileBytes);
  const size = elementBytes(layout);
  const columns = layout.shape.at(-1) ?? 1;
  for (const block of layout.blocks) {
    const { index } = geometry(block, RUN_BYTES / size);
    const base = block.fileOffset / size;
    for (let row = 0; row < block.rows; row++) {
      const from = (block.row + row) * columns + block.column;
      for (let column = 0; column < block.columns; column++)
        file[base + index(row, column)] = data[from + column];
    }
  }
  return new Uint8Array(file.buffer);
}

/** A padding element of an output that is not zero. `fileOffset` is in bytes. */
export interface DirtyPadding {
  readonly fileOffset: number;
  readonly code: number;
}

/** A binding's file bytes back to logical row-major f16 codes, with padding checked. */
export function unpackBinding(
  layout: BindingLayout,
  bytes: Uint8Array,
): { data: Uint16Array; covered: number; dirty: readonly DirtyPadding[] } {
  if (layout.dtype !== 'f16') throw new RangeError(`output ${layout.name} is ${layout.dtype}`);
  const file = new Uint16Array(bytes.slice().buffer);
  const columns = layout.shape.at(-1) ?? 1;
  const data = new Uint16Array(layout.shape.reduce((product, extent) => product * extent, 1));
  const seen = new Uint8Array(data.length);
  const dirty: DirtyPadding[] = [];
  for (const block of layout.blocks) {
    const { paddedRows, paddedColumns, index } = geometry(block, RUN_BYTES / 2);
    const base = block.fileOffset / 2;
    for (let row = 0; row < paddedRows; row++) {
      for (let column = 0; column < paddedColumns; column++) {
        const at = base + index(row, column);
        if (row < block.rows && column < block.columns) {
          const to = (block.row + row) * columns + block.column + column;
          data[to] = file[at];
          seen[to] = 1;
        } else if ((file[at] & 0x7fff) !== 0 && !(layout.freePaddingRows === true && row >= block.rows)) {
          dirty.push({ fileOffset: at * 2, code: file[at] });
        }
      }
    }
  }
  let covered = 0;
  for (const flag of seen) covered += flag;
  return { data, covered, dirty };
}

/** File byte offset and block of a logical element; undefined outside the tensor. */
export function fileOffsetOf(
  layout: BindingLayout,
  row: number,
  column: number,
): { offset: number; block: HostBlock } | undefined {
  const size = elementBytes(layout);
  for (const block of layout.blocks) {
    const r = row - block.row;
    const c = column - block.column;
    if (r >= 0 && r < block.rows && c >= 0 && c < block.columns)
      return {
        offset: block.fileOffset + geometry(block, RUN_BYTES / size).index(r, c) * size,
        block,
      };
  }
  return undefined;
}
