import type { GraphValue } from '../graph/graph.ts';
import type { BlockedAxis } from '../plan/axis.ts';
import { type LayerPlan, rowGrain } from '../plan/layer.ts';
import { splitEvenly } from '../plan/partition.ts';
import type { OperandType } from './stages.ts';

/** One product of a layer; the parts of a layer share its input and lie side by side in its rows. */
export interface LayerPart {
  readonly weights: GraphValue;
  readonly bias?: GraphValue;
  /** Features of the part. */
  readonly axis: BlockedAxis;
}

/** What a layer computes, beside how: one part for each of its plan's. */
export interface LayerSpec {
  /** Prefix of its buffers and steps. */
  readonly name: string;
  readonly operands: OperandType;
  /** f8: sum of the operands' scales. */
  readonly scale: number;
  readonly castScale?: number;
  readonly inner: BlockedAxis;
  readonly parts: readonly LayerPart[];
}

/** Result blocks [token panel][feature block] of (i, j), dealt to the K positions in contiguous runs. */
export interface Ownership {
  pieces(i: number, j: number): readonly { start: number; end: number }[];
  /** Most blocks of one tile. */
  readonly largest: number;
  /** Blocks that become one block of the next layer's input. */
  readonly grain: number;
}

export function ownership({ grid, rows, columns, shape }: LayerPlan): Ownership {
  const grain = rowGrain(shape);
  return {
    grain,
    pieces: (i, j) =>
      splitEvenly((rows.shares[i].blocks * columns.shares[j].blocks) / grain, grid.k).map(
        ({ start, end }) => ({
          start: start * grain,
          end: end * grain,
        }),
      ),
    largest: Math.ceil((rows.maxBlocks * columns.maxBlocks) / grain / grid.k) * grain,
  };
}
