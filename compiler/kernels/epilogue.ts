import { a, CSR, csrOperand, m, pair, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Assembler, InstructionText } from '../assembler/assembler.ts';

/**
 * What follows a GEMM whose rows are features: bias per row, GeLU, and the turn of 16 x 16 blocks from
 * feature-major to token-major. Everything in f16 except the tanh argument, whose two products are summed in
 * f32. Layouts (bytes): in [block][16 features][16 tokens x 2], out the same or, turned, [block][16 tokens]
 * [16 features x 2]. Bias: [block][16 features x 2].
 *
 * Per value: z = x + bias; u = z z; v = u z; p = A z + B v; w = 1 + tanh p; y = (z / 2) w, each rounded to f16.
 */

/** What one variant does. */
export interface EpilogueKind {
  readonly bias: boolean;
  readonly gelu: boolean;
  readonly turn: boolean;
}

/** Work of one tile: blocks of 16 features x 16 tokens. */
export interface EpilogueWork {
  readonly blocks: number;
}

/** Row pairs of a block. */
const PAIRS = 8;
/** Words of one worker's entry: in, out, bias, row pairs - 1. */
const ENTRY_WORDS = 4;
export const EPILOGUE_TABLE_BYTES = WORKER_COUNT * ENTRY_WORDS * 4;
export const BLOCK_BYTES = 512;
export const BLOCK_BIAS_BYTES = 32;

/** sqrt(2 / pi) and 0.044715 sqrt(2 / pi) as f16 [ISA]. */
export const GELU_FACTORS = { linear: 0x3a62, cubic: 0x2891 } as const;
/** 0.5 in the lower half, 1 in the upper. */
const HALF_AND_ONE = 0x3c003800;

/** Label of a variant: `epilogue.bgt` has all three. */
export const epilogueLabel = ({ bias, gelu, turn }: EpilogueKind): string =>
  `epilogue.${bias ? 'b' : ''}${gelu ? 'g' : ''}${turn ? 't' : ''}`;

/** The argument table for one tile, little-endian words. Workers take contiguous row pairs. */
export function epilogueTable(
  { turn }: EpilogueKind,
  { blocks }: EpilogueWork,
  inAddress: number,
  outAddress: number,
  biasAddress: number,
): Uint32Array {
  const table = new Uint32Array(WORKER_COUNT * ENTRY_WORDS);
  const pairs = blocks * PAIRS;
  const base = Math.floor(pairs / WORKER_COUNT);
  const longer = pairs % WORKER_COUNT;
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const start = worker * base + Math.min(worker, longer);
    const count = base + (worker < longer ? 1 : 0);
    const turned = Math.floor(start / PAIRS) * BLOCK_BYTES + (start % PAIRS) * 4;
    table.set(
      [
        inAddress + start * 64,
        outAddress + (turn ? turned : start * 64),
        biasAddress + start * 4,
        (count - 1) >>> 0,
      ],
      worker * ENTRY_WORDS,
    );
  }
  return table;
}

const Z = pair(a(0));
const T = pair(a(2));
const KEPT = pair(a(4));
const BIAS = a(6);
const CONSTANTS = a(7);
const NONE = pair(a(14));
const [IN, OUT, BIASES, COUNT, SCRATCH] = [m(0), m(1), m(2), m(3), m(4)];
const [ARGUMENTS, ZERO] = [m(13), m(15)];
const NOP: InstructionText = ['nop'];
const FNOP: InstructionText = ['fnop'];

const lower = (register: typeof BIAS) => ({ ...register, broadcast: 'BL' }) as const;
const upper = (register: typeof BIAS) => ({ ...register, broadcast: 'BU' }) as const;

/** Auxiliary operations on one vector of four values that lie in Z; the result is in T, or in Z without GeLU. */
function vectorOperations({ bias, gelu }: EpilogueKind, upperRow: boolean): InstructionText[] {
  const operations: InstructionText[] = [];
  if (bias) operations.push(['f16v4add', Z, upperRow ? upper(BIAS) : lower(BIAS), Z]);
  if (gelu)
    operations.push(
      ['f16v4mul', T, Z, Z],
      ['f16v4mul', T, T, Z],
      ['f16v4mix', NONE, Z, T],
      ['f16v4gacc', T],
      ['f16v2tanh', a(2), a(2)],
      ['f16v2tanh', a(3), a(3)],
      ['f16v4add', T, upper(CONSTANTS), T],
      ['f16v4mul', Z, lower(CONSTANTS), Z],
    );
  return operations;
}

/** Code of a variant: worker code and the supervisor routine (m3 = argument table, m10 = return; uses m6). */
export function emitEpilogue(asm: Assembler, kind: EpilogueKind): void {
  const label = epilogueLabel(kind);
  asm.align(8);
  asm.label(`${label}.worker`);
  asm.op('ld32', COUNT, ARGUMENTS, ZERO, 3);
  asm.op('brneg', COUNT, asm.at(`${label}.leave`));
  asm.op('ld32', IN, ARGUMENTS, ZERO, 0);
  asm.op('ld32', OUT, ARGUMENTS, ZERO, 1);
  asm.op('ld32', BIASES, ARGUMENTS, ZERO, 2);
  if (kind.gelu) {
    emitConstant(asm, a(0), ((GELU_FACTORS.cubic << 16) | GELU_FACTORS.linear) >>> 0);
    asm.op('uput', csrOperand(CSR.TAS), a(0));
    emitConstant(asm, CONSTANTS, HALF_AND_ONE);
  }
  if (kind.turn) emitTurned(asm, kind, label);
  else emitStraight(asm, kind, label);
  asm.label(`${label}.leave`);
  asm.op('exitz', ZERO);
  asm.label(label);
  asm.op('setzi', m(6), asm.at(`${label}.worker`));
  asm.op('runall', m(6), m(3), ENTRY_WORDS);
  asm.op('sync', SYNC.local);
  asm.op('br', m(10));
}

/** A 32-bit value: 20 lower bits, then the 12 upper ones. */
function emitConstant(asm: Assembler, register: typeof BIAS, value: number): void {
  asm.op('setzi', register, value & 0xfffff);
  asm.op('or', register, register, (value & 0xfff00000) >>> 0);
}

/**
 * Two rows at a time: the values of token t of both rows make one 32-bit word of token row t. Rows of tokens are
 * 32 bytes apart; the next row pair is 4 bytes on, the next block 512.
 */
function emitTurned(asm: Assembler, kind: EpilogueKind, label: string): void {
  alignBody(asm, kind.bias ? 1 : 0);
  asm.label(`${label}.pair`);
  if (kind.bias) asm.op('ld32step', BIAS, ZERO, step(BIASES), 1);
  asm.op('rpt', 4, turnedBody(kind).length - 1);
  for (const [main, aux] of turnedBody(kind)) asm.bundle(main, aux);
  asm.op('add', IN, IN, 32);
  asm.op('add', OUT, OUT, 4 - BLOCK_BYTES);
  asm.op('and', SCRATCH, OUT, 31);
  asm.op('brnz', SCRATCH, asm.at(`${label}.sameBlock`));
  asm.op('add', OUT, OUT, BLOCK_BYTES - 32);
  asm.label(`${label}.sameBlock`);
  asm.op('brnzdec', COUNT, asm.at(`${label}.pair`));
}

/** Bundles of four tokens of two rows. */
function turnedBody(kind: EpilogueKind): [InstructionText, InstructionText][] {
  const first = vectorOperations(kind, false);
  const second = vectorOperations(kind, true);
  const result = kind.gelu ? T : Z;
  // The first row's values wait in KEPT while the second row is worked on.
  const keep: InstructionText = kind.gelu ? ['f16v4mul', KEPT, Z, T] : ['mov', KEPT, Z];
  const finish: InstructionText[] = kind.gelu ? [['f16v4mul', T, Z, T]] : [];
  const [r0, r1] = [result.index, result.index + 1];
  const free = kind.gelu ? 0 : 2;
  const aux: InstructionText[] = [
    ...first,
    keep,
    ...second,
    ...finish,
    ['sort4x16lo', a(free), a(4), a(r0)],
    ['sort4x16hi', a(4), a(4), a(r0)],
    ['sort4x16lo', a(free + 1), a(5), a(r1)],
    ['sort4x16hi', a(5), a(5), a(r1)],
  ];
  const body: [InstructionText, InstructionText][] = aux.map((operation) => [NOP, operation]);
  const put = (at: number, main: InstructionText) => {
    body[at] = [main, body[at][1]];
  };
  // Loads stand before the first use of Z, stores behind the sort that makes their word.
  body.unshift([['ld64step', Z, ZERO, step(IN), 1], FNOP]);
  put(first.length + 1, ['ld64', Z, IN, ZERO, 3]);
  const sorts = body.length - 4;
  const store = (register: typeof BIAS): InstructionText => ['st32step', register, ZERO, step(OUT), 8];
  put(sorts + 1, store(a(free)));
  put(sorts + 2, store(a(4)));
  put(sorts + 3, store(a(free + 1)));
  body.push([store(a(5)), FNOP]);
  return body;
}

/** Row after row, four vectors each. */
function emitStraight(asm: Assembler, kind: EpilogueKind, label: string): void {
  asm.align(8);
  asm.label(`${label}.pair`);
  const row = (upperRow: boolean): [InstructionText, InstructionText][] => {
    const result = kind.gelu ? T : Z;
    const operations = vectorOperations(kind, upperRow);
    if (kind.gelu) operations.push(['f16v4mul', T, Z, T]);
    return [
      [['ld64step', Z, ZERO, step(IN), 1], FNOP],
      ...operations.map((operation): [InstructionText, InstructionText] => [NOP, operation]),
      [['st64step', result, ZERO, step(OUT), 1], FNOP],
    ];
  };
  if (kind.bias) asm.bundle(['ld32step', BIAS, ZERO, step(BIASES), 1], FNOP);
  for (const upperRow of [false, true]) {
    const body = row(upperRow);
    asm.bundle(['rpt', 4, body.length - 1], FNOP);
    for (const [main, aux] of body) asm.bundle(main, aux);
  }
  asm.op('brnzdec', COUNT, asm.at(`${label}.pair`));
}

/** Pads so that `words` single instructions and a repeat lead to a body on 8 bytes. */
function alignBody(asm: Assembler, words: number): void {
  while ((asm.address + 4 * (words + 1)) % 8 !== 0) asm.op('nop');
}

/** Bundles of one row pair. */
function pairBundles(kind: EpilogueKind): number {
  if (kind.turn) return (kind.bias ? 1 : 0) + 1 + 4 * turnedBody(kind).length + 5;
  const perVector = 2 + (kind.bias ? 1 : 0) + (kind.gelu ? 9 : 0);
  return (kind.bias ? 1 : 0) + 2 * (1 + 4 * perVector) + 1;
}

/** Argument loads, constants, exit, in bundles; a new block costs one more now and then. */
const workerSetup = (kind: EpilogueKind): number => 6 + (kind.gelu ? 5 : 0) + 1;
/** Call, launch, barrier, return, in tile cycles [model, simulated]. */
const CALL_CYCLES = 28;

/** Tile cycles of the kernel, call included. */
export function epilogueCycles(kind: EpilogueKind, { blocks }: EpilogueWork): number {
  const pairs = Math.ceil((blocks * PAIRS) / WORKER_COUNT);
  const newBlocks = kind.turn ? Math.ceil(pairs / PAIRS) : 0;
  return CALL_CYCLES + WORKER_COUNT * (workerSetup(kind) + pairs * pairBundles(kind) + newBlocks);
}
