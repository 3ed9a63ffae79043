import type { BindingLayout, HostBlock } from '../lower/stages.ts';

/** f16 values per run; every host block is padded to whole runs. */
const RUN = 16;

/** Storage of one block: padded extents and the file index (in 16-bit elements) of a logical element. */
interface BlockGeometry {
  readonly paddedRows: number;
  readonly paddedColumns: number;
  /** Element index inside the block of block-relative (row, column). */
  index(row: number, column: number): number;
}

const alignUp = (value: number) => Math.ceil(value / RUN) * RUN;

function geometry(block: HostBlock): BlockGeometry {
  if (block.order === 'left') {
    const { rows } = block;
    return {
      paddedRows: rows,
      paddedColumns: alignUp(block.columns),
      index: (row, column) => (column >> 4) * rows * RUN + row * RUN + (column & 15),
    };
  }
  if (block.order === 'leftTransposed') {
    const columns = alignUp(block.columns);
    return {
      paddedRows: alignUp(block.rows),
      paddedColumns: columns,
      index: (row, column) => (row >> 4) * columns * RUN + column * RUN + (row & 15),
    };
  }
  if (block.order === 'rightTransposed') {
    const columnGroups = alignUp(block.columns) / RUN;
    return {
      paddedRows: alignUp(block.rows),
      paddedColumns: alignUp(block.columns),
      index: (row, column) =>
        ((row >> 4) * columnGroups + (column >> 4)) * RUN * RUN + (row & 15) * RUN + (column & 15),
    };
  }
  const groups = alignUp(block.rows) / RUN;
  return {
    paddedRows: alignUp(block.rows),
    paddedColumns: alignUp(block.columns),
    index: (row, column) =>
      ((column >> 4) * groups + (row >> 4)) * RUN * RUN + (column & 15) * RUN + (row & 15),
  };
}

/** Logical row-major f16 codes to a binding's file bytes; padding is zero. */
export function packBinding(layout: BindingLayout, data: Uint16Array): Uint8Array {
  const file = new Uint16Array(layout.fileBytes / 2);
  const columns = layout.shape.at(-1) ?? 1;
  for (const block of layout.blocks) {
    const { index } = geometry(block);
    const base = block.fileOffset / 2;
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
  const file = new Uint16Array(bytes.slice().buffer);
  const columns = layout.shape.at(-1) ?? 1;
  const data = new Uint16Array(layout.shape.reduce((product, extent) => product * extent, 1));
  const seen = new Uint8Array(data.length);
  const dirty: DirtyPadding[] = [];
  for (const block of layout.blocks) {
    const { paddedRows, paddedColumns, index } = geometry(block);
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
  for (const block of layout.blocks) {
    const r = row - block.row;
    const c = column - block.column;
    if (r >= 0 && r < block.rows && c >= 0 && c < block.columns)
      return { offset: block.fileOffset + geometry(block).index(r, c) * 2, block };
  }
  return undefined;
}
