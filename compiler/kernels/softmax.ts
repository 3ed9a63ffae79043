import { a, CSR, csrOperand, m, pair, quad, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Assembler, InstructionText } from '../assembler/assembler.ts';
import { workerRows } from './gemm.ts';
import { halfCode } from './half.ts';
import { ZERO_ACCUMULATORS } from './machine.ts';

/**
 * Softmax of every row over the tile's own keys, in place: scores and probabilities [panel of 16 keys][row][32 bytes],
 * statistics [row][maximum, sum] in f32. Per row, over its first n keys:
 *
 *   m = max s;  e = exp(-scale (m - s)), the difference, the product and e rounded to f16, scale in f16;
 *   sum = the e's, in f32;  p = e times f16(1 / sum), rounded to f16.
 *
 * Everything behind the first n keys becomes +0 and its old value touches nothing. A row without keys gets
 * probabilities of +0, the maximum EMPTY_MAXIMUM and the sum 0. A NaN among the keys makes the whole row NaN: the
 * maximum skips it, the sum does not.
 */
export interface SoftmaxWork {
  /** Rows, a multiple of 16. */
  readonly rows: number;
  readonly panels: number;
  /** Keys that are not padding. */
  readonly keys: number;
  /** Row r sees its first clamp(first + step r, 0, keys) keys. */
  readonly first: number;
  readonly step: 0 | 1;
}

/** Words of one worker's entry; see softmaxTable. */
const ENTRY_WORDS = 12;
/** Masks of 1..3 values of a 64-bit word, eight bytes each, behind the entries; the first one is unused. */
const MASK_BYTES = 32;
export const SOFTMAX_TABLE_BYTES = WORKER_COUNT * ENTRY_WORDS * 4 + MASK_BYTES;

/** f32 bits of the maximum of no keys: the most negative number that one instruction can make, -2.98e38. */
export const EMPTY_MAXIMUM = 0xff600000;
/** A bound no row reaches, for tiles where every row ends inside a panel. */
const NEVER = 0x3fffffff;
const ROW_BYTES = 32;

const word = {
  row: 0,
  statistics: 1,
  rowsLessOne: 2,
  first: 3,
  step: 4,
  keys: 5,
  nextPanel: 6,
  panels: 7,
  masks: 8,
  scale: 9,
  panelBytes: 10,
  full: 11,
} as const;

/** The argument table for one tile, little-endian words; `tableAddress` is where it will lie. */
export function softmaxTable(
  work: SoftmaxWork,
  scale: number,
  scoresAddress: number,
  statisticsAddress: number,
  tableAddress: number,
): Uint32Array {
  const table = new Uint32Array(SOFTMAX_TABLE_BYTES / 4);
  const masks = WORKER_COUNT * ENTRY_WORDS;
  const negated = halfCode(scale) | 0x8000;
  const panelBytes = work.rows * ROW_BYTES;
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const { start, count } = workerRows(work.rows, worker);
    const entry = worker * ENTRY_WORDS;
    table[entry + word.row] = scoresAddress + start * ROW_BYTES;
    table[entry + word.statistics] = statisticsAddress + start * 8;
    table[entry + word.rowsLessOne] = count - 1;
    table[entry + word.first] = work.first + work.step * start;
    table[entry + word.step] = work.step;
    table[entry + word.keys] = work.keys;
    table[entry + word.nextPanel] = panelBytes / 8 - 3;
    table[entry + word.panels] = work.panels;
    table[entry + word.masks] = tableAddress + masks * 4;
    table[entry + word.scale] = negated;
    table[entry + word.panelBytes] = panelBytes;
    table[entry + word.full] = work.keys === work.panels * 16 ? work.keys : NEVER;
  }
  table.set([0, 0, 0xffff, 0, 0xffffffff, 0, 0xffffffff, 0xffff], masks);
  return table;
}

const [ROW, COUNT, FIRST, NEXT_PANEL, STATISTICS] = [m(0), m(1), m(2), m(3), m(4)];
const [FROM, TO, FULL, QUADS, REST, KEYS, SCRATCH] = [m(5), m(6), m(7), m(8), m(9), m(10), m(11)];
const [ARGUMENTS, ZERO] = [m(13), m(15)];
/** Values under work, the f16 inverse of the sum, the negated scale, minus infinity four times, the maximum. */
const [INVERSE, SCALE] = [a(8), a(9)];
const LOWEST = pair(a(10));
const MAXIMUM = pair(a(12));
const NONE = pair(a(14));
const V = [pair(a(0)), pair(a(2)), pair(a(4)), pair(a(6))] as const;
const NOP: InstructionText = ['nop'];
const FNOP: InstructionText = ['fnop'];

const lower = (register: ReturnType<typeof a>) => ({ ...register, broadcast: 'BL' }) as const;

type Bundle = readonly [main: InstructionText, aux: InstructionText];

const load = (to: (typeof V)[number], next: number | typeof NEXT_PANEL = 1): InstructionText => [
  'ld64step',
  to,
  ZERO,
  step(FROM),
  next,
];
const store = (from: (typeof V)[number], next: number | typeof NEXT_PANEL = 1): InstructionText => [
  'st64step',
  from,
  ZERO,
  step(TO),
  next,
];
const difference = (v: (typeof V)[number]): InstructionText => ['f16v4sub', v, lower(a(12)), v];
const scaled = (v: (typeof V)[number]): InstructionText => ['f16v4mul', v, lower(SCALE), v];
const normalised = (v: (typeof V)[number]): InstructionText => ['f16v4mul', v, lower(INVERSE), v];
const exponential = (register: number): InstructionText => ['f16v2exp', a(register), a(register)];
const largest = (v: (typeof V)[number]): InstructionText => ['f16v4max', MAXIMUM, MAXIMUM, v];

/** A panel of the maximum: each word joins one bundle after its load. */
const MAXIMUM_PANEL: readonly Bundle[] = [
  [load(V[0]), largest(V[0])],
  [load(V[0]), largest(V[0])],
  [load(V[0]), largest(V[0])],
  [load(V[0], NEXT_PANEL), largest(V[0])],
];

/** A panel of exponentials, with their sum. */
const EXPONENTIAL_PANEL: readonly Bundle[] = [
  [load(V[0]), FNOP],
  [load(V[1]), difference(V[0])],
  [load(V[2]), difference(V[1])],
  [load(V[3], NEXT_PANEL), scaled(V[0])],
  [NOP, scaled(V[1])],
  ...[0, 1, 2, 3].map((register): Bundle => [NOP, exponential(register)]),
  [store(V[0]), ['f16v8acc', quad(a(0))]],
  [store(V[1]), difference(V[2])],
  [NOP, difference(V[3])],
  [NOP, scaled(V[2])],
  [NOP, scaled(V[3])],
  ...[4, 5, 6, 7].map((register): Bundle => [NOP, exponential(register)]),
  [store(V[2]), ['f16v8acc', quad(a(4))]],
  [store(V[3], NEXT_PANEL), FNOP],
];

/** A panel of probabilities; SCRATCH is the step of a 128-bit load to the next panel. */
const NORMALISE_PANEL: readonly Bundle[] = [
  [['ld128step', quad(a(0)), ZERO, step(FROM), 1], FNOP],
  [['ld128step', quad(a(4)), ZERO, step(FROM), SCRATCH], normalised(V[0])],
  [store(V[0]), normalised(V[1])],
  [store(V[1]), normalised(V[2])],
  [store(V[2]), normalised(V[3])],
  [store(V[3], NEXT_PANEL), FNOP],
];

/** Largest of the row, kept four times in f16 and stored in f32. Starts the second pass. */
const FINISH_MAXIMUM: readonly Bundle[] = [
  [
    ['add', FROM, ROW, 0],
    ['f16v4maxc', a(12), MAXIMUM],
  ],
  [
    ['add', TO, ROW, 0],
    ['f16v2maxc', a(12), a(12)],
  ],
  [NOP, ['f16v2tof32', pair(a(0)), a(12)]],
  [['st32step', a(0), ZERO, step(STATISTICS), 1], FNOP],
];

/** Sum of the accumulators and its inverse; meanwhile everything moves on to the third pass and the next row. */
const FINISH_SUM: readonly Bundle[] = [
  [
    ['add', FROM, ROW, 0],
    ['f32v2gina', V[0], NONE, 0],
  ],
  [
    ['add', TO, ROW, 0],
    ['f32v2gina', V[1], NONE, 0],
  ],
  [
    ['add', SCRATCH, NEXT_PANEL, 1],
    ['f32v2gina', V[2], NONE, 0],
  ],
  [
    ['shr', SCRATCH, SCRATCH, 1],
    ['f32v2gina', V[3], NONE, 0],
  ],
  [NOP, ['f32v2add', V[0], V[0], V[1]]],
  [NOP, ['f32v2add', V[2], V[2], V[3]]],
  [NOP, ['f32v2add', V[0], V[0], V[2]]],
  [NOP, ['f32add', a(0), a(0), a(1)]],
  [
    ['st32step', a(0), ZERO, step(STATISTICS), 1],
    ['f32oox', a(1), a(0)],
  ],
  [NOP, ['f32tof16', INVERSE, a(1)]],
];

/** Row, keys of the next row, loop. */
const nextRow = (asm: Assembler, label: string): readonly Bundle[] => [
  [['ld32', SCRATCH, ARGUMENTS, ZERO, word.step], FNOP],
  [['add', FIRST, FIRST, SCRATCH], FNOP],
  [['add', ROW, ROW, ROW_BYTES], FNOP],
  [['brnzdec', COUNT, asm.at(label)], FNOP],
];

const emit = (asm: Assembler, bundles: readonly Bundle[]) => {
  for (const [main, aux] of bundles) asm.bundle(main, aux);
};
const repeat = (asm: Assembler, count: typeof FULL, bundles: readonly Bundle[]) => {
  asm.bundle(['rpt', count, bundles.length - 1], FNOP);
  emit(asm, bundles);
};

/** Worker code and the supervisor routine (m3 = argument table, m10 = return; uses m6). */
export function emitSoftmax(asm: Assembler): void {
  asm.align(8);
  asm.label('softmax.worker');
  asm.op('ld32', COUNT, ARGUMENTS, ZERO, word.rowsLessOne);
  asm.op('brneg', COUNT, asm.at('softmax.leave'));
  asm.op('ld32', ROW, ARGUMENTS, ZERO, word.row);
  asm.op('ld32', STATISTICS, ARGUMENTS, ZERO, word.statistics);
  asm.op('ld32', FIRST, ARGUMENTS, ZERO, word.first);
  asm.op('ld32', NEXT_PANEL, ARGUMENTS, ZERO, word.nextPanel);
  asm.bundle(['ld32', SCALE, ARGUMENTS, ZERO, word.scale], ['setzi', a(0), ZERO_ACCUMULATORS]);
  asm.bundle(NOP, ['uput', csrOperand(CSR.FP_CLR), a(0)]);
  asm.bundle(NOP, ['setzi', a(10), 0xfc00]);
  asm.bundle(NOP, ['or', a(10), a(10), 0xfc000000]);
  asm.bundle(NOP, ['mov', a(11), a(10)]);

  asm.label('softmax.row');
  asm.bundle(['ld32', SCRATCH, ARGUMENTS, ZERO, word.full], ['mov', MAXIMUM, LOWEST]);
  asm.bundle(['cmpslt', SCRATCH, FIRST, SCRATCH], ['mov', V[0], LOWEST]);
  asm.bundle(['brnz', SCRATCH, asm.at('softmax.partial')], FNOP);
  asm.bundle(['ld32', FULL, ARGUMENTS, ZERO, word.panels], FNOP);
  asm.bundle(['add', FROM, ROW, 0], FNOP);
  repeat(asm, FULL, MAXIMUM_PANEL);
  asm.bundle(NOP, largest(V[0]));
  emit(asm, FINISH_MAXIMUM);
  repeat(asm, FULL, EXPONENTIAL_PANEL);
  emit(asm, FINISH_SUM);
  repeat(asm, FULL, NORMALISE_PANEL);
  emit(asm, nextRow(asm, 'softmax.row'));
  asm.label('softmax.leave');
  asm.op('exitz', ZERO);
  asm.align(8);
  emitPartialRow(asm);
  asm.label('softmax');
  asm.op('setzi', m(6), asm.at('softmax.worker'));
  asm.op('runall', m(6), m(3), ENTRY_WORDS);
  asm.op('sync', SYNC.local);
  asm.op('br', m(10));
}

/** A row that ends inside the panels: full panels, full words, a masked word, zeros. */
function emitPartialRow(asm: Assembler): void {
  asm.label('softmax.partial');
  emit(asm, [
    [['ld32', SCRATCH, ARGUMENTS, ZERO, word.keys], FNOP],
    [['max', KEYS, FIRST, 0], FNOP],
    [['min', KEYS, KEYS, SCRATCH], FNOP],
    [['brz', KEYS, asm.at('softmax.empty')], FNOP],
    [['shr', FULL, KEYS, 4], FNOP],
    [['shr', QUADS, KEYS, 2], FNOP],
    [['and', QUADS, QUADS, 3], FNOP],
    [['and', REST, KEYS, 3], FNOP],
    [['add', FROM, ROW, 0], FNOP],
    [['ld32', SCRATCH, ARGUMENTS, ZERO, word.masks], FNOP],
  ]);
  repeat(asm, FULL, MAXIMUM_PANEL);
  repeat(asm, QUADS, [[load(V[0]), largest(V[0])]]);
  asm.bundle(['brz', REST, asm.at('softmax.allMaxima')], largest(V[0]));
  emit(asm, [
    [['ld64', V[1], SCRATCH, ZERO, REST], FNOP],
    [
      ['ld64', V[0], FROM, ZERO, 0],
      ['andc64', V[2], LOWEST, V[1]],
    ],
    [NOP, ['and64', V[0], V[0], V[1]]],
    [NOP, ['or64', V[0], V[0], V[2]]],
    [NOP, largest(V[0])],
  ]);
  asm.label('softmax.allMaxima');
  emit(asm, FINISH_MAXIMUM);
  repeat(asm, FULL, EXPONENTIAL_PANEL);
  repeat(asm, QUADS, [
    [load(V[0]), FNOP],
    [NOP, difference(V[0])],
    [NOP, scaled(V[0])],
    [NOP, exponential(0)],
    [NOP, exponential(1)],
    [store(V[0]), ['f16v4acc', V[0]]],
  ]);
  asm.bundle(['brz', REST, asm.at('softmax.allExponentials')], FNOP);
  emit(asm, [
    [['ld64', V[1], SCRATCH, ZERO, REST], FNOP],
    [['ld64', V[0], FROM, ZERO, 0], FNOP],
    [NOP, difference(V[0])],
    [NOP, scaled(V[0])],
    [NOP, exponential(0)],
    [NOP, exponential(1)],
    [NOP, ['and64', V[0], V[0], V[1]]],
    [store(V[0]), ['f16v4acc', V[0]]],
  ]);
  asm.label('softmax.allExponentials');
  emit(asm, FINISH_SUM);
  repeat(asm, FULL, NORMALISE_PANEL);
  // A masked word counts as a full one now: its zeros stay zeros.
  emit(asm, [
    [['and', QUADS, KEYS, 15], FNOP],
    [['add', QUADS, QUADS, 3], FNOP],
    [['shr', QUADS, QUADS, 2], FNOP],
  ]);
  repeat(asm, QUADS, [
    [load(V[0]), FNOP],
    [NOP, normalised(V[0])],
    [store(V[0]), FNOP],
  ]);
  // Words from the last one with keys to the end of its panel.
  emit(asm, [
    [['brz', QUADS, asm.at('softmax.emptyPanels')], FNOP],
    [['setzi', SCRATCH, 4], FNOP],
    [['sub', QUADS, SCRATCH, QUADS], FNOP],
  ]);
  repeat(asm, QUADS, [[store(NONE), FNOP]]);
  asm.label('softmax.emptyPanels');
  emit(asm, [
    [['add', FULL, KEYS, 15], FNOP],
    [['shr', FULL, FULL, 4], FNOP],
    [['ld32', QUADS, ARGUMENTS, ZERO, word.panels], FNOP],
    [['sub', QUADS, QUADS, FULL], FNOP],
    [['ld32', SCRATCH, ARGUMENTS, ZERO, word.panelBytes], FNOP],
    [['mul', FULL, FULL, SCRATCH], FNOP],
    [['add', TO, ROW, FULL], FNOP],
  ]);
  const emptyPanel: Bundle[] = [
    [store(NONE), FNOP],
    [store(NONE), FNOP],
    [store(NONE), FNOP],
    [store(NONE, NEXT_PANEL), FNOP],
  ];
  repeat(asm, QUADS, emptyPanel);
  emit(asm, nextRow(asm, 'softmax.row'));
  asm.op('exitz', ZERO);
  asm.align(8);
  asm.label('softmax.empty');
  emit(asm, [
    [
      ['add', TO, ROW, 0],
      ['or', a(0), a(15), EMPTY_MAXIMUM],
    ],
    [['st32step', a(0), ZERO, step(STATISTICS), 1], FNOP],
    [['st32step', a(15), ZERO, step(STATISTICS), 1], FNOP],
    [['ld32', QUADS, ARGUMENTS, ZERO, word.panels], FNOP],
  ]);
  repeat(asm, QUADS, emptyPanel);
  emit(asm, nextRow(asm, 'softmax.row'));
  asm.op('exitz', ZERO);
}

/** Extra worker cycles of the two-cycle exponentials, and of the reciprocal [SDK]. */
const EXPONENTIAL_STALL = 1;
const RECIPROCAL_STALL = 2;
/** Argument loads, constants, exit, in bundles. */
const WORKER_SETUP = 12;
/** Call, launch, barrier, return, in tile cycles [model, simulated]. */
const CALL_CYCLES = 28;

const panelCycles =
  MAXIMUM_PANEL.length + EXPONENTIAL_PANEL.length + 8 * EXPONENTIAL_STALL + NORMALISE_PANEL.length;
const rowEnds = FINISH_MAXIMUM.length + FINISH_SUM.length + RECIPROCAL_STALL;

/** Worker cycles of one row that sees `keys` keys of `panels` panels. */
function rowCycles(keys: number, panels: number, full: boolean): number {
  if (full) return 5 + 1 + 1 + 1 + 1 + panels * panelCycles + rowEnds + 4;
  if (keys === 0) return 6 + 1 + 4 + 1 + 4 * panels + 4;
  const whole = keys >> 4;
  const quads = (keys >> 2) & 3;
  const rest = keys & 3;
  const touched = Math.ceil((keys & 15) / 4);
  return (
    3 +
    10 +
    1 +
    1 +
    1 +
    whole * panelCycles +
    quads +
    (rest > 0 ? 5 : 0) +
    rowEnds +
    1 +
    1 +
    quads * (6 + 2) +
    1 +
    (rest > 0 ? 8 + 2 : 0) +
    1 +
    3 +
    1 +
    touched * 3 +
    1 +
    (touched > 0 ? 2 + 1 + 4 - touched : 0) +
    7 +
    1 +
    4 * (panels - Math.ceil(keys / 16)) +
    4
  );
}

/** Tile cycles of the kernel, call included. */
export function softmaxCycles(
  work: Pick<SoftmaxWork, 'rows' | 'panels' | 'keys'> & Partial<SoftmaxWork>,
): number {
  const { rows, panels, keys, first = keys, step: slope = 0 } = work;
  let most = 0;
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const { start, count } = workerRows(rows, worker);
    let cycles = count === 0 ? 3 : WORKER_SETUP;
    for (let row = start; row < start + count; row++) {
      const seen = first + slope * row;
      const full = keys === panels * 16 && seen >= keys;
      cycles += rowCycles(Math.min(keys, Math.max(0, seen)), panels, full);
    }
    most = Math.max(most, cycles);
  }
  return CALL_CYCLES + WORKER_COUNT * most;
}
