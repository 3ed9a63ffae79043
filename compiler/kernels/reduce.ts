import { a, m, pair, quad, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { Assembler } from '../assembler/assembler.ts';
import { FP_CLR, ZERO_ACCUMULATORS } from './machine.ts';

/**
 * Sum of f16 partials: out[i] = own[i] + staged[0][i] + staged[1][i] + ..., added in f32 accumulators in
 * that order and rounded once to f16. Works in granules of 8 values; own and staged partials need 128-bit
 * access. Staged partials follow each other without gaps.
 */

/** Words of one worker's entry: own, staged, out, granules - 1, granules from partial to partial, partials - 3. */
const ENTRY_WORDS = 6;
export const REDUCE_TABLE_BYTES = WORKER_COUNT * ENTRY_WORDS * 4;
const GRANULE_BYTES = 16;

/** Work of one tile: `granules` results, each the sum of `partials` summands (at least two). */
export interface ReduceWork {
  readonly granules: number;
  readonly partials: number;
}

/** The argument table for one tile, little-endian words. */
export function reduceTable(
  work: ReduceWork,
  ownAddress: number,
  stagedAddress: number,
  outAddress: number,
): Uint32Array {
  const table = new Uint32Array(WORKER_COUNT * ENTRY_WORDS);
  const base = Math.floor(work.granules / WORKER_COUNT);
  const longer = work.granules % WORKER_COUNT;
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const start = (worker * base + Math.min(worker, longer)) * GRANULE_BYTES;
    const count = base + (worker < longer ? 1 : 0);
    table.set(
      [
        ownAddress + start,
        stagedAddress + start,
        outAddress + start,
        (count - 1) >>> 0,
        work.granules,
        work.partials - 2,
      ],
      worker * ENTRY_WORDS,
    );
  }
  return table;
}

/** Worker code, entry label `reduce.worker`. */
export function emitReduceWorkers(asm: Assembler): void {
  const [own, staged, out, count, cursor, stride, more] = [m(0), m(1), m(2), m(3), m(5), m(6), m(7)];
  const [args, zero] = [m(13), m(15)];
  const values = quad(a(0));
  const nothing = a(15);
  asm.align(8);
  asm.label('reduce.worker');
  asm.op('ld32', count, args, zero, 3);
  asm.op('brneg', count, asm.at('reduce.leave'));
  asm.op('ld32', own, args, zero, 0);
  asm.op('ld32', staged, args, zero, 1);
  asm.op('ld32', out, args, zero, 2);
  asm.op('ld32', stride, args, zero, 4);
  asm.bundle(['ld32', more, args, zero, 5], ['setzi', a(0), ZERO_ACCUMULATORS]);
  asm.bundle(['nop'], ['uput', FP_CLR, a(0)]);
  asm.label('reduce.granule');
  asm.bundle(['ld128step', values, zero, step(own), 1], ['fnop']);
  asm.bundle(['add', cursor, staged, 0], ['f16v8acc', values]);
  asm.bundle(['ld128step', values, zero, step(cursor), stride], ['fnop']);
  asm.bundle(['rpt', more, 0], ['fnop']);
  asm.bundle(['ld128step', values, zero, step(cursor), stride], ['f16v8acc', values]);
  asm.bundle(['add', staged, staged, GRANULE_BYTES], ['f16v8acc', values]);
  // Each read shifts the chain down and feeds zeros, so the accumulators end up clear for the next granule.
  asm.bundle(['nop'], ['f16v2gina', a(0), nothing, 0]);
  asm.bundle(['nop'], ['f16v2gina', a(1), nothing, 0]);
  asm.bundle(['st64step', pair(a(0)), zero, step(out), 1], ['f16v2gina', a(2), nothing, 0]);
  asm.bundle(['nop'], ['f16v2gina', a(3), nothing, 0]);
  asm.bundle(['st64step', pair(a(2)), zero, step(out), 1], ['fnop']);
  asm.op('brnzdec', count, asm.at('reduce.granule'));
  asm.label('reduce.leave');
  asm.op('exitz', zero);
}

/** Supervisor routine. Arguments: m3 = argument table, m10 = return address. Uses m6. */
export function emitReduceSupervisor(asm: Assembler): void {
  asm.label('reduce');
  asm.op('setzi', m(6), asm.at('reduce.worker'));
  asm.op('runall', m(6), m(3), ENTRY_WORDS);
  asm.op('sync', SYNC.local);
  asm.op('br', m(10));
}

/** Bundles of one granule with p summands. */
const granuleBundles = (partials: number) => 9 + partials;
/** Argument loads and exit of a worker, in bundles. */
const WORKER_SETUP_BUNDLES = 9;
/** Call, launch, barrier, return, in tile cycles [model, simulated]. */
const CALL_CYCLES = 28;

/** Tile cycles of the kernel, call included. */
export function reduceKernelCycles(work: ReduceWork): number {
  const granules = Math.ceil(work.granules / WORKER_COUNT);
  return CALL_CYCLES + WORKER_COUNT * (WORKER_SETUP_BUNDLES + granules * granuleBundles(work.partials));
}
