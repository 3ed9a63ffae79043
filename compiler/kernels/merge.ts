import { a, CSR, csrOperand, m, pair, quad, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Assembler, InstructionText } from '../assembler/assembler.ts';
import { workerRows } from './gemm.ts';
import { halfCode, halfValue } from './half.ts';
import { ZERO_ACCUMULATORS } from './machine.ts';
import { EMPTY_MAXIMUM } from './softmax.ts';

/**
 * Partial results of attention over different keys become one. Partial j has values o_j in f16 [panel of 16][row]
 * [32 bytes], normalised by their own sum, and statistics [row][maximum m_j, sum s_j] in f32. Per row, in f32:
 *
 *   m = max m_j;  v_j = s_j exp(-scale (m - m_j));  l = max(sum v_j, LEAST);  u_j = f16(v_j / l);
 *   o = sum of f16(u_j o_j), rounded to f16; statistics (m, sum v_j).
 *
 * Nothing exceeds the largest |o_j|, and merging what was merged is the same operation. Partials without keys have
 * the sum 0 and weigh nothing; when no partial has keys the result is +0. Two launches: weights, a worker per row;
 * then values, a worker per run of 16, so that few rows keep all workers busy.
 */
export interface MergeWork {
  readonly rows: number;
  /** Panels of 16 values. */
  readonly panels: number;
  readonly partials: number;
  /** Bytes from partial to partial, a multiple of 16, where they follow each other. */
  readonly partialBytes?: number;
}

/** Where everything lies; the values of all partials need 128-bit access, strides may be negative. */
export interface MergeAddresses {
  readonly values: number;
  readonly valuesStride: number;
  readonly statistics: number;
  readonly statisticsStride: number;
  readonly out: number;
  /** Undefined when nobody needs the merged statistics. */
  readonly outStatistics?: number;
  readonly weights: number;
}

const WEIGHT_WORDS = 7;
const VALUE_WORDS = 10;
export const MERGE_TABLE_BYTES = WORKER_COUNT * (WEIGHT_WORDS + VALUE_WORDS) * 4;
/** Bytes of the weights; one word more is read and thrown away. */
export const mergeWeightBytes = ({ rows, partials }: Pick<MergeWork, 'rows' | 'partials'>): number =>
  (rows * partials + 2) * 4;

const RUN_BYTES = 32;
/** Least divisor: keeps 0 / 0 out of rows without keys. 2^-100 in f32. */
const LEAST = 0x0d800000;

const bits = new DataView(new ArrayBuffer(4));
const singleBits = (value: number): number => {
  bits.setFloat32(0, value);
  return bits.getUint32(0);
};

/** The argument table for one tile, little-endian words. */
export function mergeTable(work: MergeWork, scale: number, at: MergeAddresses): Uint32Array {
  const { rows, panels, partials } = work;
  const table = new Uint32Array(MERGE_TABLE_BYTES / 4);
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const mine = workerRows(rows, worker);
    table.set(
      [
        at.statistics + mine.start * 8,
        at.weights + mine.start * partials * 4,
        mine.count - 1,
        partials,
        at.statisticsStride / 8,
        singleBits(-halfValue(halfCode(scale))),
        at.outStatistics === undefined ? 0 : at.outStatistics + mine.start * 8,
      ],
      worker * WEIGHT_WORDS,
    );
    const runs = workerRows(rows * panels, worker);
    const row = runs.start % rows;
    table.set(
      [
        at.values + runs.start * RUN_BYTES,
        at.out + runs.start * RUN_BYTES,
        at.weights + row * partials * 4,
        runs.count - 1,
        rows - 1 - row,
        partials,
        at.valuesStride / 16,
        partials * 4,
        rows - 1,
        at.weights,
      ],
      WORKER_COUNT * WEIGHT_WORDS + worker * VALUE_WORDS,
    );
  }
  return table;
}

const [ARGUMENTS, ZERO] = [m(13), m(15)];
const NOP: InstructionText = ['nop'];
const FNOP: InstructionText = ['fnop'];
type Bundle = readonly [main: InstructionText, aux: InstructionText];

const argument = (register: ReturnType<typeof a>, index: number): InstructionText => [
  'ld32',
  register,
  ARGUMENTS,
  ZERO,
  index,
];
const emit = (asm: Assembler, bundles: readonly Bundle[]) => {
  for (const [main, aux] of bundles) asm.bundle(main, aux);
};
const repeat = (asm: Assembler, count: ReturnType<typeof m>, bundles: readonly Bundle[]) => {
  asm.bundle(['rpt', count, bundles.length - 1], FNOP);
  emit(asm, bundles);
};

/** Weights of rows: statistics of all partials in, f16 weights in 32-bit words out. */
const [STATISTICS, WEIGHTS, ROWS, PARTIALS, STRIDE] = [m(0), m(1), m(2), m(3), m(4)];
const [OUT_STATISTICS, CURSOR, WEIGHT] = [m(5), m(6), m(7)];
const [LARGEST, SCALE, SUM, LEAST_SUM] = [a(8), a(9), a(10), a(11)];
const PARTIAL = pair(a(0));

/** The next partial's maximum and sum. */
const nextStatistics: InstructionText = ['ld64step', PARTIAL, ZERO, step(CURSOR), STRIDE];

const MAXIMUM: readonly Bundle[] = [[nextStatistics, ['f32max', LARGEST, LARGEST, a(0)]]];
const WEIGH: readonly Bundle[] = [
  [nextStatistics, FNOP],
  [NOP, ['f32sub', a(0), LARGEST, a(0)]],
  [NOP, ['f32mul', a(0), a(0), SCALE]],
  [NOP, ['f32exp', a(0), a(0)]],
  [NOP, ['f32mul', a(0), a(0), a(1)]],
  [
    ['st32step', a(0), ZERO, step(WEIGHT), 1],
    ['f32add', SUM, SUM, a(0)],
  ],
];
/** The f16 weight over its f32 place. */
const DIVIDE: readonly Bundle[] = [
  [['ld32', a(0), WEIGHT, ZERO, 0], FNOP],
  [NOP, ['f32mul', a(0), a(0), SUM]],
  [NOP, ['f32tof16', a(0), a(0)]],
  [['st32step', a(0), ZERO, step(WEIGHT), 1], FNOP],
];

function emitWeights(asm: Assembler): void {
  asm.align(8);
  asm.label('merge.weights');
  asm.op(...argument(ROWS, 2));
  asm.op('brneg', ROWS, asm.at('merge.leave'));
  asm.op(...argument(STATISTICS, 0));
  asm.op(...argument(WEIGHTS, 1));
  asm.op(...argument(PARTIALS, 3));
  asm.op(...argument(STRIDE, 4));
  asm.bundle(argument(SCALE, 5), ['or', LEAST_SUM, a(15), LEAST]);
  asm.bundle(argument(OUT_STATISTICS, 6), FNOP);
  asm.label('merge.row');
  emit(asm, [
    [
      ['add', CURSOR, STATISTICS, 0],
      ['or', LARGEST, a(15), EMPTY_MAXIMUM],
    ],
    [
      ['add', WEIGHT, WEIGHTS, 0],
      ['mov', a(0), LARGEST],
    ],
  ]);
  repeat(asm, PARTIALS, MAXIMUM);
  emit(asm, [
    [
      ['add', CURSOR, STATISTICS, 0],
      ['f32max', LARGEST, LARGEST, a(0)],
    ],
    [
      ['add', STATISTICS, STATISTICS, 8],
      ['mov', SUM, a(15)],
    ],
  ]);
  repeat(asm, PARTIALS, WEIGH);
  emit(asm, [
    [['brz', OUT_STATISTICS, asm.at('merge.divide')], FNOP],
    [['st32step', LARGEST, ZERO, step(OUT_STATISTICS), 1], FNOP],
    [['st32step', SUM, ZERO, step(OUT_STATISTICS), 1], FNOP],
  ]);
  asm.label('merge.divide');
  emit(asm, [
    [
      ['add', WEIGHT, WEIGHTS, 0],
      ['f32max', SUM, SUM, LEAST_SUM],
    ],
    [NOP, ['f32oox', SUM, SUM]],
  ]);
  repeat(asm, PARTIALS, DIVIDE);
  emit(asm, [
    [['add', WEIGHTS, WEIGHT, 0], FNOP],
    [['brnzdec', ROWS, asm.at('merge.row')], FNOP],
  ]);
  asm.label('merge.leave');
  asm.op('exitz', ZERO);
}

/** Values: a run of 16 at a time, eight sums at once. */
const [VALUES, OUT, ROW_WEIGHTS, RUNS, ROWS_LEFT] = [m(0), m(1), m(2), m(5), m(6)];
const [FROM, AT, SCRATCH] = [m(7), m(8), m(9)];
const [LOADED, PRODUCTS] = [quad(a(0)), quad(a(4))];
const [P0, P1] = [pair(a(4)), pair(a(6))];
const NOTHING = pair(a(14));
const WEIGHT_NOW = { ...a(8), broadcast: 'BL' } as const;

/** Eight values of one partial; the sum joins one partial later, the weight is loaded a partial ahead. */
const ACCUMULATE: readonly Bundle[] = [
  [
    ['ld128step', LOADED, ZERO, step(FROM), STRIDE],
    ['f16v8acc', PRODUCTS],
  ],
  [NOP, ['f16v4mul', P0, WEIGHT_NOW, pair(a(0))]],
  [
    ['ld32step', a(8), ZERO, step(AT), 1],
    ['f16v4mul', P1, WEIGHT_NOW, pair(a(2))],
  ],
];
const BEFORE_EIGHT = (half: number): readonly Bundle[] => [
  [
    ['add', FROM, VALUES, half * 16],
    ['mov', P0, NOTHING],
  ],
  [
    ['add', AT, ROW_WEIGHTS, 0],
    ['mov', P1, NOTHING],
  ],
  [['ld32step', a(8), ZERO, step(AT), 1], FNOP],
];
/** Each read shifts the accumulators down and feeds zeros, so they end up clear. */
const AFTER_EIGHT: readonly Bundle[] = [
  [NOP, ['f16v8acc', PRODUCTS]],
  [NOP, ['f16v2gina', a(0), a(15), 0]],
  [NOP, ['f16v2gina', a(1), a(15), 0]],
  [
    ['st64step', pair(a(0)), ZERO, step(OUT), 1],
    ['f16v2gina', a(2), a(15), 0],
  ],
  [NOP, ['f16v2gina', a(3), a(15), 0]],
  [['st64step', pair(a(2)), ZERO, step(OUT), 1], FNOP],
];

function emitValues(asm: Assembler): void {
  asm.align(8);
  asm.label('merge.values');
  asm.op(...argument(RUNS, 3));
  asm.op('brneg', RUNS, asm.at('merge.leave'));
  asm.op(...argument(VALUES, 0));
  asm.op(...argument(OUT, 1));
  asm.op(...argument(ROW_WEIGHTS, 2));
  asm.op(...argument(ROWS_LEFT, 4));
  asm.bundle(argument(PARTIALS, 5), ['setzi', a(0), ZERO_ACCUMULATORS]);
  asm.bundle(argument(STRIDE, 6), ['uput', csrOperand(CSR.FP_CLR), a(0)]);
  asm.label('merge.run');
  for (const half of [0, 1]) {
    emit(asm, BEFORE_EIGHT(half));
    repeat(asm, PARTIALS, ACCUMULATE);
    emit(asm, AFTER_EIGHT);
  }
  emit(asm, [
    [argument(SCRATCH, 7), FNOP],
    [['add', ROW_WEIGHTS, ROW_WEIGHTS, SCRATCH], FNOP],
    [['add', VALUES, VALUES, RUN_BYTES], FNOP],
    [['brnzdec', ROWS_LEFT, asm.at('merge.samePanel')], FNOP],
    [argument(ROWS_LEFT, 8), FNOP],
    [argument(ROW_WEIGHTS, 9), FNOP],
  ]);
  asm.label('merge.samePanel');
  asm.bundle(['brnzdec', RUNS, asm.at('merge.run')], FNOP);
  asm.op('exitz', ZERO);
}

/** Worker code and the supervisor routine (m3 = argument table, m10 = return; uses m6, m3). */
export function emitMerge(asm: Assembler): void {
  emitWeights(asm);
  emitValues(asm);
  asm.align(8);
  asm.label('merge');
  asm.op('setzi', m(6), asm.at('merge.weights'));
  asm.op('runall', m(6), m(3), WEIGHT_WORDS);
  asm.op('setzi', m(6), asm.at('merge.values'));
  asm.op('add', m(3), m(3), WORKER_COUNT * WEIGHT_WORDS * 4);
  asm.op('sync', SYNC.local);
  asm.op('runall', m(6), m(3), VALUE_WORDS);
  asm.op('sync', SYNC.local);
  asm.op('br', m(10));
}

/** Extra worker cycles of f32exp and of the reciprocal [SDK]. */
const EXPONENTIAL_STALL = 2;
const RECIPROCAL_STALL = 2;
/** Argument loads and exit, in bundles. */
const WORKER_SETUP = 9;
/** Call, launches, barriers, return, in tile cycles [model, simulated]. */
const CALL_CYCLES = 52;

/** Tile cycles of the kernel, call included. */
export function mergeCycles(
  work: Pick<MergeWork, 'rows' | 'panels' | 'partials'> & { readonly statistics?: boolean },
): number {
  const { rows, panels, partials, statistics = false } = work;
  const row =
    2 +
    1 +
    partials +
    2 +
    1 +
    partials * (WEIGH.length + EXPONENTIAL_STALL) +
    (statistics ? 3 : 1) +
    2 +
    RECIPROCAL_STALL +
    1 +
    partials * DIVIDE.length +
    2;
  const run = 2 * (BEFORE_EIGHT(0).length + 1 + partials * ACCUMULATE.length + AFTER_EIGHT.length) + 5;
  const runs = Math.ceil((rows * panels) / WORKER_COUNT);
  return (
    CALL_CYCLES +
    WORKER_COUNT *
      (2 * WORKER_SETUP + Math.ceil(rows / WORKER_COUNT) * row + runs * run + 2 * Math.ceil(runs / rows))
  );
}
