import { below, normalOf, wordStream } from '../../harness/fill/index.ts';
import { ELEMENTS, type ElementType } from './elements.ts';

export const TENSOR_FILLS = ['normal', 'uniform', 'int', 'ramp', 'positive', 'edges'] as const;
export type TensorFill = (typeof TENSOR_FILLS)[number];

/** Finite values at which number formats change their behaviour; values a type lacks are rounded to it. */
const EDGES = [
  0,
  -0,
  1,
  -1,
  0.5,
  -2,
  1.5,
  2 ** -14,
  -(2 ** -14),
  2 ** -24,
  -(2 ** -24),
  2 ** -15 + 2 ** -24,
  65504,
  -65504,
  1024,
  2047,
  2048,
  2049,
  -2047,
  1 + 2 ** -10,
  1 - 2 ** -11,
  1 / 3,
  -7,
  255,
] as const;

/** Period of the ramp: a prime, so that rows of usual lengths differ. */
const RAMP = 251;

type Draw = (word: number, index: number, floating: boolean) => number;

/** Every element depends on its index and one word of the stream only. */
const DRAWS: Readonly<Record<TensorFill, Draw>> = {
  normal: (word, _index, floating) => (floating ? normalOf(word) : Math.round(32 * normalOf(word))),
  uniform: (word, _index, floating) => (floating ? word / 2 ** 31 - 1 : below(word, 256) - 128),
  int: (word) => below(word, 17) - 8,
  ramp: (_word, index) => index % RAMP,
  positive: (word, _index, floating) => (floating ? (word + 1) / 2 ** 32 : 1 + below(word, 127)),
  edges: (word) => EDGES[below(word, EDGES.length)],
};

/** Values of a fill, rounded to the type. */
export function fillTensor(fill: TensorFill, type: ElementType, count: number, seed: bigint): Float64Array {
  const words = wordStream(seed);
  const { bytes, floating, read, write } = ELEMENTS[type];
  const view = new DataView(new ArrayBuffer(bytes));
  return Float64Array.from({ length: count }, (_, index) => {
    write(view, 0, DRAWS[fill](words(index), index, floating));
    return read(view, 0);
  });
}
