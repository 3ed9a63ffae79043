import { CompileError } from '../errors.ts';
import { segmentBlocks } from '../plan/axis.ts';
import {
  type AttentionOperation,
  type CausalMask,
  type Graph,
  type GraphOperation,
  type GraphValue,
  operandsOf,
  resultOf,
  type ValueId,
} from './graph.ts';

/**
 * Streams of a value: its rows are `batch` sequences of `rows` tokens, its columns `heads` runs of `width` features.
 * Stream b heads + h is sequence b of head h. Every sequence and every head is padded to whole blocks of 16.
 */
export interface StreamShape {
  readonly batch: number;
  readonly rows: number;
  readonly heads: number;
  readonly width: number;
}

/** One product of a layer stage. */
export interface StagePart {
  readonly weights: GraphValue;
  readonly bias?: GraphValue;
  readonly gelu: boolean;
  readonly y: ValueId;
  /** Values of attention stay with features as rows; all others are turned to tokens as rows. */
  readonly turn: boolean;
}

/** y = activation(x . weights + bias) for one or more weights at once. */
export interface LayerStage {
  readonly kind: 'layer';
  readonly name: string;
  readonly x: ValueId;
  readonly parts: readonly StagePart[];
}

export interface AttentionStage {
  readonly kind: 'attention';
  readonly name: string;
  readonly q: ValueId;
  readonly k: ValueId;
  readonly v: ValueId;
  readonly y: ValueId;
  readonly streams: number;
  readonly kvStreams: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
  readonly scale: number;
  readonly causal: CausalMask;
}

export interface NormStage {
  readonly kind: 'norm';
  readonly name: string;
  readonly x: ValueId;
  readonly gamma: GraphValue;
  readonly beta: GraphValue;
  readonly epsilon: number;
  readonly y: ValueId;
}

export interface AddStage {
  readonly kind: 'add';
  readonly name: string;
  readonly x: ValueId;
  readonly other: ValueId;
  readonly y: ValueId;
}

export type NetworkStage = LayerStage | AttentionStage | NormStage | AddStage;

/** A graph as stages in order; views are gone, ids name the values they see. */
export interface Network {
  readonly graph: Graph;
  readonly stages: readonly NetworkStage[];
  /** Streams of every value that stages pass to each other. */
  readonly shapes: ReadonlyMap<ValueId, StreamShape>;
  /** The value behind the graph's one output. */
  readonly result: ValueId;
}

const unsupported = (message: string, facts: Record<string, number | string>): CompileError =>
  new CompileError(
    'graph',
    message,
    facts,
    'Use f16 GEMMs with bias and GeLU, head views, attention, layer norm and add, and one output.',
    { verdict: 'unsupported' },
  );

/** Blocks of 16 x 16 of one stream: panels of tokens, groups of features. */
export const panelsOf = ({ rows }: StreamShape): number => segmentBlocks({ segments: 1, length: rows });
export const groupsOf = ({ width }: StreamShape): number => segmentBlocks({ segments: 1, length: width });

/**
 * Orders a graph into stages: GEMMs with what follows them, projections of one value for one attention side by side.
 * Throws CompileError (unsupported) where operations do not fit together.
 */
export function networkOf(graph: Graph): Network {
  checkTypes(graph);
  const users = new Map<ValueId, GraphOperation[]>();
  for (const operation of graph.operations)
    for (const operand of operandsOf(operation))
      users.set(operand, [...(users.get(operand) ?? []), operation]);
  const definitions = new Map(graph.operations.map((operation) => [resultOf(operation), operation]));
  const base = (id: ValueId): ValueId => {
    const definition = definitions.get(id);
    return definition?.kind === 'splitHeads' || definition?.kind === 'mergeHeads' ? base(definition.x) : id;
  };
  const shapes = streamShapes(graph, base);
  const stages: NetworkStage[] = [];
  const consumed = new Set<GraphOperation>();
  const soleUser = (id: ValueId): GraphOperation | undefined => {
    const list = users.get(id) ?? [];
    return list.length === 1 && !graph.outputs.includes(id) ? list[0] : undefined;
  };
  for (const operation of graph.operations) {
    if (consumed.has(operation)) continue;
    switch (operation.kind) {
      case 'gemm': {
        let y = operation.c;
        let bias: GraphValue | undefined;
        let gelu = false;
        const biased = soleUser(y);
        if (biased?.kind === 'bias' && biased.x === y) {
          bias = graph.values[biased.bias];
          y = biased.y;
          consumed.add(biased);
        }
        const activated = soleUser(y);
        if (activated?.kind === 'gelu') {
          gelu = true;
          y = activated.y;
          consumed.add(activated);
        }
        if (!graph.inputs.includes(operation.b))
          throw unsupported('weights that are computed', { value: graph.values[operation.b].name });
        const part: StagePart = {
          weights: graph.values[operation.b],
          ...(bias === undefined ? {} : { bias }),
          gelu,
          y,
          turn: !isValues(graph, base, y),
        };
        const before = stages.at(-1);
        const x = base(operation.a);
        if (before?.kind === 'layer' && before.x === x && [...before.parts, part].every((one) => !one.gelu))
          stages[stages.length - 1] = {
            ...before,
            name: `${before.name}+${graph.values[y].name}`,
            parts: [...before.parts, part],
          };
        else stages.push({ kind: 'layer', name: graph.values[y].name, x, parts: [part] });
        break;
      }
      case 'attention':
        stages.push(attentionStage(graph, base, operation));
        break;
      case 'layerNorm':
        stages.push({
          kind: 'norm',
          name: graph.values[operation.y].name,
          x: base(operation.x),
          gamma: graph.values[operation.gamma],
          beta: graph.values[operation.beta],
          epsilon: operation.epsilon,
          y: operation.y,
        });
        break;
      case 'add':
        stages.push({
          kind: 'add',
          name: graph.values[operation.y].name,
          x: base(operation.x),
          other: base(operation.other),
          y: operation.y,
        });
        break;
      case 'splitHeads':
      case 'mergeHeads':
        break;
      default:
        throw unsupported(`${operation.kind} in this place`, { operation: operation.kind });
    }
  }
  if (graph.outputs.length !== 1)
    throw unsupported(`${graph.outputs.length} outputs`, { outputs: graph.outputs.length });
  const result = base(graph.outputs[0]);
  if (!stages.some((stage) => stage.kind !== 'layer' && stage.y === result) && !isTurned(stages, result))
    throw unsupported('an output that no stage computes', { value: graph.values[result].name });
  return { graph, stages, shapes, result };
}

const isTurned = (stages: readonly NetworkStage[], id: ValueId): boolean =>
  stages.some((stage) => stage.kind === 'layer' && stage.parts.some((part) => part.y === id && part.turn));

/** True for a value that attention takes as its v; throws when it is also something else. */
function isValues(graph: Graph, base: (id: ValueId) => ValueId, id: ValueId): boolean {
  let values = 0;
  let others = graph.outputs.some((output) => base(output) === id) ? 1 : 0;
  for (const operation of graph.operations) {
    if (operation.kind === 'splitHeads' || operation.kind === 'mergeHeads') continue;
    const v = operation.kind === 'attention' && base(operation.v) === id;
    if (v) values++;
    if (operandsOf(operation).filter((one) => base(one) === id).length > (v ? 1 : 0)) others++;
  }
  if (values > 0 && others > 0)
    throw unsupported('a value that attention takes as v and that is used elsewhere too', {
      value: graph.values[id].name,
    });
  return values > 0;
}

function attentionStage(
  graph: Graph,
  base: (id: ValueId) => ValueId,
  operation: AttentionOperation,
): AttentionStage {
  const [q, k] = [graph.values[operation.q].shape, graph.values[operation.k].shape];
  if (base(operation.k) === base(operation.v))
    throw unsupported('one value as keys and values', { value: graph.values[operation.k].name });
  return {
    kind: 'attention',
    name: graph.values[operation.y].name,
    q: base(operation.q),
    k: base(operation.k),
    v: base(operation.v),
    y: operation.y,
    streams: q[0],
    kvStreams: k[0],
    queries: q[1],
    keys: k[1],
    width: q[2],
    scale: operation.scale,
    causal: operation.causal,
  };
}

/** Streams of every value: heads and batch where a view says so, one batch for all values with as many rows. */
function streamShapes(graph: Graph, base: (id: ValueId) => ValueId): ReadonlyMap<ValueId, StreamShape> {
  const batches = new Map<number, number>();
  const heads = new Map<ValueId, number>();
  const learn = (id: ValueId, rows: number, batch: number, count: number) => {
    const known = batches.get(rows) ?? batch;
    const knownHeads = heads.get(id) ?? count;
    if (known !== batch || knownHeads !== count)
      throw unsupported(`value ${graph.values[id].name} is cut in two ways`, {
        batch,
        heads: count,
        otherBatch: known,
        otherHeads: knownHeads,
      });
    batches.set(rows, batch);
    heads.set(id, count);
  };
  for (const operation of graph.operations) {
    if (operation.kind === 'splitHeads' && graph.values[base(operation.x)].shape.length === 2)
      learn(base(operation.x), graph.values[operation.x].shape[0], operation.batch, operation.heads);
    if (operation.kind === 'mergeHeads') batches.set(graph.values[operation.y].shape[0], operation.batch);
  }
  const shapes = new Map<ValueId, StreamShape>();
  for (const { id, shape } of graph.values) {
    if (base(id) !== id) continue;
    if (shape.length === 3) {
      const merged = graph.operations.find(
        (operation) => operation.kind === 'mergeHeads' && base(operation.x) === id,
      );
      const batch = merged?.kind === 'mergeHeads' ? merged.batch : shape[0];
      shapes.set(id, { batch, rows: shape[1], heads: shape[0] / batch, width: shape[2] });
    } else if (shape.length === 2) {
      const batch = batches.get(shape[0]) ?? 1;
      const count = heads.get(id) ?? 1;
      shapes.set(id, { batch, rows: shape[0] / batch, heads: count, width: shape[1] / count });
    }
  }
  return shapes;
}

/** Everything is f16; f8 goes through chains of layers only. */
function checkTypes(graph: Graph): void {
  for (const { type, name } of graph.values)
    if (type !== 'f16') throw unsupported(`value ${name} in ${type} beside attention`, { type });
}
