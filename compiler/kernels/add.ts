import { a, m, pair, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Assembler } from '../assembler/assembler.ts';
import { workerRows } from './gemm.ts';

/** out = a + b in f16, element by element, in granules of 8 values; out may be a. */
export interface AddWork {
  readonly granules: number;
}

/** Words of one worker's entry: a, b, out, granules. */
const ENTRY_WORDS = 4;
export const ADD_TABLE_BYTES = WORKER_COUNT * ENTRY_WORDS * 4;
const GRANULE_BYTES = 16;

/** The argument table for one tile, little-endian words. */
export function addTable({ granules }: AddWork, x: number, other: number, out: number): Uint32Array {
  const table = new Uint32Array(WORKER_COUNT * ENTRY_WORDS);
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const { start, count } = workerRows(granules, worker);
    const at = start * GRANULE_BYTES;
    table.set([x + at, other + at, out + at, count], worker * ENTRY_WORDS);
  }
  return table;
}

const BODY = 6;

/** Worker code and the supervisor routine (m3 = argument table, m10 = return; uses m6). */
export function emitAdd(asm: Assembler): void {
  const [x, other, out, count] = [m(0), m(1), m(2), m(3)];
  const [args, zero] = [m(13), m(15)];
  const [x0, x1, y0, y1] = [pair(a(0)), pair(a(2)), pair(a(4)), pair(a(6))];
  asm.align(8);
  asm.label('add.worker');
  asm.op('ld32', x, args, zero, 0);
  asm.op('ld32', other, args, zero, 1);
  asm.op('ld32', out, args, zero, 2);
  asm.op('ld32', count, args, zero, 3);
  asm.bundle(['rpt', count, BODY - 1], ['fnop']);
  asm.bundle(['ld64step', x0, zero, step(x), 1], ['fnop']);
  asm.bundle(['ld64step', y0, zero, step(other), 1], ['fnop']);
  asm.bundle(['ld64step', x1, zero, step(x), 1], ['f16v4add', x0, x0, y0]);
  asm.bundle(['ld64step', y1, zero, step(other), 1], ['fnop']);
  asm.bundle(['st64step', x0, zero, step(out), 1], ['f16v4add', x1, x1, y1]);
  asm.bundle(['st64step', x1, zero, step(out), 1], ['fnop']);
  asm.op('exitz', zero);
  asm.align(8);
  asm.label('add');
  asm.op('setzi', m(6), asm.at('add.worker'));
  asm.op('runall', m(6), m(3), ENTRY_WORDS);
  asm.op('sync', SYNC.local);
  asm.op('br', m(10));
}

/** Argument loads, repeat and exit, in bundles. */
const SETUP = 6;
/** Call, launch, barrier, return, in tile cycles [model, simulated]. */
const CALL_CYCLES = 28;

/** Tile cycles of the kernel, call included. */
export const addCycles = ({ granules }: AddWork): number =>
  CALL_CYCLES + WORKER_COUNT * (SETUP + BODY * Math.ceil(granules / WORKER_COUNT));
