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

export type GraphOperation = GemmOperation | BiasOperation | GeluOperation | CastOperation;

/** Values an operation reads. */
export function operandsOf(operation: GraphOperation): readonly ValueId[] {
  switch (operation.kind) {
    case 'gemm':
      return [operation.a, operation.b];
    case 'bias':
      return [operation.x, operation.bias];
    case 'gelu':
    case 'cast':
      return [operation.x];
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
