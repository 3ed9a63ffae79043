import { encodeHalf } from '../fill/index.ts';
import type { Reference, UnpackedOutput } from '../ports.ts';

export const NAN = 0x7e00;
export const INFINITY = 0x7c00;

export interface Options {
  readonly exact?: boolean;
  readonly bound?: number;
  readonly alarm?: number;
}

/** Reference of a rows x columns f16 tensor. */
export function reference(values: readonly number[], columns: number, options: Options = {}): Reference {
  return {
    tensor: 'c',
    dtype: 'f16',
    shape: [values.length / columns, columns],
    values: Float64Array.from(values),
    bound: new Float64Array(values.length).fill(options.bound ?? 0.01),
    ...(options.alarm === undefined ? {} : { alarm: new Float64Array(values.length).fill(options.alarm) }),
    exact: options.exact ?? false,
    model: 'test',
  };
}

export function output(
  codes: readonly number[],
  columns: number,
  more: Partial<UnpackedOutput> = {},
): UnpackedOutput {
  const data = Uint16Array.from(codes);
  const tensor = { name: 'c', dtype: 'f16' as const, shape: [codes.length / columns, columns], data };
  return { tensor, covered: codes.length, padding: [], ...more };
}

/** Distinct values, so that every permutation shows. */
export const VALUES = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 1 : -1) * (1 + index / 8));
export const CODES = VALUES.map((value) => encodeHalf(value));
export const WIDTH = 12;

export function changed(at: number, code: number): number[] {
  const codes = [...CODES];
  codes[at] = code;
  return codes;
}
