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

export type GraphOperation = GemmOperation;

/** What is to be computed, without saying where. */
export interface Graph {
  readonly values: readonly GraphValue[];
  readonly operations: readonly GraphOperation[];
  readonly inputs: readonly ValueId[];
  readonly outputs: readonly ValueId[];
}

/** Collects values and operations; shapes are checked as they are added. */
export class GraphBuilder {
  readonly #values: GraphValue[] = [];
  readonly #operations: GraphOperation[] = [];
  readonly #inputs: ValueId[] = [];
  readonly #outputs: ValueId[] = [];

  /** Adds a graph input. Throws CompileError for an empty or non-integer shape. */
  input(name: string, type: ElementType, shape: readonly number[]): ValueId {
    const id = this.#value(name, type, shape);
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

  #value(name: string, type: ElementType, shape: readonly number[]): ValueId {
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
    const id = this.#values.length as ValueId;
    this.#values.push({ id, name, type, shape: [...shape] });
    return id;
  }
}
