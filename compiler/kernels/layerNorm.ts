import { a, CSR, csrOperand, m, pair, quad, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Assembler, InstructionText } from '../assembler/assembler.ts';
import { workerRows } from './gemm.ts';
import { ZERO_ACCUMULATORS } from './machine.ts';

/**
 * Layer norm of whole rows, in place or not: x and y in f16 [group of 16 features][row][32 bytes], gamma and beta
 * [group][32 bytes]. Per row, in f32: mean = sum x / F; var = sum (x - mean)^2 / F; then
 * f16((x - mean) / sqrt(var + epsilon)), times gamma rounded to f16, plus beta rounded to f16.
 *
 * Features behind the last one of F must hold 0, with gamma and beta 0: their squares are taken out again. Three
 * launches, each worker on groups of its own of every row, so that few rows keep all workers busy.
 */
export interface NormWork {
  readonly rows: number;
  readonly groups: number;
  /** Features that are not padding. */
  readonly features: number;
}

const ENTRY_WORDS = 16;
export const NORM_TABLE_BYTES = WORKER_COUNT * ENTRY_WORDS * 4;
/** Sums and squares of every worker and row. */
export const normScratchBytes = ({ rows }: Pick<NormWork, 'rows'>): number => 2 * rows * WORKER_COUNT * 4;

const RUN_BYTES = 32;

const word = {
  x: 0,
  y: 1,
  gamma: 2,
  beta: 3,
  groups: 4,
  rowsLessOne: 5,
  nextGroup: 6,
  sums: 7,
  squares: 8,
  mySums: 9,
  mySquares: 10,
  inverse: 11,
  negatedPadding: 12,
  epsilon: 13,
} as const;

const bits = new DataView(new ArrayBuffer(4));
const singleBits = (value: number): number => {
  bits.setFloat32(0, value);
  return bits.getUint32(0);
};

export interface NormAddresses {
  readonly x: number;
  readonly y: number;
  readonly gamma: number;
  readonly beta: number;
  readonly scratch: number;
}

/** The argument table for one tile, little-endian words. */
export function normTable(work: NormWork, epsilon: number, at: NormAddresses): Uint32Array {
  const { rows, groups, features } = work;
  const table = new Uint32Array(WORKER_COUNT * ENTRY_WORDS);
  const rowBytes = WORKER_COUNT * 4;
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const mine = workerRows(groups, worker);
    const entry = worker * ENTRY_WORDS;
    const squares = at.scratch + rows * rowBytes;
    table[entry + word.x] = at.x + mine.start * rows * RUN_BYTES;
    table[entry + word.y] = at.y + mine.start * rows * RUN_BYTES;
    table[entry + word.gamma] = at.gamma + mine.start * RUN_BYTES;
    table[entry + word.beta] = at.beta + mine.start * RUN_BYTES;
    table[entry + word.groups] = mine.count;
    table[entry + word.rowsLessOne] = rows - 1;
    table[entry + word.nextGroup] = (rows * RUN_BYTES) / 8 - 3;
    table[entry + word.sums] = at.scratch;
    table[entry + word.squares] = squares;
    table[entry + word.mySums] = at.scratch + worker * 4;
    table[entry + word.mySquares] = squares + worker * 4;
    table[entry + word.inverse] = singleBits(1 / features);
    table[entry + word.negatedPadding] = singleBits(features - groups * 16);
    table[entry + word.epsilon] = singleBits(epsilon);
  }
  return table;
}

const [X, Y, GAMMA, BETA, GROUPS, ROWS] = [m(0), m(1), m(2), m(3), m(4), m(5)];
const [NEXT_GROUP, FROM, SUMS, MINE, SQUARES, TO] = [m(6), m(7), m(8), m(9), m(10), m(11)];
const [ARGUMENTS, ZERO] = [m(13), m(15)];
const NOP: InstructionText = ['nop'];
const FNOP: InstructionText = ['fnop'];
type Bundle = readonly [main: InstructionText, aux: InstructionText];
type Register = ReturnType<typeof a>;

const argument = (register: Register, index: number): InstructionText => [
  'ld32',
  register,
  ARGUMENTS,
  ZERO,
  index,
];
const both = (register: Register) => ({ ...register, broadcast: 'B' }) as const;
const emit = (asm: Assembler, bundles: readonly Bundle[]) => {
  for (const [main, aux] of bundles) asm.bundle(main, aux);
};
const repeat = (asm: Assembler, bundles: readonly Bundle[]) => {
  asm.bundle(['rpt', GROUPS, bundles.length - 1], FNOP);
  emit(asm, bundles);
};

/** Registers that live through a row: mean, inverse of F, a factor. */
const [MEAN, INVERSE, FACTOR] = [a(8), a(9), a(10)];
const NONE = pair(a(14));
const IN = pair(a(12));

const loadX = (to: ReturnType<typeof pair>, next: number | typeof NEXT_GROUP = 1): InstructionText => [
  'ld64step',
  to,
  ZERO,
  step(FROM),
  next,
];

/** Sixteen values into eight sums. */
const SUM_GROUP: readonly Bundle[] = [
  [loadX(pair(a(0))), FNOP],
  [loadX(pair(a(2))), FNOP],
  [loadX(pair(a(4))), ['f16v8acc', quad(a(0))]],
  [loadX(pair(a(6)), NEXT_GROUP), FNOP],
  [NOP, ['f16v8acc', quad(a(4))]],
];

/** mean - x of four values, in f32, in a0..a3. */
const centred: readonly InstructionText[] = [
  ['f16v2tof32', pair(a(0)), a(12)],
  ['f16v2tof32', pair(a(2)), a(13)],
  ['f32v2sub', pair(a(0)), both(MEAN), pair(a(0))],
  ['f32v2sub', pair(a(2)), both(MEAN), pair(a(2))],
];

const SQUARE_GROUP: readonly Bundle[] = [0, 1, 2, 3].flatMap((part): Bundle[] => [
  [loadX(IN, part === 3 ? NEXT_GROUP : 1), FNOP],
  ...centred.map((aux): Bundle => [NOP, aux]),
  [NOP, ['f32v4sqacc', quad(a(0))]],
]);

const NORMALISE_GROUP: readonly Bundle[] = [0, 1, 2, 3].flatMap((part): Bundle[] => [
  [loadX(IN, part === 3 ? NEXT_GROUP : 1), FNOP],
  [['ld64step', pair(a(4)), ZERO, step(GAMMA), 1], centred[0]],
  [['ld64step', pair(a(6)), ZERO, step(BETA), 1], centred[1]],
  [NOP, centred[2]],
  [NOP, centred[3]],
  [NOP, ['f32v2mul', pair(a(0)), both(FACTOR), pair(a(0))]],
  [NOP, ['f32v2mul', pair(a(2)), both(FACTOR), pair(a(2))]],
  [NOP, ['f32v4tof16', IN, quad(a(0))]],
  [NOP, ['f16v4mul', IN, IN, pair(a(4))]],
  [NOP, ['f16v4add', IN, IN, pair(a(6))]],
  [['st64step', IN, ZERO, step(TO), part === 3 ? NEXT_GROUP : 1], FNOP],
]);

/** Sum of all accumulators in a0; they end up clear. */
const readAll: readonly InstructionText[] = [
  ...[0, 2, 4, 6].map((register): InstructionText => ['f32v2gina', pair(a(register)), NONE, 0]),
  ['f32v2add', pair(a(0)), pair(a(0)), pair(a(2))],
  ['f32v2add', pair(a(4)), pair(a(4)), pair(a(6))],
  ['f32v2add', pair(a(0)), pair(a(0)), pair(a(4))],
  ['f32add', a(0), a(0), a(1)],
];

/** The six workers' parts at `from` summed into a0, in their order. */
const sumOfWorkers = (from: ReturnType<typeof m>): readonly Bundle[] => [
  [['ld32step', a(0), ZERO, step(from), 1], FNOP],
  ...Array.from({ length: WORKER_COUNT - 1 }).flatMap((): Bundle[] => [
    [['ld32step', a(1), ZERO, step(from), 1], FNOP],
    [NOP, ['f32add', a(0), a(0), a(1)]],
  ]),
];
const MEAN_OF_ROW: readonly Bundle[] = [...sumOfWorkers(SUMS), [NOP, ['f32mul', MEAN, a(0), INVERSE]]];

function emitPass(
  asm: Assembler,
  label: string,
  setup: readonly Bundle[],
  row: (asm: Assembler) => void,
): void {
  asm.align(8);
  asm.label(label);
  asm.op(...argument(GROUPS, word.groups));
  asm.op(...argument(ROWS, word.rowsLessOne));
  asm.op(...argument(X, word.x));
  asm.op(...argument(NEXT_GROUP, word.nextGroup));
  asm.bundle(argument(INVERSE, word.inverse), ['setzi', a(0), ZERO_ACCUMULATORS]);
  asm.bundle(NOP, ['uput', csrOperand(CSR.FP_CLR), a(0)]);
  emit(asm, setup);
  asm.label(`${label}.row`);
  asm.bundle(['add', FROM, X, 0], FNOP);
  row(asm);
  emit(asm, [
    [['add', X, X, RUN_BYTES], FNOP],
    [['brnzdec', ROWS, asm.at(`${label}.row`)], FNOP],
  ]);
  asm.op('exitz', ZERO);
}

/** Worker code and the supervisor routine (m3 = argument table, m10 = return; uses m6). */
export function emitNorm(asm: Assembler): void {
  const storeMine: Bundle = [['st32step', a(0), ZERO, step(MINE), WORKER_COUNT], FNOP];
  emitPass(asm, 'norm.sums', [[argument(MINE, word.mySums), FNOP]], () => {
    repeat(asm, SUM_GROUP);
    emit(
      asm,
      readAll.map((aux): Bundle => [NOP, aux]),
    );
    emit(asm, [storeMine]);
  });
  emitPass(
    asm,
    'norm.squares',
    [
      [argument(MINE, word.mySquares), FNOP],
      [argument(SUMS, word.sums), FNOP],
    ],
    () => {
      emit(asm, MEAN_OF_ROW);
      repeat(asm, SQUARE_GROUP);
      emit(
        asm,
        readAll.map((aux): Bundle => [NOP, aux]),
      );
      emit(asm, [storeMine]);
    },
  );
  emitPass(
    asm,
    'norm.values',
    [
      [argument(SUMS, word.sums), FNOP],
      [argument(SQUARES, word.squares), FNOP],
      [argument(Y, word.y), FNOP],
    ],
    () => {
      emit(asm, MEAN_OF_ROW);
      emit(asm, sumOfWorkers(SQUARES));
      // Squares of padding come to (groups 16 - F) mean^2.
      emit(asm, [
        [argument(a(2), word.negatedPadding), ['f32mul', a(1), MEAN, MEAN]],
        [argument(a(3), word.epsilon), ['f32mul', a(1), a(1), a(2)]],
        [
          ['add', TO, Y, 0],
          ['f32add', a(0), a(0), a(1)],
        ],
        [
          ['add', Y, Y, RUN_BYTES],
          ['f32mul', a(0), a(0), INVERSE],
        ],
        [argument(GAMMA, word.gamma), ['f32add', a(0), a(0), a(3)]],
        [argument(BETA, word.beta), ['f32oorx', a(0), a(0)]],
        // Differences are mean - x, so the factor is negative.
        [NOP, ['f32sub', FACTOR, a(15), a(0)]],
      ]);
      repeat(asm, NORMALISE_GROUP);
    },
  );
  asm.align(8);
  asm.label('norm');
  for (const pass of ['sums', 'squares', 'values']) {
    asm.op('setzi', m(6), asm.at(`norm.${pass}`));
    asm.op('runall', m(6), m(3), ENTRY_WORDS);
    asm.op('sync', SYNC.local);
  }
  asm.op('br', m(10));
}

/** Argument loads of a pass and exit, in bundles. */
const PASS_SETUP = 7;
/** Worker cycles of f32oorx beyond one [derived]. */
const INVERSE_ROOT_STALL = 2;
/** Calls, launches, barriers, return, in tile cycles [model, simulated]. */
const CALL_CYCLES = 76;

/** Tile cycles of the kernel, call included. */
export function normCycles({ rows, groups }: NormWork): number {
  const mine = Math.ceil(groups / WORKER_COUNT);
  const ends = 1 + 1 + 2;
  const sums = ends + mine * SUM_GROUP.length + readAll.length + 1;
  const squares = ends + MEAN_OF_ROW.length + mine * SQUARE_GROUP.length + readAll.length + 1;
  const values =
    ends +
    MEAN_OF_ROW.length +
    (MEAN_OF_ROW.length - 1) +
    7 +
    INVERSE_ROOT_STALL +
    mine * NORMALISE_GROUP.length;
  return CALL_CYCLES + WORKER_COUNT * (3 * PASS_SETUP + 6 + rows * (sums + squares + values));
}
