import { parseLayersRounding } from '../../golden/layers-rounding.ts';
import { type LayerTensors, layersReference, type StoredTensor } from '../../golden/mlp.ts';
import type { Reference, Tensor } from '../../harness/ports.ts';
import { blockTensors } from './inputs.ts';
import { type MlpCase, scalesOf } from './problem.ts';

/**
 * What output `y` [batch tokens, width] must be under the rounding model the compiler declares. Throws OracleError
 * when the model is malformed.
 */
export function mlpCheck(
  problem: MlpCase,
  inputs: readonly Tensor[],
  declaredRounding: unknown,
): readonly Reference[] {
  const { tokens, width, hidden, blocks, batch, bias } = problem;
  const scales = scalesOf(problem);
  const tensors = new Map(inputs.map((tensor) => [tensor.name, tensor]));
  const stored = (name: string, scale: number): StoredTensor => {
    const data = tensors.get(name)?.data;
    if (data instanceof Uint16Array) return { codes: data };
    if (data instanceof Uint8Array) return { codes: data, scale };
    throw new RangeError(`input ${name} is missing`);
  };
  const biasOf = (name: string) => (bias === 1 ? { bias: tensors.get(name)?.data as Uint16Array } : {});
  const layers = Array.from({ length: blocks }, (_, block): LayerTensors[] => {
    const { w1, b1, w2, b2 } = blockTensors(block);
    return [
      { weights: stored(w1, scales.w1), ...biasOf(b1), inner: width, features: hidden },
      { weights: stored(w2, scales.w2), ...biasOf(b2), inner: hidden, features: width },
    ];
  }).flat();
  const rounding = parseLayersRounding(
    declaredRounding,
    layers.map(({ inner }) => inner),
  );
  const reference = layersReference(batch * tokens, stored('x', scales.x), layers, rounding);
  return [{ tensor: 'y', dtype: 'f16', shape: [batch * tokens, width], ...reference, exact: false }];
}
