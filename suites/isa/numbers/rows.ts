import type { FormId } from '../../../device/ipu21/index.ts';
import type { Row } from './row.ts';
import { ACCUMULATING } from './rows-accumulate.ts';
import { CONVERSIONS } from './rows-convert.ts';
import { ELEMENTWISE } from './rows-elementwise.ts';

/** Forms of the matrix unit and its permutations, of elementary functions and of random numbers: proven elsewhere. */
type Elementary = 'exp' | 'exp2' | 'ln' | 'log2' | 'tanh' | 'sigm';
type Elsewhere =
  | 'fnop'
  | `${string}${'hi' | 'si'}${'ho' | 'so'}${'' | 'v2' | 'v4'}${'amp' | 'slic'}.${string}`
  | `f16v4${'istacc' | 'stacc'}.${string}`
  | `${'f32' | 'f16v2'}${Elementary | 'oox' | 'oorx'}.${string}`
  | `${string}${'grand' | 'rmask'}.${string}`;

/** Every instruction form that calculates with numbers and is not proven elsewhere. */
export type ArithmeticForm = Exclude<Extract<FormId, `f${string}`>, Elsewhere>;

/** The golden meaning of every form; a form without one does not compile. */
export const ROWS: Readonly<Record<ArithmeticForm, Row>> = {
  ...ELEMENTWISE,
  ...CONVERSIONS,
  ...ACCUMULATING,
};

const ELSEWHERE =
  /^(fnop|.*[hs]i[hs]o(v[24])?(amp|slic)|f16v4i?stacc|(f32|f16v2)(exp2?|ln|log2|tanh|sigm|oox|oorx)|.*(grand|rmask))\./;

/** Arithmetic forms of an instruction set that a table leaves out: the same rule at run time. */
export function uncovered(
  forms: readonly { readonly id: string }[],
  rows: Readonly<Record<string, Row>>,
): string[] {
  return forms
    .map(({ id }) => id)
    .filter((id) => id.startsWith('f') && !ELSEWHERE.test(`${id}.`) && !(id in rows));
}

export const ROW_ENTRIES = Object.entries(ROWS) as [ArithmeticForm, Row][];
