import { describe, expect, it } from 'vitest';
import { m } from '../ipu21/index.ts';
import type { HandInstruction } from './handProgram.ts';
import { take } from './testing/numbers.ts';
import { DATA, RESULT, readWords, runTiles, tileProgram, ZERO } from './testing/run.ts';

const EDGES = [0, 1, 2, 31, 32, 33, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe];
const NUMBERS = [...EDGES, ...take(11, 12)];
const PAIRS = NUMBERS.flatMap((x) => NUMBERS.map((y) => [x, y] as const));

/** Runs one instruction on the supervisor for many operand pairs: m2, m3 in, m4 in and out. */
async function results(instruction: HandInstruction, pairs: readonly (readonly [number, number])[]) {
  const device = await runTiles([
    tileProgram(0, (program) => {
      program.data(0x90000, Uint32Array.from(pairs.flat()));
      program
        .op('setzi', m(0), 0x90000)
        .op('setzi', m(1), 0xa0000)
        .op('setzi', m(5), pairs.length - 1);
      program.label('next').op('ld32', m(2), m(0), ZERO, 0).op('ld32', m(3), m(0), ZERO, 1);
      program.op('setzi', m(4), 0x5a5a5);
      program.op(...instruction).op('st32', m(4), m(1), ZERO, 0);
      program.op('add', m(0), m(0), 8).op('add', m(1), m(1), 4).op('brnzdec', m(5), 'next');
    }),
  ]);
  return readWords(device, 0, 0xa0000, pairs.length);
}

const bytesOf = (word: number) => [0, 8, 16, 24].map((at) => (word >>> at) & 0xff);
const word = (b: readonly number[]) => (b[0] | (b[1] << 8) | (b[2] << 16) | (b[3] << 24)) >>> 0;
const reversed = (byte: number) =>
  Array.from({ length: 8 }, (_, bit) => ((byte >> bit) & 1) << (7 - bit)).reduce((x, y) => x | y);
const bits = (x: number) => (x >>> 0).toString(2).padStart(32, '0');

const TWO: Readonly<Record<string, (x: number, y: number) => number>> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => Math.imul(x, y),
  min: (x, y) => Math.min(x | 0, y | 0),
  max: (x, y) => Math.max(x | 0, y | 0),
  cmpeq: (x, y) => Number(x === y),
  cmpne: (x, y) => Number(x !== y),
  cmpslt: (x, y) => Number((x | 0) < (y | 0)),
  cmpult: (x, y) => Number(x < y),
  and: (x, y) => x & y,
  andc: (x, y) => x & ~y,
  or: (x, y) => x | y,
  xor: (x, y) => x ^ y,
  xnor: (x, y) => ~(x ^ y),
  // Amounts above 31 shift everything out.
  shl: (x, y) => (y > 31 ? 0 : x << y),
  shr: (x, y) => (y > 31 ? 0 : x >>> y),
  shrs: (x, y) => x >> Math.min(y, 31),
  sort4x16lo: (x, y) => (x & 0xffff) | (y << 16),
  sort4x16hi: (x, y) => (x >>> 16) | (y & 0xffff0000),
  roll16: (x, y) => (x >>> 16) | (y << 16),
  roll8r: (x, y) => word([...bytesOf(x).slice(1), bytesOf(y)[0]]),
  roll8l: (x, y) => word([bytesOf(x)[3], ...bytesOf(y).slice(0, 3)]),
  shuf8x8lo: (x, y) => word([bytesOf(x)[0], bytesOf(y)[0], bytesOf(x)[1], bytesOf(y)[1]]),
  shuf8x8hi: (x, y) => word([bytesOf(x)[2], bytesOf(y)[2], bytesOf(x)[3], bytesOf(y)[3]]),
  sort8x8lo: (x, y) => word([bytesOf(x)[0], bytesOf(x)[2], bytesOf(y)[0], bytesOf(y)[2]]),
  sort8x8hi: (x, y) => word([bytesOf(x)[1], bytesOf(x)[3], bytesOf(y)[1], bytesOf(y)[3]]),
  // D stays when the condition is zero.
  movnz: (x, y) => (x !== 0 ? y : 0x5a5a5),
};

const ONE: Readonly<Record<string, (x: number) => number>> = {
  abs: (x) => Math.abs(x | 0),
  clz: (x) => Math.clz32(x),
  popc: (x) => bits(x).replaceAll('0', '').length,
  cms: (x) =>
    bits(x)
      .slice(1)
      .search(bits(x)[0] === '0' ? '1' : '0') >>> 0,
  bitrev8: (x) => word(bytesOf(x).map(reversed)),
  swap8: (x) => word([1, 0, 3, 2].map((at) => bytesOf(x)[at])),
  sort8: (x) => word([0, 2, 1, 3].map((at) => bytesOf(x)[at])),
};

describe('integer instructions', () => {
  it.each(Object.entries(TWO))('%s', async (name, of) => {
    const got = await results([name, m(4), m(2), m(3)], PAIRS);
    expect(got).toEqual(PAIRS.map(([x, y]) => of(x, y) >>> 0));
  });

  it.each(Object.entries(ONE))('%s', async (name, of) => {
    const pairs = NUMBERS.map((x) => [x, 0] as const);
    const got = await results([name, m(4), m(2)], pairs);
    const repeats = name === 'cms' ? (x: number) => (x === 0 || x === 0xffffffff ? 31 : of(x)) : of;
    expect(got).toEqual(NUMBERS.map((x) => repeats(x) >>> 0));
  });

  const BRANCHES: Readonly<Record<string, (x: number) => boolean>> = {
    brz: (x) => x === 0,
    brnz: (x) => x !== 0,
    brpos: (x) => (x | 0) >= 0,
    brneg: (x) => (x | 0) < 0,
  };
  it.each(Object.entries(BRANCHES))('%s', async (name, taken) => {
    const device = await runTiles([
      tileProgram(0, (program) => {
        program.data(DATA, Uint32Array.from(NUMBERS)).op('setzi', m(1), RESULT).op('setzi', m(0), DATA);
        NUMBERS.forEach((_, index) => {
          program.op('ld32', m(2), m(0), ZERO, index).op('setzi', m(3), 1);
          program.op(name, m(2), `over ${index}`).op('setzi', m(3), 0).label(`over ${index}`);
          program.op('st32', m(3), m(1), ZERO, index);
        });
      }),
    ]);
    expect(readWords(device, 0, RESULT, NUMBERS.length)).toEqual(NUMBERS.map((x) => Number(taken(x))));
  });
});
