import type { GemmRounding } from './gemm-rounding.ts';
import { decodeHalf } from './half.ts';

const VALUES = Float64Array.from({ length: 65_536 }, (_, bits) => decodeHalf(bits));

/** Exact f64 values of f16 storage bits. */
export function decodeAll(bits: Uint16Array): Float64Array {
  return Float64Array.from(bits, (code) => VALUES[code]);
}

/** One accumulation step: inner values start..start+length, the last of its piece or not. */
export interface Step {
  readonly start: number;
  readonly length: number;
  readonly endsPiece: boolean;
}

/** The accumulation steps of all pieces in order. */
export function stepsOf(rounding: Pick<GemmRounding, 'microK' | 'kPieces'>): readonly Step[] {
  const steps: Step[] = [];
  for (const [first, end] of rounding.kPieces) {
    for (let start = first; start < end; start += rounding.microK) {
      const length = Math.min(rounding.microK, end - start);
      steps.push({ start, length, endsPiece: start + length === end });
    }
  }
  return steps;
}

/** Rows of A (or columns of B) cut by step, padded with zeros: index (step * lines + line) * width + inner. */
export interface Packed {
  readonly lines: number;
  readonly width: number;
  readonly data: Float64Array;
  /** Upper bounds of the Euclidean norms, index step * lines + line. */
  readonly norms: Float64Array;
  /** Upper bounds and typical sizes of what the values may be off by, the same index; absent for exact values. */
  readonly slack?: { readonly bound: Float64Array; readonly typical: Float64Array };
}

/** Covers the rounding of a norm of at most 1024 squares in f64. */
const NORM_SLACK = 1 + 2 ** -40;

/**
 * Packs `lines` lines of `values`, whose element (line, inner) sits at line * lineStride + inner * innerStride.
 * `lines` is rounded up to a multiple of `multiple` with zero lines.
 */
export function pack(
  values: Float64Array,
  lines: number,
  lineStride: number,
  innerStride: number,
  steps: readonly Step[],
  width: number,
  multiple: number,
): Packed {
  const padded = Math.ceil(lines / multiple) * multiple;
  const data = new Float64Array(steps.length * padded * width);
  const norms = new Float64Array(steps.length * padded);
  for (const [step, { start, length }] of steps.entries()) {
    for (let line = 0; line < lines; line++) {
      const to = (step * padded + line) * width;
      let squares = 0;
      for (let inner = 0; inner < length; inner++) {
        const value = values[line * lineStride + (start + inner) * innerStride];
        data[to + inner] = value;
        squares += value * value;
      }
      norms[step * padded + line] = Math.sqrt(squares) * NORM_SLACK;
    }
  }
  return { lines: padded, width, data, norms };
}

/** Rows and columns of one block of the register-tiled product. */
export const ROW_MULTIPLE = 4;
export const COLUMN_MULTIPLE = 2;

/**
 * Dot products of one step for a block of rows x columns: `out[row * columns + column]`, sums in index order,
 * starting from +0. Rows must be a multiple of 4, columns of 2.
 */
export function dotBlock(
  out: Float64Array,
  left: Packed,
  right: Packed,
  step: number,
  firstRow: number,
  rows: number,
  firstColumn: number,
  columns: number,
): void {
  const { width } = left;
  const a = left.data;
  const b = right.data;
  const rowsFrom = (step * left.lines + firstRow) * width;
  const columnsFrom = (step * right.lines + firstColumn) * width;
  for (let row = 0; row < rows; row += ROW_MULTIPLE) {
    const a0 = rowsFrom + row * width;
    const a1 = a0 + width;
    const a2 = a1 + width;
    const a3 = a2 + width;
    for (let column = 0; column < columns; column += COLUMN_MULTIPLE) {
      const b0 = columnsFrom + column * width;
      const b1 = b0 + width;
      let [s00, s01, s10, s11, s20, s21, s30, s31] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let inner = 0; inner < width; inner++) {
        const x = b[b0 + inner];
        const y = b[b1 + inner];
        const p = a[a0 + inner];
        const q = a[a1 + inner];
        const r = a[a2 + inner];
        const t = a[a3 + inner];
        s00 += p * x;
        s01 += p * y;
        s10 += q * x;
        s11 += q * y;
        s20 += r * x;
        s21 += r * y;
        s30 += t * x;
        s31 += t * y;
      }
      const at = row * columns + column;
      out[at] = s00;
      out[at + 1] = s01;
      out[at + columns] = s10;
      out[at + columns + 1] = s11;
      out[at + 2 * columns] = s20;
      out[at + 2 * columns + 1] = s21;
      out[at + 3 * columns] = s30;
      out[at + 3 * columns + 1] = s31;
    }
  }
}
