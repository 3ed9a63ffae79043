import { expect, it } from 'vitest';
import { CSR, m, SYNC } from '../ipu21/index.ts';
import type { HandInstruction } from './handProgram.ts';
import { RESULT, readWords, runTiles, tileProgram, WORKER_CODE, ZERO } from './testing/run.ts';

const LOCAL = 1;
const GLOBAL = 2;

/** Status after each of several launches whose six workers leave by an exit on their number minus `offset`. */
function tile(physicalTile: number, exit: string, offset: number, after: readonly HandInstruction[] = []) {
  return tileProgram(physicalTile, (program) => {
    program.op('setzi', m(11), RESULT).op('setzi', m(0), 'worker');
    program.op('runall', m(0), ZERO, 0).op('sync', SYNC.local);
    program.op('get', m(1), CSR.SSR).op('st32', m(1), m(11), ZERO, 0);
    program.op('sync', SYNC.internal);
    program.op('get', m(1), CSR.SSR).op('st32', m(1), m(11), ZERO, 1);
    for (const instruction of after) program.op(...instruction);
    program.op('get', m(1), CSR.SSR).op('st32', m(1), m(11), ZERO, 2);
    const back = program.address;
    program.origin(WORKER_CODE).label('worker');
    program.op('get', m(0), CSR.WSR).op('add', m(0), m(0), -offset).op(exit, m(0)).origin(back);
  });
}

it.each([
  // Workers see -offset .. 5 - offset.
  ['exitpos', 0, LOCAL],
  ['exitpos', 1, 0],
  ['exitneg', 6, LOCAL],
  ['exitneg', 5, 0],
  ['exitnz', 6, LOCAL],
  ['exitnz', 3, 0],
  ['exitz', 0, 0],
] as const)('%s with numbers from -%i leaves consensus %i', async (exit, offset, expected) => {
  const device = await runTiles([tile(0, exit, offset)]);
  const [local, shared] = readWords(device, 0, RESULT, 2);
  expect(local).toBe(expected);
  expect(shared).toBe(expected === LOCAL ? LOCAL | GLOBAL : 0);
});

it('one tile that disagrees denies the global consensus', async () => {
  const device = await runTiles([tile(0, 'exitpos', 0), tile(2, 'exitpos', 1)]);
  expect(readWords(device, 0, RESULT, 2)).toEqual([LOCAL, LOCAL]);
  expect(readWords(device, 2, RESULT, 2)).toEqual([0, 0]);
});

it('CR sets and clears the local consensus', async () => {
  const write = (value: number): HandInstruction[] => [
    ['setzi', m(2), value],
    ['put', CSR.CR, m(2)],
  ];
  const set = await runTiles([tile(0, 'exitpos', 1, write(2))]);
  expect(readWords(set, 0, RESULT + 8, 1)).toEqual([LOCAL]);
  const cleared = await runTiles([tile(0, 'exitpos', 0, write(1))]);
  expect(readWords(cleared, 0, RESULT + 8, 1)).toEqual([GLOBAL]);
});
