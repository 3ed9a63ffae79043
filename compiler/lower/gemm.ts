import type { LogicalTile } from '../../device/ipu21/index.ts';
import { GEMM_TABLE_BYTES, LEFT_TAIL_BYTES, PARTIAL_TAIL_BYTES } from '../kernels/gemm.ts';
import { REDUCE_TABLE_BYTES } from '../kernels/reduce.ts';
import { splitEvenly } from '../plan/partition.ts';
import { type GemmPlan, tileOfPosition } from '../plan/plan.ts';
import { gatherTransfers, ownedPieces, type Piece } from './gather.ts';
import type {
  BindingLayout,
  BindingSlice,
  Buffer,
  BufferName,
  HostBlock,
  LoweredProgram,
  Separation,
  Step,
  Transfer,
} from './stages.ts';

/** Bytes of a run of 16 f16 values, the smallest unit of every layout here. */
const RUN_BYTES = 32;
/** Bytes of 8 f16 values, what one accumulate instruction adds. */
const GRANULE_BYTES = 16;

const named = (name: string) => name as BufferName;
const HOME_A = named('home.a');
const HOME_B = named('home.b');
const LEFT = named('left');
const RIGHT = named('right');
const PARTIALS = named('partials');
const STAGING = named('staging');
const RESULT = named('result');
const GEMM_TABLE = named('gemm.workers');
const REDUCE_TABLE = named('reduce.workers');

/**
 * Lowers C = A.B on a planned grid. Every operand block is stored once on the chip: cut into pieces over
 * the tiles that need it, gathered by multicast before the multiplication. K pieces are summed by a
 * rotation reduce-scatter: each tile of a K group ends up with one piece of the result block.
 */
export function lowerGemm(plan: GemmPlan, names: { a: string; b: string; c: string }): LoweredProgram {
  const { grid, rows, columns, inner } = plan;
  const gathersLeft = grid.n > 1;
  const gathersRight = grid.m > 1;
  const reduces = grid.k > 1;
  const steps: Step[] = [];
  const transfers: Transfer[] = [];
  const slicesA: BindingSlice[] = [];
  const slicesB: BindingSlice[] = [];
  const blocksA: HostBlock[] = [];
  const blocksB: HostBlock[] = [];
  let fileA = 0;
  let fileB = 0;
  let homeBytesA = 0;
  let homeBytesB = 0;
  const pieceBytes = (pieces: readonly Piece[]) => Math.max(...pieces.map((p) => p.bytes));

  for (let i = 0; i < grid.m; i++) {
    for (let l = 0; l < grid.k; l++) {
      const row = rows.shares[i];
      const piece = inner.shares[l];
      const bytes = row.blocks * piece.blocks * RUN_BYTES;
      const members = range(grid.n).map((j) => tileOfPosition(grid, i, j, l));
      const pieces = ownedPieces(bytes, members);
      blocksA.push({
        order: 'left',
        fileOffset: fileA,
        row: row.start,
        rows: row.size,
        column: piece.start,
        columns: piece.size,
        labels: { rowBlock: i, kPiece: l },
      });
      slicesA.push(...homeSlices(pieces, gathersLeft ? HOME_A : LEFT, fileA));
      if (gathersLeft) {
        homeBytesA = Math.max(homeBytesA, pieceBytes(pieces));
        transfers.push(...gatherTransfers(pieces, members, HOME_A, LEFT));
      }
      fileA += bytes;
    }
  }
  for (let j = 0; j < grid.n; j++) {
    for (let l = 0; l < grid.k; l++) {
      const column = columns.shares[j];
      const piece = inner.shares[l];
      const bytes = column.blocks * piece.blocks * 16 * RUN_BYTES;
      const members = range(grid.m).map((i) => tileOfPosition(grid, i, j, l));
      const pieces = ownedPieces(bytes, members);
      blocksB.push({
        order: 'right',
        fileOffset: fileB,
        row: piece.start,
        rows: piece.size,
        column: column.start,
        columns: column.size,
        labels: { columnBlock: j, kPiece: l },
      });
      slicesB.push(...homeSlices(pieces, gathersRight ? HOME_B : RIGHT, fileB));
      if (gathersRight) {
        homeBytesB = Math.max(homeBytesB, pieceBytes(pieces));
        transfers.push(...gatherTransfers(pieces, members, HOME_B, RIGHT));
      }
      fileB += bytes;
    }
  }

  const operandStep = transfers.length > 0 ? 0 : -1;
  if (operandStep === 0)
    steps.push({ kind: 'exchange', name: 'operands', modelCycles: plan.cost.operandCycles, transfers });
  const gemmStep = steps.length;
  steps.push({
    kind: 'gemm',
    name: 'gemm',
    modelCycles: plan.cost.gemmCycles,
    left: LEFT,
    right: RIGHT,
    out: PARTIALS,
    table: GEMM_TABLE,
    operands: 'f16',
    scale: 0,
    tiles: overGrid(plan, (i, j, l) => ({
      rows: rows.shares[i].blocks,
      panels: columns.shares[j].blocks,
      groups: inner.shares[l].blocks,
    })),
  });

  const reduction = reduces ? lowerReduction(plan) : undefined;
  if (reduction !== undefined) {
    steps.push({
      kind: 'exchange',
      name: 'partials',
      modelCycles: plan.cost.reductionExchangeCycles,
      transfers: reduction.transfers,
    });
    steps.push({
      kind: 'reduce',
      name: 'reduce',
      modelCycles: plan.cost.reductionCycles,
      own: PARTIALS,
      staging: STAGING,
      out: RESULT,
      table: REDUCE_TABLE,
      tiles: overGrid(plan, (i, j, l) => {
        const granules = reduction.pieces(i, j)[l];
        const count = granules.end - granules.start;
        return count === 0
          ? undefined
          : { granules: count, partials: grid.k, ownOffset: granules.start * GRANULE_BYTES };
      }),
    });
  }
  const end = steps.length;
  const output = outputLayout(plan, names.c, reduction);
  const leftBytes = rows.maxBlocks * inner.maxBlocks * RUN_BYTES;
  const rightBytes = columns.maxBlocks * inner.maxBlocks * 16 * RUN_BYTES;
  const outBytes = rows.maxBlocks * columns.maxBlocks * RUN_BYTES;
  const buffers: Buffer[] = [];
  const add = (name: BufferName, bytes: number, firstStep: number, lastStep: number, more = {}) =>
    buffers.push({ name, bytes, tailBytes: 0, memory: 'any', firstStep, lastStep, ...more });
  const interleaved = { memory: 'interleaved' as const };
  if (gathersLeft) add(HOME_A, homeBytesA, -1, end);
  if (gathersRight) add(HOME_B, homeBytesB, -1, end);
  const kept = (gathered: boolean) => (gathered ? [operandStep, gemmStep] : [-1, end]);
  const [leftFirst, leftLast] = kept(gathersLeft);
  const [rightFirst, rightLast] = kept(gathersRight);
  add(LEFT, leftBytes, leftFirst, leftLast, { tailBytes: LEFT_TAIL_BYTES });
  add(RIGHT, rightBytes, rightFirst, rightLast, interleaved);
  add(PARTIALS, outBytes, gemmStep, end, { ...interleaved, tailBytes: PARTIAL_TAIL_BYTES });
  if (reduction !== undefined) {
    add(STAGING, reduction.stagingBytes, gemmStep + 1, gemmStep + 2, interleaved);
    add(RESULT, reduction.resultBytes, gemmStep + 2, end);
    add(REDUCE_TABLE, REDUCE_TABLE_BYTES, -1, end);
  }
  add(GEMM_TABLE, GEMM_TABLE_BYTES, -1, end);

  return {
    tiles: plan.tilesRequested,
    buffers,
    separations: separations(gathersLeft, gathersRight, reduces),
    steps,
    bindings: [
      inputLayout(names.a, [rows.extent, inner.extent], fileA, blocksA, slicesA),
      inputLayout(names.b, [inner.extent, columns.extent], fileB, blocksB, slicesB),
      output,
    ],
  };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

function overGrid<T>(plan: GemmPlan, at: (i: number, j: number, l: number) => T): (T | undefined)[] {
  const tiles: (T | undefined)[] = new Array(plan.tilesRequested).fill(undefined);
  for (let i = 0; i < plan.grid.m; i++)
    for (let j = 0; j < plan.grid.n; j++)
      for (let l = 0; l < plan.grid.k; l++) tiles[tileOfPosition(plan.grid, i, j, l)] = at(i, j, l);
  return tiles;
}

const homeSlices = (pieces: readonly Piece[], buffer: BufferName, file: number): BindingSlice[] =>
  pieces.map((piece) => ({
    tile: piece.owner,
    buffer,
    offset: 0,
    fileOffset: file + piece.offset,
    bytes: piece.bytes,
  }));

function inputLayout(
  name: string,
  shape: readonly [number, number],
  fileBytes: number,
  blocks: readonly HostBlock[],
  slices: readonly BindingSlice[],
): BindingLayout {
  return { name, direction: 'input', dtype: 'f16', shape, fileBytes, blocks, slices };
}

interface Reduction {
  readonly transfers: readonly Transfer[];
  readonly stagingBytes: number;
  readonly resultBytes: number;
  /** Granule range of every K position of an output block. */
  pieces(i: number, j: number): readonly { start: number; end: number }[];
}

/** Round r: K position l sends to position l + r the piece that position keeps; slots fill in arrival order. */
function lowerReduction(plan: GemmPlan): Reduction {
  const { grid, rows, columns } = plan;
  const granules = (i: number, j: number) =>
    (rows.shares[i].blocks * columns.shares[j].blocks * RUN_BYTES) / GRANULE_BYTES;
  const pieces = (i: number, j: number) => splitEvenly(granules(i, j), grid.k);
  const transfers: Transfer[] = [];
  let largest = 0;
  for (let round = 1; round < grid.k; round++) {
    for (let i = 0; i < grid.m; i++) {
      for (let j = 0; j < grid.n; j++) {
        const block = pieces(i, j);
        for (let l = 0; l < grid.k; l++) {
          const keeper = (l + round) % grid.k;
          const { start, end } = block[keeper];
          const bytes = (end - start) * GRANULE_BYTES;
          if (bytes === 0) continue;
          largest = Math.max(largest, bytes);
          transfers.push({
            source: {
              tile: tileOfPosition(grid, i, j, l),
              buffer: PARTIALS,
              offset: start * GRANULE_BYTES,
            },
            words: bytes / 4,
            receivers: [
              {
                tile: tileOfPosition(grid, i, j, keeper),
                buffer: STAGING,
                offset: (round - 1) * bytes,
              },
            ],
          });
        }
      }
    }
  }
  return { transfers, stagingBytes: largest * (grid.k - 1), resultBytes: largest, pieces };
}

function outputLayout(plan: GemmPlan, name: string, reduction: Reduction | undefined): BindingLayout {
  const { grid, rows, columns } = plan;
  const blocks: HostBlock[] = [];
  const slices: BindingSlice[] = [];
  let file = 0;
  for (let i = 0; i < grid.m; i++) {
    for (let j = 0; j < grid.n; j++) {
      const row = rows.shares[i];
      const column = columns.shares[j];
      const bytes = row.blocks * column.blocks * RUN_BYTES;
      blocks.push({
        order: 'left',
        fileOffset: file,
        row: row.start,
        rows: row.size,
        column: column.start,
        columns: column.size,
        labels: { rowBlock: i, columnBlock: j },
      });
      const slice = (l: number, buffer: BufferName, start: number, size: number) =>
        slices.push({
          tile: tileOfPosition(grid, i, j, l) as LogicalTile,
          buffer,
          offset: 0,
          fileOffset: file + start,
          bytes: size,
        });
      if (reduction === undefined) slice(0, PARTIALS, 0, bytes);
      else
        reduction.pieces(i, j).forEach(({ start, end }, l) => {
          if (end > start) slice(l, RESULT, start * GRANULE_BYTES, (end - start) * GRANULE_BYTES);
        });
      file += bytes;
    }
  }
  return {
    name,
    direction: 'output',
    dtype: 'f16',
    shape: [rows.extent, columns.extent],
    fileBytes: file,
    blocks,
    slices,
  };
}

function separations(gathersLeft: boolean, gathersRight: boolean, reduces: boolean): Separation[] {
  const list: Separation[] = [
    { a: LEFT, b: PARTIALS, reason: 'the matrix kernel loads one and stores the other in one cycle' },
  ];
  const exchange = 'sent and received in one exchange phase';
  const homes = [...(gathersLeft ? [HOME_A] : []), ...(gathersRight ? [HOME_B] : [])];
  const targets = [...(gathersLeft ? [LEFT] : []), ...(gathersRight ? [RIGHT] : [])];
  for (const a of homes) for (const b of targets) list.push({ a, b, reason: exchange });
  if (reduces) list.push({ a: PARTIALS, b: STAGING, reason: exchange });
  return list;
}
