import {
  a,
  COEFFICIENT_ORDER,
  CSR,
  m,
  pair,
  quad,
  SYNC,
  step,
  WORKER_COUNT,
} from '../../device/ipu21/index.ts';
import type { Assembler } from '../assembler/assembler.ts';
import { AMP_PHASES, FP_CLR, ZERO_ACCUMULATORS } from './machine.ts';

/**
 * f16 matrix kernel: out[rows x 16 panels] = left[rows x 16 groups] . right, one coefficient load of
 * 16 columns x 16 inner values at a time. Rows are dealt to the six workers in contiguous shares; the
 * first group of a panel writes partials, later groups read, add and write them back in f16.
 *
 * f8 operands take 32 inner values where f16 takes 16; everything else is the same.
 *
 * Layouts (bytes): left [group][row][32], right [panel][group][512], out [panel][row][32]. Left and out
 * must lie in different SRAM elements; right and out need 128-bit access.
 */

/** Words of one worker's entry in the argument table: left, out, rows - 1, bytes from group to group. */
const ENTRY_WORDS = 4;
/** Argument table of the kernel, six entries. */
export const GEMM_TABLE_BYTES = WORKER_COUNT * ENTRY_WORDS * 4;
/** The paced loads run ahead of the last row by at most three 64-bit values. */
export const LEFT_TAIL_BYTES = 32;
/** Partials run ahead by one row and a half: seven 64-bit values. */
export const PARTIAL_TAIL_BYTES = 64;

/** Rows of each worker: contiguous shares, the first `rows mod 6` get one more. */
export function workerRows(rows: number, worker: number): { start: number; count: number } {
  const base = Math.floor(rows / WORKER_COUNT);
  const longer = rows % WORKER_COUNT;
  return {
    start: worker * base + Math.min(worker, longer),
    count: base + (worker < longer ? 1 : 0),
  };
}

/** The argument table for one tile, little-endian words. */
export function gemmTable(rows: number, leftAddress: number, outAddress: number): Uint32Array {
  const table = new Uint32Array(WORKER_COUNT * ENTRY_WORDS);
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const { start, count } = workerRows(rows, worker);
    table.set(
      [leftAddress + start * 32, outAddress + start * 32, (count - 1) >>> 0, rows * 32],
      worker * ENTRY_WORDS,
    );
  }
  return table;
}

/** Stride selectors of paced accesses, two bits per address: 0 = next 64 bits, 1 = stay (zero stride). */
const ADVANCE_FIRST_ONLY = 0b01_00;
const ADVANCE_SECOND_ONLY = 0b00_01;
const ADVANCE_ALL = 0;

const LEFT = m(0);
const OUT = m(1);
const ROWS_LESS_ONE = m(2);
const PANEL_BYTES = m(3);
const TRIPLE = pair(m(4));
const LEFT_FIRST = m(6);
const ARGUMENTS = m(13);
const ZERO = m(15);
const INPUT = pair(a(0));
const PARTIAL = pair(a(2));
const INPUT_AND_PARTIAL = quad(a(0));
const EVEN_RESULT = pair(a(4));
const ODD_RESULT = pair(a(6));
const NONE = pair(a(14));

/**
 * Worker code. `idleWorkers` adds the check that lets workers without rows leave at once; it is needed
 * on tiles with fewer than six rows and costs one bundle per launch.
 */
export function emitGemmWorkers(
  asm: Assembler,
  idleWorkers: boolean,
  operands: 'f16' | 'f8f143' = 'f16',
): void {
  const matrixStep = operands === 'f16' ? 'f16v4hihov4amp' : 'f8v8hihov4amp';
  const amp = (phase: number, to = NONE, input = INPUT, partial = PARTIAL) =>
    [matrixStep, to, input, partial, AMP_PHASES[phase]] as const;
  const result = (issue: number) => (issue % 2 === 0 ? EVEN_RESULT : ODD_RESULT);
  const leaveIfIdle = () => {
    if (idleWorkers) asm.bundle(['brneg', ROWS_LESS_ONE, asm.at('gemm.leave')], ['fnop']);
  };

  asm.align(8);
  asm.label('gemm.first');
  asm.op('ld32', LEFT_FIRST, ARGUMENTS, ZERO, 0);
  asm.op('ld32', OUT, ARGUMENTS, ZERO, 1);
  asm.op('ld32', ROWS_LESS_ONE, ARGUMENTS, ZERO, 2);
  asm.op('ld32', PANEL_BYTES, ARGUMENTS, ZERO, 3);
  leaveIfIdle();
  asm.op('bri', asm.at('gemm.start'));
  asm.align(8);
  asm.label('gemm.nextPanel');
  leaveIfIdle();
  asm.bundle(['add', OUT, OUT, PANEL_BYTES], ['fnop']);

  // First group: running sums start at zero, results leave four issues behind, stores one issue later.
  asm.label('gemm.start');
  asm.bundle(['add', LEFT, LEFT_FIRST, 0], ['setzi', a(0), ZERO_ACCUMULATORS]);
  asm.bundle(['tapack', TRIPLE, LEFT, OUT, OUT], ['uput', FP_CLR, a(0)]);
  const loadInput = ['ld2x64pace', INPUT, NONE, step(TRIPLE), ZERO, ADVANCE_FIRST_ONLY] as const;
  asm.bundle(loadInput, ['fnop']);
  for (let phase = 0; phase < 4; phase++) asm.bundle(loadInput, amp(phase, NONE, INPUT, NONE));
  asm.bundle(loadInput, amp(0, EVEN_RESULT, INPUT, NONE));
  asm.bundle(['rpt', ROWS_LESS_ONE, 3], ['fnop']);
  for (const phase of [1, 2, 3, 0])
    asm.bundle(
      ['ldst64pace', INPUT, EVEN_RESULT, step(TRIPLE), ZERO, ADVANCE_ALL],
      amp(phase, EVEN_RESULT, INPUT, NONE),
    );
  const store = (value: typeof EVEN_RESULT) => ['st64pace', value, step(TRIPLE), ZERO, 0] as const;
  for (const phase of [1, 2, 3]) asm.bundle(store(EVEN_RESULT), amp(phase, EVEN_RESULT, INPUT, NONE));
  asm.bundle(store(EVEN_RESULT), ['fnop']);
  asm.op('exitz', ZERO);

  // Later groups: partials enter one row ahead. Stores trail loads by eleven 64-bit values, an odd number,
  // so that both hit different banks of the interleaved pair.
  asm.align(8);
  asm.label('gemm.nextGroup');
  leaveIfIdle();
  asm.bundle(['add', LEFT, LEFT, PANEL_BYTES], ['fnop']);
  asm.bundle(['tapack', TRIPLE, LEFT, OUT, OUT], ['fnop']);
  const loadPartial = ['ld2x64pace', INPUT, PARTIAL, step(TRIPLE), ZERO, ADVANCE_SECOND_ONLY] as const;
  const loadBoth = ['ld2x64pace', INPUT, PARTIAL, step(TRIPLE), ZERO, ADVANCE_ALL] as const;
  asm.bundle(loadPartial, ['fnop']);
  for (const phase of [0, 1, 2]) asm.bundle(loadPartial, amp(phase, NONE, NONE));
  asm.bundle(loadBoth, amp(3, NONE, NONE));
  for (const phase of [0, 1, 2, 3]) asm.bundle(loadBoth, amp(phase));
  asm.bundle(loadBoth, amp(0, EVEN_RESULT));
  asm.bundle(loadBoth, amp(1, ODD_RESULT));
  asm.bundle(['rpt', ROWS_LESS_ONE, 3], ['fnop']);
  for (const phase of [2, 3, 0, 1])
    asm.bundle(
      ['ld2xst64pace', INPUT_AND_PARTIAL, result(phase), step(TRIPLE), ZERO, ADVANCE_ALL],
      amp(phase, result(phase)),
    );
  asm.bundle(store(EVEN_RESULT), amp(2, EVEN_RESULT));
  asm.bundle(store(ODD_RESULT), amp(3, ODD_RESULT));
  asm.bundle(store(EVEN_RESULT), ['fnop']);
  asm.bundle(store(ODD_RESULT), ['fnop']);
  asm.label('gemm.leave');
  asm.op('exitz', ZERO);
}

/**
 * Supervisor routine. Arguments: m2 = address of the coefficients, m3 = argument table, m4 = panels - 1,
 * m5 = groups - 2 (-1 for a single group), m10 = return address. Uses m6..m9.
 */
export function emitGemmSupervisor(asm: Assembler): void {
  const [right, table, panels, groups] = [m(2), m(3), m(4), m(5)];
  const [entry, nextGroup, nextPanel, count, back] = [m(6), m(7), m(8), m(9), m(10)];
  const loadCoefficients = () => {
    for (const base of COEFFICIENT_ORDER) for (const half of [0, 2]) asm.op('ld128putcs', base + half);
  };
  asm.label('gemm');
  asm.op('put', CSR.CCCSLOAD, right);
  asm.op('setzi', entry, asm.at('gemm.first'));
  asm.op('setzi', nextGroup, asm.at('gemm.nextGroup'));
  asm.op('setzi', nextPanel, asm.at('gemm.nextPanel'));
  asm.label('gemm.panel');
  loadCoefficients();
  asm.op('runall', entry, table, ENTRY_WORDS);
  asm.op('add', entry, nextPanel, 0);
  asm.op('add', count, groups, 0);
  asm.op('brneg', groups, asm.at('gemm.panelDone'));
  asm.label('gemm.group');
  asm.op('sync', SYNC.local);
  loadCoefficients();
  asm.op('runall', nextGroup, table, ENTRY_WORDS);
  asm.op('brnzdec', count, asm.at('gemm.group'));
  asm.label('gemm.panelDone');
  asm.op('sync', SYNC.local);
  asm.op('brnzdec', panels, asm.at('gemm.panel'));
  asm.op('br', back);
}

/** Bundles of the busiest worker in one launch of the first or a later group. */
export const gemmBundles = (rowsOfWorker: number) => ({
  firstGroup: 11 + 4 * rowsOfWorker,
  laterGroup: 15 + 4 * rowsOfWorker,
});

/**
 * What one launch costs beside the bundles of the busiest worker, in tile cycles: coefficient loads, launch,
 * local barrier, loop. A new panel has more of the loop; a sixth worker as busy as the first ends a slot
 * later and costs the next aligned slot [model, simulated].
 */
const LAUNCH_CYCLES = { newPanel: 48, nextGroup: 42 };
const LAST_WORKER_BUSY = { newPanel: 10, nextGroup: 8 };
/** Call, argument loads of the first launch, return [model, simulated]. */
const CALL_CYCLES = 50;

/** Tile cycles of the kernel, call included. */
export function gemmKernelCycles(block: { rows: number; panels: number; groups: number }): number {
  const { firstGroup, laterGroup } = gemmBundles(Math.ceil(block.rows / WORKER_COUNT));
  const idleCheck = block.rows < WORKER_COUNT ? 1 : 0;
  const even = block.rows % WORKER_COUNT === 0;
  const launch = (kind: 'newPanel' | 'nextGroup', bundles: number) =>
    WORKER_COUNT * (bundles + idleCheck) + LAUNCH_CYCLES[kind] + (even ? LAST_WORKER_BUSY[kind] : 0);
  const panel = launch('newPanel', firstGroup) + (block.groups - 1) * launch('nextGroup', laterGroup);
  return CALL_CYCLES + block.panels * panel;
}
