import type { LayerPlan } from '../plan/layer.ts';
import { tileOfPosition } from '../plan/plan.ts';
import type { BindingLayout, Buffer, BufferName, LoweredProgram, Separation, Span, Step } from './stages.ts';
import { touchedBuffers } from './touched.ts';

/** What is collected while the parts of a graph are lowered in order. */
export interface Draft {
  readonly tiles: number;
  readonly buffers: Buffer[];
  readonly separations: Separation[];
  readonly steps: Step[];
  readonly bindings: BindingLayout[];
}

export const emptyDraft = (tiles: number): Draft => ({
  tiles,
  buffers: [],
  separations: [],
  steps: [],
  bindings: [],
});

/** Lives up to the last step are known only when all steps are: a mark for "to the end". */
export const TO_THE_END = -2;
/** A mark for "up to the last step that touches it". */
export const WHILE_TOUCHED = -3;

/** Contiguous bytes of a block of 16 x 16 values and where they lie. */
export interface Fragment {
  readonly span: Span;
  readonly bytes: number;
}

/** Where the block of tokens 16 panel.. and features 16 group.. of a value lies, front to back. */
export type BlockSource = (panel: number, group: number) => readonly Fragment[];

/** A value on the chip, in blocks. */
export interface Source {
  readonly at: BlockSource;
  readonly buffers: readonly BufferName[];
}

export const range = (count: number) => Array.from({ length: count }, (_, index) => index);

export function add(
  draft: Draft,
  name: BufferName,
  bytes: number,
  firstStep: number,
  lastStep: number,
  more: Partial<Buffer> = {},
): void {
  draft.buffers.push({ name, bytes, tailBytes: 0, memory: 'any', firstStep, lastStep, ...more });
}

/** The program, with every life settled. */
export function closed({ steps, buffers, ...draft }: Draft): LoweredProgram {
  const last = new Map<BufferName, number>();
  steps.forEach((step, index) => {
    for (const name of touchedBuffers(step)) last.set(name, index);
  });
  for (const { slices, direction } of draft.bindings)
    if (direction === 'output') for (const { buffer } of slices) last.set(buffer, steps.length);
  return {
    ...draft,
    steps,
    buffers: buffers.map((buffer) => {
      if (buffer.lastStep === TO_THE_END) return { ...buffer, lastStep: steps.length };
      if (buffer.lastStep === WHILE_TOUCHED)
        return { ...buffer, lastStep: last.get(buffer.name) ?? buffer.firstStep };
      return buffer;
    }),
  };
}

/** Arguments by logical tile for the tiles of a grid. */
export function overGrid<T>(
  draft: Draft,
  { grid }: Pick<LayerPlan, 'grid'>,
  at: (i: number, j: number, l: number) => T,
): (T | undefined)[] {
  const tiles: (T | undefined)[] = new Array(draft.tiles).fill(undefined);
  for (let i = 0; i < grid.m; i++)
    for (let j = 0; j < grid.n; j++)
      for (let l = 0; l < grid.k; l++) tiles[tileOfPosition(grid, i, j, l)] = at(i, j, l);
  return tiles;
}
