import { a, CSR, csrOperand, m, SYNC, step } from '../../ipu21/index.ts';
import type { HandInstruction } from '../handProgram.ts';
import { EXIT, runTiles, tileProgram, WORKER_CODE } from './run.ts';

/** Registers a test sees: a0 to a7. */
const REGISTERS = 8;
const INPUTS = 0x90000;
const OUTPUTS = 0xb0000;
const BYTES = 4 * REGISTERS;

export interface AuxCase {
  readonly code: readonly HandInstruction[];
  /** a0 to a7 before the code; missing ones are 0. */
  readonly before: readonly number[];
  /** FP_CTL; 0 rounds to nearest even and traps nothing. */
  readonly control?: number;
  /** Other upper registers, by index. */
  readonly registers?: Readonly<Record<number, number>>;
}

export interface AuxResult {
  /** a0 to a7 afterwards. */
  readonly after: readonly number[];
  /** FP_STS afterwards, cleared before. */
  readonly status: number;
}

/**
 * Runs pieces of auxiliary code one after the other on worker 0, each from its own registers, cleared flags and
 * cleared accumulators.
 */
export async function runAux(cases: readonly AuxCase[]): Promise<AuxResult[]> {
  const words: number[] = [];
  for (const { before, control = 0, registers = {} } of cases) {
    words.push(...Array.from({ length: REGISTERS }, (_, index) => (before[index] ?? 0) >>> 0));
    words.push(control >>> 0, ...Object.values(registers).map((value) => value >>> 0));
  }
  const device = await runTiles([
    tileProgram(0, (program) => {
      program
        .op('setzi', m(0), 'worker')
        .op('setzi', m(1), OUTPUTS)
        .op('setzi', m(2), INPUTS)
        .op('put', CSR.WORKER0_BASE, m(2))
        .op('runall', m(0), m(1), 0)
        .op('sync', SYNC.local)
        .data(INPUTS, Uint32Array.from(words));
      const back = program.address;
      program.origin(WORKER_CODE).label('worker').op('get', m(0), CSR.WSR).op('brnz', m(0), 'end');
      program.op('setzi', m(2), 0).op('setzi', m(3), 0).op('setzi', m(4), 15);
      const load = (index: number) => program.op('ld32step', a(index), m(12), step(m(2)), 1);
      const put = (index: number) => {
        load(0);
        program.op('uput', csrOperand(index), a(0));
      };
      for (const { code, registers = {} } of cases) {
        program.op('st32', m(4), m(13), m(3), 0).op('ld32', a(0), m(13), m(3), 0);
        program.op('uput', csrOperand(CSR.FP_CLR), a(0));
        // The control word stands behind the registers, which are loaded last.
        program.op('add', m(2), m(2), BYTES);
        put(CSR.FP_CTL);
        for (const index of Object.keys(registers)) put(Number(index));
        const behind = BYTES + 4 + 4 * Object.keys(registers).length;
        program.op('add', m(2), m(2), -behind);
        for (let index = 0; index < REGISTERS; index++) load(index);
        program.op('add', m(2), m(2), behind - BYTES);
        for (const instruction of code) program.op(...instruction);
        for (let index = 0; index < REGISTERS; index++)
          program.op('st32step', a(index), m(13), step(m(3)), 1);
        program.op('uget', a(0), csrOperand(CSR.FP_STS)).op('st32step', a(0), m(13), step(m(3)), 1);
      }
      program.label('end').op(...EXIT);
      program.origin(back);
    }),
  ]);
  const bytes = device.readTile(0, OUTPUTS, cases.length * (BYTES + 4));
  const results = new Uint32Array(bytes.slice().buffer);
  return cases.map((_, index) => ({
    after: [...results.subarray(index * 9, index * 9 + 8)],
    status: results[index * 9 + 8],
  }));
}
