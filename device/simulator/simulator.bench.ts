import { a, COEFFICIENT_ORDER, CSR, csrOperand, m, pair, quad, SYNC, step } from '../ipu21/index.ts';
import { type HandInstruction, HandProgram, HOST_SYNC, handPackage } from './handProgram.ts';
import { SimulatedIpu21, type SimulatorOptions } from './simulator.ts';

const ZERO = m(15);
const WORKER_CODE = 0x50000;
const FNOP: HandInstruction = ['fnop'];
/** Repeats of the measured loop per call, over all six workers; enough to hide the call itself. */
const REPEATS = 60_000;

/** One tile that launches all workers once per call; `code` ends in an exit. */
function workerProgram(tile: number, code: (program: HandProgram) => void): HandProgram {
  const program = new HandProgram(tile).label('call').op('sync', HOST_SYNC);
  program.op('setzi', m(0), 0x88000).op('put', CSR.CCCSLOAD, m(0));
  for (const base of COEFFICIENT_ORDER) for (const half of [0, 2]) program.op('ld128putcs', base + half);
  program.op('setzi', m(0), 'worker').op('setzi', m(1), 0x60000).op('runall', m(0), m(1), 0);
  program.op('sync', SYNC.local).op('bri', 'call');
  program.data(
    0x88000,
    Uint16Array.from({ length: 256 }, (_, index) => 0x3000 + index),
  );
  program
    .data(0x90000, new Uint16Array(0x8000).fill(0x3400))
    .data(0xb0000, new Uint16Array(0x8000).fill(0x3400));
  const back = program.address;
  program.origin(WORKER_CODE).label('worker');
  code(program);
  return program.op('exitz', ZERO).origin(back);
}

/** The steady state of a GEMM: two loads, a store and a matrix step in every bundle, over 512 words. */
function matrixLoop(accumulating: boolean) {
  return (program: HandProgram): void => {
    const [rounds, words] = [REPEATS / 6 / 250, 250];
    program.op('setzi', a(7), 8).op('uput', csrOperand(CSR.FP_CLR), a(7)).op('get', m(0), CSR.WSR);
    program
      .op('shl', m(0), m(0), 12)
      .op('setzi', m(9), rounds - 1)
      .align(8)
      .label('round');
    program.op('setzi', m(4), 0x90000).op('add', m(4), m(4), m(0)).op('setzi', m(5), 0xb0000);
    program
      .op('add', m(5), m(5), m(0))
      .op('add', m(6), m(5), 0x108)
      .op('tapack', pair(m(2)), m(4), m(5), m(6));
    program.align(8).bundle(['rpt', words / 2, 3], FNOP);
    for (const phase of [0, 1, 2, 3]) {
      const triple = step(pair(m(2)));
      program.bundle(
        accumulating
          ? ['ld2xst64pace', quad(a(0)), pair(a(4)), triple, ZERO, 0]
          : ['ldst64pace', pair(a(0)), pair(a(4)), triple, ZERO, 0],
        ['f16v4hihov4amp', pair(a(4)), pair(a(0)), accumulating ? pair(a(2)) : pair(a(14)), phase],
      );
    }
    program.op('brnzdec', m(9), 'round');
  };
}

/** Loads, integer work, f16 and f32 arithmetic, a conversion and a store, as elementwise kernels have them. */
function mixedLoop(program: HandProgram): void {
  program
    .op('get', m(0), CSR.WSR)
    .op('shl', m(0), m(0), 12)
    .op('setzi', m(4), 0x90000)
    .op('add', m(4), m(4), m(0));
  program.op('setzi', m(5), 0).op('setzi', m(6), 0).op('setzi', m(7), 0xb0000).op('add', m(7), m(7), m(0));
  program.align(8).bundle(['rpt', 4000, 7], FNOP);
  program.bundle(
    ['ld64step', pair(a(0)), m(4), step(m(5)), 1],
    ['f16v4add', pair(a(2)), pair(a(0)), pair(a(0))],
  );
  program.bundle(['and', m(5), m(5), 0x7ff], ['f16v4mul', pair(a(2)), pair(a(2)), pair(a(0))]);
  program.bundle(['add', m(8), m(8), 3], ['f16v2tof32', pair(a(4)), a(2)]);
  program.bundle(['shl', m(9), m(8), 2], ['f32v2mul', pair(a(4)), pair(a(4)), pair(a(4))]);
  program.bundle(['xor', m(10), m(9), m(8)], ['f32v2add', pair(a(4)), pair(a(4)), pair(a(4))]);
  program.bundle(['cmpslt', m(9), m(8), m(10)], ['f32v2tof16', a(2), pair(a(4))]);
  program.bundle(
    ['st64step', pair(a(2)), m(7), step(m(6)), 1],
    ['f16v4max', pair(a(2)), pair(a(2)), pair(a(0))],
  );
  program.bundle(['and', m(6), m(6), 0x7ff], FNOP);
}

/** A loaded package and the instructions of one call. */
export async function loadedProgram(programs: readonly HandProgram[], options: SimulatorOptions = {}) {
  const device = new SimulatedIpu21(options);
  await device.load(handPackage(programs));
  const inputs = new Map<string, Uint8Array>();
  const { instructions } = await device.call('run', inputs);
  return { instructions, call: () => device.call('run', inputs) };
}

/** A loop to measure: what it does, how many instructions a call retires, and the call. */
export interface MeasuredLoop {
  readonly name: string;
  readonly instructions: number;
  readonly call: () => Promise<unknown>;
}

/** Loops that the engine spends its time in, loaded and run once. */
export async function simulatorLoops(): Promise<readonly MeasuredLoop[]> {
  const alone: readonly (readonly [string, (program: HandProgram) => void])[] = [
    ['matrix loop, first panel', matrixLoop(false)],
    ['matrix loop, accumulating', matrixLoop(true)],
    ['mixed integer and float', mixedLoop],
  ];
  const loops: MeasuredLoop[] = [];
  for (const [name, code] of alone) loops.push({ name, ...(await loadedProgram([workerProgram(0, code)])) });
  const tiles = Array.from({ length: 64 }, (_, tile) => workerProgram(tile, matrixLoop(true)));
  loops.push({
    name: 'matrix loop on 64 tiles, two threads',
    ...(await loadedProgram(tiles, { threads: 2 })),
  });
  return loops;
}
