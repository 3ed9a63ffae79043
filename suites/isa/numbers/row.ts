import type { Control, Format } from '../../../golden/formats/format.ts';

/** What the control registers of a worker say. */
export interface Setting extends Control {
  /** FP_NFMT and FP_SCL: f8 format and signed exponent of the scale. */
  readonly quarter: Format;
  readonly scale: number;
  /** TAS: the scalar factors of axpy (f32) and mix (two f16). */
  readonly tas: number;
}

/** Expected code of one output element. Operands beyond those an output names are 0. */
export type Golden = (setting: Setting, p: number, q: number, r: number, s: number, t: number) => number;

/** What an operand element is; decides its width and which patterns are tried. */
export type ElementKind = 'f32' | 'f16' | 'f8' | 'u32' | 'u16';
export const ELEMENT_BITS: Readonly<Record<ElementKind, 8 | 16 | 32>> = {
  f32: 32,
  u32: 32,
  f16: 16,
  u16: 16,
  f8: 8,
};

/** Stands for the accumulators before the instruction in place of a source. */
export const BEFORE = 2;

/** One element of the result: where its operands stand, and the function of them. */
export interface Output {
  readonly bits: 8 | 16 | 32;
  /** Source (0, 1, or BEFORE) and element in it. */
  readonly operands: readonly (readonly [source: number, element: number])[];
  readonly golden: Golden;
}

/** What one instruction form computes. */
export interface Row {
  /** Element kind of each source. */
  readonly sources: readonly ElementKind[];
  /** Elements of the result from the lowest bit on; bits behind them up to the register's end are 0. */
  readonly result: readonly Output[];
  /** Accumulators afterwards, from the bottom of chain 0, f32; their number is even. */
  readonly after?: readonly Output[];
  /** True where FP_CTL.RND or NANOO decide about bits of the result. */
  readonly rounds: boolean;
  /** True where FP_NFMT and FP_SCL do. */
  readonly scales?: boolean;
  /** Immediates to try. */
  readonly immediates?: readonly { readonly value: number; readonly golden: Golden }[];
}
