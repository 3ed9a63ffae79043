import { expect, it } from 'vitest';
import { a, m, pair, step } from '../ipu21/index.ts';
import {
  DATA,
  EXIT,
  FNOP,
  NOP,
  readWords,
  runTiles,
  tileProgram,
  workerResults,
  ZERO,
} from './testing/run.ts';

/** Words 0..n of every worker's result block. */
const first = (words: number[][], count: number) => words.map((block) => block.slice(0, count));
const six = (value: number[]) => Array.from({ length: 6 }, () => value);

it('a hardware loop repeats whole bundles, the bundle of rpt itself runs once', async () => {
  for (const [count, bundles] of [
    [1, 1],
    [5, 2],
    [4095, 1],
  ]) {
    const { words } = await workerResults((program) => {
      program.op('setzi', m(0), 0).op('setzi', m(1), 0).align(8);
      program.bundle(['rpt', count, bundles - 1], FNOP);
      for (let index = 0; index < bundles; index++) program.bundle(['add', m(0), m(0), 1], FNOP);
      program.op('st32', m(0), m(13), ZERO, 0).op(...EXIT);
    });
    expect(first(words, 1)).toEqual(six([count * bundles]));
  }
});

it('a register count uses 16 bits; count 0 branches over the body', async () => {
  for (const [count, rounds] of [
    [0, 0],
    [3, 3],
    [0x10002, 2],
  ]) {
    const { words } = await workerResults((program) => {
      program.op('setzi', m(0), 0).op('setzi', m(1), count).align(8);
      program.bundle(['rpt', m(1), 1], ['setzi', a(0), 7]);
      program.bundle(['add', m(0), m(0), 1], FNOP).bundle(['add', m(0), m(0), 0x100], FNOP);
      program
        .op('st32', m(0), m(13), ZERO, 0)
        .op('st32', a(0), m(13), ZERO, 1)
        .op(...EXIT);
    });
    expect(first(words, 2)).toEqual(six([rounds * 0x101, 7]));
  }
});

it('a bundle of n repeats takes n worker cycles, and the repeat itself one', async () => {
  for (const count of [0, 1, 10]) {
    const { words } = await workerResults((program) => {
      program.align(8).op('get', m(2), 0x60).op('nop').bundle(['rpt', count, 0], FNOP).bundle(NOP, FNOP);
      program
        .op('get', m(3), 0x60)
        .op('sub', m(3), m(3), m(2))
        .op('st32', m(3), m(13), ZERO, 0)
        .op(...EXIT);
    });
    // get, nop, rpt, then the body: each six tile cycles.
    expect(first(words, 1)).toEqual(six([6 * (3 + count)]));
  }
});

it('both halves of a bundle read the registers from before it', async () => {
  const { words } = await workerResults(
    (program) => {
      program.op('ld32', a(0), m(12), ZERO, 0).op('ld32', a(1), m(12), ZERO, 1).align(8);
      program.bundle(['atom', m(2), a(0)], ['or', a(0), a(1), a(1)]);
      program.bundle(['ld32', a(1), m(12), ZERO, 2], ['or', a(2), a(1), a(15)]);
      program.op('st32', m(2), m(13), ZERO, 0);
      for (let index = 0; index < 3; index++) program.op('st32', a(index), m(13), ZERO, index + 1);
      program.op(...EXIT);
    },
    Uint32Array.of(11, 22, 33),
  );
  expect(first(words, 4)).toEqual(six([11, 22, 33, 22]));
});

it('paced accesses step each address by its selector', async () => {
  const input = Uint32Array.from({ length: 64 }, (_, index) => 100 + index);
  const { words } = await workerResults((program) => {
    // Address 0 = data, address 2 = result; strides 3 x 8 and -1 x 8 in fields 1 and 2.
    program.op('tapack', pair(m(2)), m(12), m(12), m(13)).op('setzi', m(4), 3 | (0x3ff << 10));
    program.op('ldst64pace', pair(a(0)), pair(a(14)), step(pair(m(2))), m(4), 0b0001);
    program.op('ldst64pace', pair(a(2)), pair(a(0)), step(pair(m(2))), m(4), 0b0010);
    program.op('ldst64pace', pair(a(4)), pair(a(2)), step(pair(m(2))), m(4), 0b1100);
    program.op('st64pace', pair(a(4)), step(pair(m(2))), m(4), 0).op(...EXIT);
  }, input);
  // Loads at 0, +24, +16; stores: zeros, pair 0, pair 3, and pair 2 over it because selector 3 stood still.
  expect(first(words, 6)).toEqual(six([0, 0, 100, 101, 104, 105]));
});

it('loads that fill one register repeat bytes and halves', async () => {
  const { words } = await workerResults((program) => {
    program.op('ldb8', a(0), m(12), ZERO, 3).op('ldb16', a(1), m(12), ZERO, 1);
    program
      .op('st32', a(0), m(13), ZERO, 0)
      .op('st32', a(1), m(13), ZERO, 1)
      .op(...EXIT);
  }, Uint32Array.of(0xabcd1234));
  expect(first(words, 2)).toEqual(six([0xabababab, 0xabcdabcd]));
});

it('registers, accumulators and the seed survive a launch; status and control are set anew', async () => {
  const device = await runTiles([
    tileProgram(0, (program) => {
      program.op('setzi', m(1), 0x60000).op('setzi', m(2), 'first').op('setzi', m(3), 'second');
      program.op('runall', m(2), m(1), 16).op('sync', 2).op('runall', m(3), m(1), 16).op('sync', 2);
      const back = program.address;
      program.origin(0x50000).label('first').op('setzi', m(4), 1234).op('setzi', a(3), 0x3c00);
      program
        .op('uput', 2, a(3))
        .op('setzi', a(2), 8)
        .op('uput', 1, a(2))
        .op('f16v4acc', pair(a(2)))
        .op(...EXIT);
      program.align(8).label('second').op('st32', m(4), m(13), ZERO, 0).op('uget', a(4), 2);
      program.op('st32', a(4), m(13), ZERO, 1).op('f32v2gina', pair(a(6)), pair(a(14)), 0);
      program
        .op('f32v2gina', pair(a(4)), pair(a(14)), 0)
        .op('st64', pair(a(4)), m(13), ZERO, 1)
        .op(...EXIT);
      program.origin(back);
    }),
  ]);
  for (let worker = 0; worker < 6; worker++)
    // a3 = 0x3c00 is the f16 pair (1, 0): elements 2 and 3 of the quad that was accumulated.
    expect(readWords(device, 0, 0x60000 + 64 * worker, 4)).toEqual([1234, 0, 0x3f800000, 0]);
});

it('unwritten memory reads as the poison pattern, the tail of a segment as zeros', async () => {
  const device = await runTiles([tileProgram(0, (program) => program.data(DATA, Uint32Array.of(5), 16))]);
  expect(readWords(device, 0, DATA, 5)).toEqual([5, 0, 0, 0, 0x7ef17ef1]);
  expect(readWords(device, 0, DATA - 4, 1)).toEqual([0x7ef17ef1]);
});

it('a bundle runs whose two words share a place in the decode cache', async () => {
  // Found by search: both words hash to one entry of the word cache.
  const { words } = await workerResults((program) => {
    program.op('setzi', m(0), 1).op('setzi', a(0), 0);
    program.bundle(['add', m(0), m(0), 3378], ['f32add', a(0), a(0), a(0)]);
    program.op('st32', m(0), m(13), ZERO, 0).op(...EXIT);
  });
  for (const [first] of words) expect(first).toBe(3379);
});
