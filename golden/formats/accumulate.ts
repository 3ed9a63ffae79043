import { absolute, decode, product, sum } from './exact.ts';
import { type Control, F32, type Format } from './format.ts';
import { encode } from './round.ts';

/**
 * Sums in f32: products are exact, products and addend are added exactly and rounded once [GUESS: what is recommended
 * for the matrix unit, applied to the other accumulating instructions]. Results are f32 codes.
 */

/** Products of codes of `format`, plus an f32 code where one is given. */
export function sumOfProducts(
  factors: readonly (readonly [number, number])[],
  format: Format,
  control: Control,
  addend?: number,
): number {
  const terms = factors.map(([x, y]) => product(decode(x, format), decode(y, format)));
  if (addend !== undefined) terms.push(decode(addend, F32));
  return encode(sum(terms, control.mode), F32, control);
}

/** An f32 code plus an element of `format`, or plus its absolute value. */
export function addElement(
  addend: number,
  element: number,
  format: Format,
  control: Control,
  kind: 'plain' | 'absolute',
): number {
  const value = decode(element, format);
  const terms = [decode(addend, F32), kind === 'absolute' ? absolute(value) : value];
  return encode(sum(terms, control.mode), F32, control);
}
