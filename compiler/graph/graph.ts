import { CompileError } from '../errors.ts';

/** Element types a graph may name. */
export type ElementType = 'f16' | 'f32' | 'f8f143';

/** Index of a value in `Graph.values`. */
export type ValueId = number & { readonly __value: unique symbol };

/** A logical tensor of the graph: row-major, no layout, no tiles. */
export interface GraphValue {
  readonly id: ValueId;
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** Stored f8 codes stand for their value times two to this; 0 for other types. */
  readonly scale: number;
}

/** C[m x n] = A[m x k] . B[k x n]. */
export interface GemmOperation {
  readonly kind: 'gemm';
  readonly a: ValueId;
  readonly b: ValueId;
  readonly c: ValueId;
  /** Type in which running sums leave the matrix unit between blocks of 16 inner values. */
  readonly partials: ElementType;
}

/** y[i, j] = x[i, j] + bias[j]. */
export interface BiasOperation {
  readonly kind: 'bias';
  readonly x: ValueId;
  readonly bias: ValueId;
  readonly y: ValueId;
}

/** y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, element by element. */
export interface GeluOperation {
  readonly kind: 'gelu';
  readonly form: 'tanh';
  readonly x: ValueId;
  readonly y: ValueId;
}

/** y = x in another type; f8 saturates. */
export interface CastOperation {
  readonly kind: 'cast';
  readonly x: ValueId;
  readonly y: ValueId;
}

/** y = x + other, element by element. */
export interface AddOperation {
  readonly kind: 'add';
  readonly x: ValueId;
  readonly other: ValueId;
  readonly y: ValueId;
}

/** y = (x - mean) / sqrt(variance + epsilon) gamma + beta, over the columns of each row. */
export interface LayerNormOperation {
  readonly kind: 'layerNorm';
  readonly x: ValueId;
  readonly gamma: ValueId;
  readonly beta: ValueId;
  readonly epsilon: number;
  readonly y: ValueId;
}

/** [batch rows, heads width] seen as [batch heads, rows, width]; a view. */
export interface SplitHeadsOperation {
  readonly kind: 'splitHeads';
  readonly x: ValueId;
  readonly heads: number;
  readonly batch: number;
  readonly y: ValueId;
}

/** [batch heads, rows, width] seen as [batch rows, heads width]; a view. */
export interface MergeHeadsOperation {
  readonly kind: 'mergeHeads';
  readonly x: ValueId;
  readonly heads: number;
  readonly batch: number;
  readonly y: ValueId;
}

/**
 * Which keys a query sees: all; those up to its own index; or those up to its own index when both ends are aligned
 * (key j for query i where j <= i + keys - queries).
 */
export type CausalMask = 'none' | 'top-left' | 'bottom-right';

/**
 * y = softmax(scale q k^T) v per stream (batch entry and head); q [streams, queries, width], k and v
 * [kvStreams, keys, width]. Stream s takes keys and values of stream floor(s kvStreams / streams). A query that
 * sees no key gives zeros.
 */
export interface AttentionOperation {
  readonly kind: 'attention';
  readonly q: ValueId;
  readonly k: ValueId;
  readonly v: ValueId;
  readonly scale: number;
  readonly causal: CausalMask;
  readonly y: ValueId;
}

export type GraphOperation =
  | GemmOperation
  | BiasOperation
  | GeluOperation
  | CastOperation
  | AddOperation
  | LayerNormOperation
  | SplitHeadsOperation
  | MergeHeadsOperation
  | AttentionOperation;

/** Values an operation reads. */
export function operandsOf(operation: GraphOperation): readonly ValueId[] {
  switch (operation.kind) {
    case 'gemm':
      return [operation.a, operation.b];
    case 'bias':
      return [operation.x, operation.bias];
    case 'gelu':
    case 'cast':
    case 'splitHeads':
    case 'mergeHeads':
      return [operation.x];
    case 'add':
      return [operation.x, operation.other];
    case 'layerNorm':
      return [operation.x, operation.gamma, operation.beta];
    case 'attention':
      return [operation.q, operation.k, operation.v];
  }
}

/** The value an operation defines. */
export const resultOf = (operation: GraphOperation): ValueId =>
  operation.kind === 'gemm' ? operation.c : operation.y;

/** What is to be computed, without saying where. */
export interface Graph {
  readonly values: readonly GraphValue[];
  readonly operations: readonly GraphOperation[];
  readonly inputs: readonly ValueId[];
  readonly outputs: readonly ValueId[];
}

/** Scales of one f8 operand [SDK]. */
const SMALLEST_SCALE = -16;
const LARGEST_SCALE = 15;

/** Collects values and operations; shapes are checked as they are added. */
export class GraphBuilder {
  readonly #values: GraphValue[] = [];
  readonly #operations: GraphOperation[] = [];
  readonly #inputs: ValueId[] = [];
  readonly #outputs: ValueId[] = [];

  /** Adds a graph input. Throws CompileError for an empty or non-integer shape. */
  input(name: string, type: ElementType, shape: readonly number[], scale = 0): ValueId {
    const id = this.#value(name, type, shape, scale);
    this.#inputs.push(id);
    return id;
  }

  /** Adds C = A.B. Throws CompileError when inner dimensions differ. */
  gemm(name: string, a: ValueId, b: ValueId, type: ElementType, partials: ElementType): ValueId {
    const left = this.#values[a];
    const right = this.#values[b];
    if (left.shape.length !== 2 || right.shape.length !== 2 || left.shape[1] !== right.shape[0]) {
      throw new CompileError(
        'graph',
        `gemm ${name}: shapes ${left.shape.join('x')} and ${right.shape.join('x')} do not multiply`,
        { leftInner: left.shape[1] ?? 0, rightInner: right.shape[0] ?? 0 },
        'Give A as m x k and B as k x n with the same k.',
      );
    }
    const c = this.#value(name, type, [left.shape[0], right.shape[1]]);
    this.#operations.push({ kind: 'gemm', a, b, c, partials });
    return c;
  }

  /** Adds a bias of one value per column. Throws CompileError when the lengths differ. */
  bias(name: string, x: ValueId, bias: ValueId): ValueId {
    const { type, shape } = this.#values[x];
    const other = this.#values[bias].shape;
    if (other.length !== 1 || other[0] !== shape[1]) {
      throw new CompileError(
        'graph',
        `bias ${name}: ${other.join('x')} does not fit the columns of ${shape.join('x')}`,
        { columns: shape[1] ?? 0, bias: other[0] ?? 0 },
        'Give one bias per column.',
      );
    }
    const y = this.#value(name, type, shape);
    this.#operations.push({ kind: 'bias', x, bias, y });
    return y;
  }

  /** Adds GeLU in its tanh form. */
  gelu(name: string, x: ValueId): ValueId {
    const { type, shape } = this.#values[x];
    const y = this.#value(name, type, shape);
    this.#operations.push({ kind: 'gelu', form: 'tanh', x, y });
    return y;
  }

  /** Changes the storage type. */
  cast(name: string, x: ValueId, type: ElementType, scale = 0): ValueId {
    const y = this.#value(name, type, this.#values[x].shape, scale);
    this.#operations.push({ kind: 'cast', x, y });
    return y;
  }

  /** Adds two values of one shape. Throws CompileError when shapes differ. */
  add(name: string, x: ValueId, other: ValueId): ValueId {
    const [left, right] = [this.#values[x], this.#values[other]];
    if (left.shape.join('x') !== right.shape.join('x'))
      throw new CompileError(
        'graph',
        `add ${name}: shapes ${left.shape.join('x')} and ${right.shape.join('x')} differ`,
        { left: left.shape.join('x'), right: right.shape.join('x') },
        'Give two values of one shape.',
      );
    const y = this.#value(name, left.type, left.shape);
    this.#operations.push({ kind: 'add', x, other, y });
    return y;
  }

  /** Adds a layer norm over columns. Throws CompileError when gamma or beta does not fit, or epsilon is not positive. */
  layerNorm(name: string, x: ValueId, gamma: ValueId, beta: ValueId, epsilon: number): ValueId {
    const { type, shape } = this.#values[x];
    for (const one of [gamma, beta]) {
      const other = this.#values[one].shape;
      if (other.length !== 1 || other[0] !== shape[1])
        throw new CompileError(
          'graph',
          `layer norm ${name}: ${other.join('x')} does not fit the columns of ${shape.join('x')}`,
          { columns: shape[1] ?? 0, factors: other[0] ?? 0 },
          'Give one factor and one shift per column.',
        );
    }
    if (!(epsilon > 0) || !Number.isFinite(epsilon))
      throw new CompileError(
        'graph',
        `layer norm ${name}: epsilon ${epsilon} is not a positive number`,
        { epsilon: String(epsilon) },
        'Give a small positive epsilon, 1e-6 for example.',
      );
    const y = this.#value(name, type, shape);
    this.#operations.push({ kind: 'layerNorm', x, gamma, beta, epsilon, y });
    return y;
  }

  /** Sees [batch rows, heads width] as [batch heads, rows, width]. Throws CompileError when it does not divide. */
  splitHeads(name: string, x: ValueId, heads: number, batch = 1): ValueId {
    const { type, shape } = this.#values[x];
    const [rows, columns] = shape;
    if (shape.length !== 2 || rows % batch !== 0 || columns % heads !== 0)
      throw new CompileError(
        'graph',
        `split ${name}: ${shape.join('x')} does not split into ${heads} heads and ${batch} batch entries`,
        { heads, batch },
        'Rows must be a multiple of the batch and columns of the heads.',
      );
    const y = this.#value(name, type, [batch * heads, rows / batch, columns / heads]);
    this.#operations.push({ kind: 'splitHeads', x, heads, batch, y });
    return y;
  }

  /** Sees [batch heads, rows, width] as [batch rows, heads width]. Throws CompileError when it does not divide. */
  mergeHeads(name: string, x: ValueId, batch = 1): ValueId {
    const { type, shape } = this.#values[x];
    const [streams, rows, width] = shape;
    if (shape.length !== 3 || streams % batch !== 0)
      throw new CompileError(
        'graph',
        `merge ${name}: ${shape.join('x')} does not merge over ${batch} batch entries`,
        { batch },
        'The first extent must be a multiple of the batch.',
      );
    const heads = streams / batch;
    const y = this.#value(name, type, [batch * rows, heads * width]);
    this.#operations.push({ kind: 'mergeHeads', x, heads, batch, y });
    return y;
  }

  /**
   * Adds attention over streams. Throws CompileError when widths or lengths disagree, streams do not share keys
   * evenly, or the scale is not a positive number.
   */
  attention(
    name: string,
    operands: { readonly q: ValueId; readonly k: ValueId; readonly v: ValueId },
    options: { readonly scale: number; readonly causal: CausalMask },
  ): ValueId {
    const [q, k, v] = [operands.q, operands.k, operands.v].map((id) => this.#values[id].shape);
    const refuse = (why: string): never => {
      throw new CompileError(
        'graph',
        `attention ${name}: ${why} (q ${q.join('x')}, k ${k.join('x')}, v ${v.join('x')})`,
        { q: q.join('x'), k: k.join('x'), v: v.join('x') },
        'Give q as [streams, queries, width], k and v as [kv streams, keys, width].',
      );
    };
    if (q.length !== 3 || k.length !== 3 || v.length !== 3) refuse('operands must have three extents');
    if (q[2] !== k[2] || k[2] !== v[2]) refuse('widths differ');
    if (k[1] !== v[1] || k[0] !== v[0]) refuse('keys and values differ in number');
    if (q[0] % k[0] !== 0) refuse('query streams are no multiple of key streams');
    if (!(options.scale > 0) || !Number.isFinite(options.scale)) refuse(`scale ${options.scale}`);
    const y = this.#value(name, this.#values[operands.q].type, q);
    this.#operations.push({ kind: 'attention', ...operands, ...options, y });
    return y;
  }

  output(id: ValueId): void {
    this.#outputs.push(id);
  }

  build(): Graph {
    return {
      values: this.#values,
      operations: this.#operations,
      inputs: this.#inputs,
      outputs: this.#outputs,
    };
  }

  #value(name: string, type: ElementType, shape: readonly number[], scale = 0): ValueId {
    for (const extent of shape) {
      if (!Number.isSafeInteger(extent) || extent < 1) {
        throw new CompileError(
          'graph',
          `value ${name}: dimension ${extent} of shape ${shape.join('x')} is not a positive integer`,
          { dimension: String(extent) },
          'Every dimension must be an integer of at least 1.',
        );
      }
    }
    if (!Number.isInteger(scale) || scale < SMALLEST_SCALE || scale > LARGEST_SCALE) {
      throw new CompileError(
        'graph',
        `value ${name}: scale ${scale} is not an integer from ${SMALLEST_SCALE} to ${LARGEST_SCALE}`,
        { scale: String(scale) },
        'The matrix unit adds the scales of both operands in six bits.',
      );
    }
    const id = this.#values.length as ValueId;
    this.#values.push({ id, name, type, shape: [...shape], scale });
    return id;
  }
}
