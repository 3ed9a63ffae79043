import { deriveSeed } from '../../harness/case/index.ts';
import { encodeHalf, normalOf, wordStream } from '../../harness/fill/index.ts';
import { codecOf } from '../../harness/judge/index.ts';
import type { Tensor } from '../../harness/ports.ts';
import { type MlpCase, scalesOf } from './problem.ts';

/** Tensors of one block. */
export const blockTensors = (block: number) =>
  ({ w1: `w1.${block}`, b1: `b1.${block}`, w2: `w2.${block}`, b2: `b2.${block}` }) as const;

/** Biases of the range fill reach from minus to plus this: GeLU sees everything from flat to linear. */
const RANGE = 48;

type Draw = (word: number, index: number) => number;

const f8 = codecOf('f8f143');

/** Input `x` and the weights and biases of every block; each has a stream of its own, seeded by the case line. */
export function mlpInputs(line: string, problem: MlpCase): readonly Tensor[] {
  const { tokens, width, hidden, blocks, batch, bias, fill } = problem;
  const scales = scalesOf(problem);
  const operand = (name: string, shape: readonly number[], scale: number, draw: Draw): Tensor => {
    const words = wordStream(deriveSeed(line, name));
    const count = shape.reduce((product, size) => product * size, 1);
    if (problem.in === 'f16')
      return {
        name,
        dtype: 'f16',
        shape,
        data: Uint16Array.from({ length: count }, (_, at) => encodeHalf(draw(words(at), at))),
      };
    const unit = 2 ** scale;
    const data = Uint8Array.from({ length: count }, (_, at) => f8.encode(draw(words(at), at) / unit));
    return { name, dtype: 'f8f143', shape, data };
  };
  const vector = (name: string, length: number, draw: Draw): Tensor => {
    const words = wordStream(deriveSeed(line, name));
    const data = Uint16Array.from({ length }, (_, at) => encodeHalf(draw(words(at), at)));
    return { name, dtype: 'f16', shape: [length], data };
  };
  const normal =
    (deviation: number): Draw =>
    (word) =>
      deviation * normalOf(word);
  const inputs: Draw = fill === 'heavy' ? (word) => normalOf(word) ** 3 / 2 : normal(1);
  const spread: Draw = (_word, at) => (RANGE * (2 * (at % hidden) - hidden)) / hidden;
  const tensors: Tensor[] = [operand('x', [batch * tokens, width], scales.x, inputs)];
  for (let block = 0; block < blocks; block++) {
    const { w1, b1, w2, b2 } = blockTensors(block);
    tensors.push(operand(w1, [width, hidden], scales.w1, normal(1 / Math.sqrt(width))));
    if (bias === 1) tensors.push(vector(b1, hidden, fill === 'range' ? spread : normal(0.5)));
    tensors.push(operand(w2, [hidden, width], scales.w2, normal(1 / Math.sqrt(hidden))));
    if (bias === 1) tensors.push(vector(b2, width, normal(0.5)));
  }
  return tensors;
}
