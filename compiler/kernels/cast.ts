import { a, CSR, csrOperand, m, pair, quad, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Assembler } from '../assembler/assembler.ts';

/**
 * f16 to f8 F143, nearest even, saturating: two blocks of [16 tokens][16 features x 2] become one of [16 tokens]
 * [32 features]. A worker takes whole token rows.
 */

/** Work of one tile: f8 blocks of 16 tokens x 32 features. */
export interface CastWork {
  readonly blocks: number;
}

const ROWS = 16;
/** Words of one worker's entry: in, out, rows - 1, rows until the next block - 1. */
const ENTRY_WORDS = 4;
export const CAST_TABLE_BYTES = WORKER_COUNT * ENTRY_WORDS * 4;
const F16_BLOCK_BYTES = 512;

/** The argument table for one tile, little-endian words. */
export function castTable({ blocks }: CastWork, inAddress: number, outAddress: number): Uint32Array {
  const table = new Uint32Array(WORKER_COUNT * ENTRY_WORDS);
  const rows = blocks * ROWS;
  const base = Math.floor(rows / WORKER_COUNT);
  const longer = rows % WORKER_COUNT;
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const start = worker * base + Math.min(worker, longer);
    const count = base + (worker < longer ? 1 : 0);
    const block = Math.floor(start / ROWS);
    table.set(
      [
        inAddress + 2 * block * F16_BLOCK_BYTES + (start % ROWS) * 32,
        outAddress + start * 32,
        (count - 1) >>> 0,
        ROWS - 1 - (start % ROWS),
      ],
      worker * ENTRY_WORDS,
    );
  }
  return table;
}

/** Label of the kernel for a scale: the conversion multiplies by two to its negative. */
export const castLabel = (scale: number): string => `cast.${scale < 0 ? 'm' : ''}${Math.abs(scale)}`;

/** Worker code and the supervisor routine (m3 = argument table, m10 = return; uses m6). */
export function emitCast(asm: Assembler, scale: number): void {
  const label = castLabel(scale);
  const [from, out, count, left] = [m(0), m(1), m(2), m(3)];
  const [args, zero] = [m(13), m(15)];
  const low = pair(a(0));
  const high = pair(a(2));
  const eight = quad(a(0));
  const codes = pair(a(4));
  asm.align(8);
  asm.label(`${label}.worker`);
  asm.op('ld32', count, args, zero, 2);
  asm.op('brneg', count, asm.at(`${label}.leave`));
  asm.op('ld32', from, args, zero, 0);
  asm.op('ld32', out, args, zero, 1);
  asm.op('ld32', left, args, zero, 3);
  // 1 selects F143 [GUESS: bit 0 of FP_NFMT].
  asm.op('setzi', a(0), 1);
  asm.op('uput', csrOperand(CSR.FP_NFMT), a(0));
  asm.op('setzi', a(0), -scale & 63);
  asm.op('uput', csrOperand(CSR.FP_SCL), a(0));
  asm.align(8);
  asm.label(`${label}.row`);
  // The second half of the row lies one f16 block on: 64 steps of 8 bytes.
  const far = F16_BLOCK_BYTES / 8;
  asm.bundle(['ld64', low, from, zero, 0], ['fnop']);
  asm.bundle(['ld64', high, from, zero, 1], ['fnop']);
  asm.bundle(['ld64', low, from, zero, 2], ['f16v8tof8', codes, eight]);
  asm.bundle(['st64step', codes, zero, step(out), 1], ['fnop']);
  asm.bundle(['ld64', high, from, zero, 3], ['fnop']);
  asm.bundle(['ld64', low, from, zero, far], ['f16v8tof8', codes, eight]);
  asm.bundle(['st64step', codes, zero, step(out), 1], ['fnop']);
  asm.bundle(['ld64', high, from, zero, far + 1], ['fnop']);
  asm.bundle(['ld64', low, from, zero, far + 2], ['f16v8tof8', codes, eight]);
  asm.bundle(['st64step', codes, zero, step(out), 1], ['fnop']);
  asm.bundle(['ld64', high, from, zero, far + 3], ['fnop']);
  asm.bundle(['add', from, from, 32], ['f16v8tof8', codes, eight]);
  asm.bundle(['st64step', codes, zero, step(out), 1], ['fnop']);
  asm.op('brnzdec', left, asm.at(`${label}.sameBlock`));
  asm.op('setzi', left, ROWS - 1);
  asm.op('add', from, from, F16_BLOCK_BYTES);
  asm.label(`${label}.sameBlock`);
  asm.op('brnzdec', count, asm.at(`${label}.row`));
  asm.label(`${label}.leave`);
  asm.op('exitz', zero);
  asm.label(label);
  asm.op('setzi', m(6), asm.at(`${label}.worker`));
  asm.op('runall', m(6), m(3), ENTRY_WORDS);
  asm.op('sync', SYNC.local);
  asm.op('br', m(10));
}

/** Bundles of a row, of the step to the next block, and of set-up and exit. */
const ROW_BUNDLES = 15;
const NEXT_BLOCK_BUNDLES = 2;
const SETUP_BUNDLES = 11;
/** Call, launch, barrier, return, in tile cycles [model, simulated]. */
const CALL_CYCLES = 28;

/** Tile cycles of the kernel, call included. */
export function castCycles({ blocks }: CastWork): number {
  const rows = Math.ceil((blocks * ROWS) / WORKER_COUNT);
  const steps = Math.ceil(rows / ROWS) * NEXT_BLOCK_BUNDLES;
  return CALL_CYCLES + WORKER_COUNT * (SETUP_BUNDLES + rows * ROW_BUNDLES + steps);
}
