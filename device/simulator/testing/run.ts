import { m, SYNC } from '../../ipu21/index.ts';
import { type HandInstruction, HandProgram, HOST_SYNC, handPackage, wordsOf } from '../handProgram.ts';
import { SimulatedIpu21, type SimulatorOptions } from '../index.ts';

/** Where test programs leave their results. */
export const RESULT = 0x60000;
/** Interlocked test data starts here, in another element than RESULT. */
export const DATA = 0x70000;
export const INTERLEAVED = 0x80000;
/** Address of worker code, away from the supervisor's. */
export const WORKER_CODE = 0x50000;
export const ZERO = m(15);

/** A tile whose body runs once per call; around it the host barrier and the way back. */
export function tileProgram(physicalTile: number, body: (program: HandProgram) => void): HandProgram {
  const program = new HandProgram(physicalTile);
  program.label('call').op('sync', HOST_SYNC);
  body(program);
  program.op('bri', 'call');
  return program;
}

/** Loads the programs and calls them once. */
export async function runTiles(
  programs: readonly HandProgram[],
  options: SimulatorOptions = {},
): Promise<SimulatedIpu21> {
  const device = new SimulatedIpu21(options);
  await device.load(handPackage(programs));
  await device.call('run', new Map());
  return device;
}

export const readWords = (device: SimulatedIpu21, tile: number, address: number, count: number): number[] =>
  wordsOf(device.readTile(tile, address, 4 * count));

export const readHalves = (
  device: SimulatedIpu21,
  tile: number,
  address: number,
  count: number,
): number[] => [...new Uint16Array(device.readTile(tile, address, 2 * count).buffer)];

/** Runs supervisor code and gives registers m0..m7 afterwards. */
export async function supervisorRegisters(body: (program: HandProgram) => void): Promise<number[]> {
  const device = await runTiles([
    tileProgram(0, (program) => {
      body(program);
      program.op('setzi', m(11), RESULT);
      for (let index = 0; index < 8; index++) program.op('st32', m(index), m(11), ZERO, index);
    }),
  ]);
  return readWords(device, 0, RESULT, 8);
}

/**
 * Cycles that supervisor code takes: from the issue cycle of its first instruction to the first cycle in
 * which an independent instruction can issue behind it. m8 and m9 hold the samples.
 */
export async function supervisorCycles(
  body: (program: HandProgram) => void,
  before: (program: HandProgram) => void = () => {},
  after: (program: HandProgram) => void = () => {},
): Promise<number> {
  const device = await runTiles([
    tileProgram(0, (program) => {
      program.op('setzi', m(11), RESULT);
      before(program);
      // Results of the set-up are ready when the sample is taken.
      program.op('delay', 11);
      program.op('get', m(8), 0x60);
      body(program);
      program.op('get', m(9), 0x60);
      after(program);
      program.op('st32', m(8), m(11), ZERO, 0);
      program.op('st32', m(9), m(11), ZERO, 1);
    }),
  ]);
  const [from, to] = readWords(device, 0, RESULT, 2);
  return to - from - 1;
}

/** Launches all six workers at the label `worker`, vertex bases `stride` bytes apart, and waits for them. */
export function launchAll(program: HandProgram, base: number, stride = 0): HandProgram {
  return program
    .op('setzi', m(0), 'worker')
    .op('setzi', m(1), base)
    .op('runall', m(0), m(1), stride / 4)
    .op('sync', SYNC.local);
}

/**
 * Runs the same worker code on all six workers. Each finds m13 = RESULT + 64 x worker, m12 = DATA. Worker
 * code is placed at WORKER_CODE, 8-byte aligned, and ends with an exit written by the caller.
 */
export async function workerResults(
  code: (program: HandProgram) => void,
  data: Uint32Array | Uint16Array = new Uint32Array(16),
  options: { readonly stride?: number; readonly place?: number; readonly control?: number } = {},
): Promise<{ device: SimulatedIpu21; words: number[][] }> {
  const { stride = 64, place = DATA, control = 0 } = options;
  const device = await runTiles([
    tileProgram(0, (program) => {
      program.op('setzi', m(2), place);
      for (let worker = 0; worker < 6; worker++) program.op('put', 0x21 + worker, m(2));
      program.op('setzi', m(3), control >>> 12).op('shl', m(3), m(3), 12);
      program.op('or', m(3), m(3), control & 0xfff).op('put', 0x20, m(3));
      launchAll(program, RESULT, stride);
      program.data(place, data);
      const back = program.address;
      program.origin(WORKER_CODE).label('worker');
      code(program);
      program.origin(back);
    }),
  ]);
  return {
    device,
    words: Array.from({ length: 6 }, (_, worker) => readWords(device, 0, RESULT + stride * worker, 16)),
  };
}

export const FNOP: HandInstruction = ['fnop'];
export const NOP: HandInstruction = ['nop'];
export const EXIT: HandInstruction = ['exitz', ZERO];
