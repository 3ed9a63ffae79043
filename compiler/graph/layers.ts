import { CompileError } from '../errors.ts';
import {
  type Graph,
  type GraphOperation,
  type GraphValue,
  operandsOf,
  resultOf,
  type ValueId,
} from './graph.ts';

/** y = activation(x . weights + bias): one fused layer of a chain. */
export interface Layer {
  readonly x: GraphValue;
  readonly weights: GraphValue;
  readonly bias?: GraphValue;
  readonly activation: 'none' | 'gelu-tanh';
  /** The result is stored in f8 with this power of two as its scale. */
  readonly castScale?: number;
  readonly y: GraphValue;
}

/** Layers in order, each fed by the one before; the first by a graph input. */
export interface LayerChain {
  readonly layers: readonly [Layer, ...Layer[]];
}

const unsupported = (message: string, facts: Record<string, number | string>): CompileError =>
  new CompileError('graph', message, facts, 'Compile a chain of GEMM, bias and GeLU with one output.', {
    verdict: 'unsupported',
  });

/**
 * Fuses a graph into a chain of layers: each GEMM with the bias and the activation behind it. Throws
 * CompileError (unsupported) for a graph of another form, such as one whose intermediate value is used twice.
 */
export function layerChain(graph: Graph): LayerChain {
  const users = new Map<ValueId, GraphOperation[]>();
  for (const operation of graph.operations)
    for (const operand of operandsOf(operation))
      users.set(operand, [...(users.get(operand) ?? []), operation]);
  const inputs = new Set<ValueId>(graph.inputs);
  const layers: Layer[] = [];
  let at = 0;
  let feed: ValueId | undefined;
  while (at < graph.operations.length) {
    const gemm = graph.operations[at++];
    if (gemm.kind !== 'gemm')
      throw unsupported(`${gemm.kind} without a GEMM before it`, { operation: at - 1 });
    if (feed === undefined ? !inputs.has(gemm.a) : gemm.a !== feed)
      throw unsupported('a GEMM that does not continue the chain', { operation: at - 1 });
    if (!inputs.has(gemm.b)) throw unsupported('weights that are computed', { operation: at - 1 });
    let result = gemm.c;
    let bias: GraphValue | undefined;
    let activation: Layer['activation'] = 'none';
    const next = () => {
      const operation = graph.operations[at];
      return operation !== undefined && operandsOf(operation)[0] === result ? operation : undefined;
    };
    const added = next();
    if (added?.kind === 'bias') {
      bias = graph.values[added.bias];
      result = added.y;
      at++;
    }
    const activated = next();
    if (activated?.kind === 'gelu') {
      activation = 'gelu-tanh';
      result = activated.y;
      at++;
    }
    let castScale: number | undefined;
    const cast = next();
    if (cast?.kind === 'cast') {
      const { type, scale } = graph.values[cast.y];
      if (type !== 'f8f143') throw unsupported(`a cast to ${type}`, { operation: at });
      castScale = scale;
      result = cast.y;
      at++;
    }
    layers.push({
      x: graph.values[gemm.a],
      weights: graph.values[gemm.b],
      ...(bias === undefined ? {} : { bias }),
      activation,
      ...(castScale === undefined ? {} : { castScale }),
      y: graph.values[result],
    });
    feed = result;
  }
  checkTypes(layers);
  const [first, ...rest] = layers;
  if (first === undefined) throw unsupported('a graph without operations', { operations: 0 });
  for (const operation of graph.operations) {
    const result = resultOf(operation);
    const uses = users.get(result)?.length ?? 0;
    const output = graph.outputs.includes(result);
    if (output ? uses > 0 || result !== feed : uses !== 1)
      throw unsupported(`value ${graph.values[result].name} is used ${uses} times`, { uses });
  }
  return { layers: [first, ...rest] };
}

/** Both operands of a layer have one type, f16 or f8, the same in all layers; the last result is f16. */
function checkTypes(layers: readonly Layer[]): void {
  const [first] = layers;
  if (first === undefined) return;
  const { type } = first.x;
  if (type !== 'f16' && type !== 'f8f143') throw unsupported(`operands in ${type}`, { type });
  layers.forEach(({ x, weights, bias, castScale }, index) => {
    const last = index === layers.length - 1;
    const wrong =
      x.type !== type ||
      weights.type !== type ||
      (bias !== undefined && bias.type !== 'f16') ||
      (castScale !== undefined) !== (type === 'f8f143' && !last);
    if (wrong)
      throw unsupported(`layer ${index} mixes ${x.type} and ${weights.type}`, { layer: index, type });
  });
}

/** Storage of the operands of every layer of a chain. */
export const operandType = ({ layers }: LayerChain): 'f16' | 'f8f143' =>
  layers[0].x.type === 'f8f143' ? 'f8f143' : 'f16';
