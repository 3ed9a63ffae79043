import { describe, expect, it } from 'vitest';
import {
  a,
  COEFFICIENT_ORDER,
  CSR,
  csrOperand,
  m,
  type Operand,
  pair,
  quad,
  SYNC,
  step,
} from '../ipu21/index.ts';
import type { HandInstruction, HandProgram } from './handProgram.ts';
import { halfCode, halfValue, MODES, take } from './testing/numbers.ts';
import {
  EXIT,
  FNOP,
  RESULT,
  readHalves,
  readWords,
  runTiles,
  tileProgram,
  WORKER_CODE,
  ZERO,
} from './testing/run.ts';

const WEIGHTS = 0x88000;
const AMP = 'f16v4hihov4amp';
const [NONE, INPUT, PARTIAL, TRIPLE] = [pair(a(14)), pair(a(0)), pair(a(2)), step(pair(m(2)))];

/** Loads a panel of 16 channels x 16 inner elements, entries in the given order, and launches the workers. */
function loadAndLaunch(program: HandProgram, order: readonly number[], control = 0): HandProgram {
  program
    .op('setzi', m(0), control >>> 12)
    .op('shl', m(0), m(0), 12)
    .op('put', CSR.FP_ICTL, m(0));
  program.op('setzi', m(0), WEIGHTS).op('put', CSR.CCCSLOAD, m(0));
  for (const base of order) for (const half of [0, 2]) program.op('ld128putcs', base + half);
  program.op('setzi', m(0), 'worker').op('setzi', m(1), RESULT);
  return program.op('runall', m(0), m(1), 0).op('sync', SYNC.local);
}

const clearAccumulators = (program: HandProgram) =>
  program.op('setzi', a(7), 8).op('uput', csrOperand(CSR.FP_CLR), a(7));

/** Natural order: channel c of memory goes to set c div 8, unit c mod 8. */
const NATURAL = Array.from({ length: 16 }, (_, channel) => 4 * channel);

/** One row through worker 0; the sixteen codes in the order in which they leave. */
async function row(x: readonly number[], w: readonly number[], order: readonly number[], control = 0) {
  const device = await runTiles([
    tileProgram(0, (program) => {
      loadAndLaunch(program, order, control);
      program.data(WEIGHTS, Uint16Array.from(w)).data(0x90000, Uint16Array.from(x));
      const back = program.address;
      program.origin(WORKER_CODE).label('worker').op('get', m(0), CSR.WSR).op('brnz', m(0), 'end');
      program.op('setzi', m(4), 0x90000);
      clearAccumulators(program);
      for (let phase = 0; phase < 4; phase++)
        program.op('ld64step', INPUT, ZERO, step(m(4)), 1).op(AMP, NONE, INPUT, NONE, phase);
      for (let phase = 0; phase < 4; phase++)
        program.op(AMP, PARTIAL, NONE, NONE, phase).op('st64', PARTIAL, m(13), ZERO, phase);
      program
        .label('end')
        .op(...EXIT)
        .origin(back);
    }),
  ]);
  return readHalves(device, 0, RESULT, 16);
}

describe('result order', () => {
  const x = take(5, 16).map((word) => halfCode((word % 9) - 4));
  const w = take(6, 256).map((word) => halfCode((word % 9) - 4));
  const channel = (c: number) =>
    x.reduce((sum, code, k) => sum + halfValue(code) * halfValue(w[16 * c + k]), 0);

  it('natural loading delivers pairs of both sets in turn', async () => {
    const order = [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15];
    expect((await row(x, w, NATURAL)).map(halfValue)).toEqual(order.map(channel));
  });

  it('permuted loading delivers channels in order', async () => {
    const got = (await row(x, w, COEFFICIENT_ORDER)).map(halfValue);
    expect(got).toEqual(Array.from({ length: 16 }, (_, c) => channel(c)));
  });
});

describe('rounding of results', () => {
  /** Sums of two f16 numbers that lie on, beside and between f16 codes, in every range. */
  const SUMS: readonly (readonly [number, number])[] = [
    [1, 2 ** -11],
    [1, 3 * 2 ** -11],
    [1 + 2 ** -10, 2 ** -11],
    [1, 2 ** -12],
    [2048, 1],
    [65504, 8],
    [65504, 16],
    [65504, 32],
    [65504, 65504],
    [2 ** -14, 2 ** -24],
    [0, 2 ** -24],
    [0.333251953125, 2 ** -20],
    [3, 2 ** -24],
    [0, 0],
    [1000, -1000],
    [65504, 15],
  ];

  it.each(MODES.flatMap((mode) => [[mode, false] as const, [mode, true] as const]))(
    'mode %i, NaN on overflow %s',
    async (mode, nanOnOverflow) => {
      for (const sign of [1, -1]) {
        const x = Array.from({ length: 16 }, () => halfCode(1));
        // Channel c adds its two numbers in different phases.
        const w = SUMS.flatMap(([first, second]) =>
          Array.from({ length: 16 }, (_, k) =>
            halfCode(k === 1 ? sign * first : k === 6 ? sign * second : 0),
          ),
        );
        const got = await row(x, w, COEFFICIENT_ORDER, (mode << 16) | (nanOnOverflow ? 1 << 20 : 0));
        const expected = SUMS.map(([first, second]) => {
          const sum = Math.fround(sign * (first + second));
          // A sum of zeros has the sign of the first zero, which starts at +0.
          return sum === 0 ? 0 : halfCode(sum, mode, nanOnOverflow);
        });
        expect(got).toEqual(expected);
      }
    },
  );

  it('products and sums of a phase are exact before they are rounded to f32', async () => {
    // 2^11 x 2^11 + 1 - 2^11 x 2^11 within a phase: an f32 chain would lose the 1 only beyond 24 bits.
    const x = [2 ** 15, 1, -(2 ** 15), 0, ...Array.from({ length: 12 }, () => 0)].map((value) =>
      halfCode(value),
    );
    const w = Array.from({ length: 16 }, () => [
      2 ** 15,
      1,
      2 ** 15,
      0,
      ...Array.from({ length: 12 }, () => 0),
    ])
      .flat()
      .map((value) => halfCode(value));
    expect(await row(x, w, COEFFICIENT_ORDER)).toEqual(Array.from({ length: 16 }, () => halfCode(1)));
  });

  it('zero times NaN is NaN, infinities travel', async () => {
    const x = Array.from({ length: 16 }, () => 0);
    const w = Array.from({ length: 256 }, (_, index) => (index === 3 * 16 + 5 ? 0x7e00 : 0));
    const got = await row(x, w, COEFFICIENT_ORDER);
    expect(got.map((code) => (code & 0x7fff) > 0x7c00)).toEqual(
      Array.from({ length: 16 }, (_, c) => c === 3),
    );
  });
});

/**
 * The engine has a short way for matrix loops. The same work written as bundles of a repeat, which takes it, and
 * as single instructions, which cannot, must leave the same memory, registers and accumulators.
 */
describe('matrix loops as bundles and as single instructions', () => {
  const IN = 0x90000;
  const OUT = 0xa0000;
  const STRIDE = 0x1000;

  /** Rounds of worker `w`: they differ, so that workers leave the loop one after the other. */
  async function loop(accumulating: boolean, asBundles: boolean, seed: number): Promise<number[]> {
    const noise = take(seed, 2048).map((word) => {
      // Finite halves of moderate size, now and then a special one.
      if (word % 97 === 0) return [0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 0x7bff][word % 6];
      return (word & 0x8000) | (0x2800 + (word % 0x1c00));
    });
    const result = pair(a(4));
    const device = await runTiles([
      tileProgram(0, (program) => {
        loadAndLaunch(program, NATURAL);
        program.data(WEIGHTS, Uint16Array.from(noise.slice(0, 256)));
        const input = Uint16Array.from({ length: (6 * STRIDE) / 2 }, (_, index) => noise[index % 2001]);
        const output = Uint16Array.from({ length: (6 * STRIDE) / 2 }, (_, index) => noise[index % 1999]);
        program.data(IN, input).data(OUT, output);
        const back = program.address;
        program.origin(WORKER_CODE).label('worker').op('get', m(0), CSR.WSR).op('mul', m(1), m(0), STRIDE);
        program.op('setzi', m(4), IN).op('add', m(4), m(4), m(1));
        program.op('setzi', m(5), OUT).op('add', m(5), m(5), m(1)).op('add', m(6), m(5), 0x108);
        program.op('tapack', pair(m(2)), m(4), m(5), m(6)).op('add', m(7), m(0), (seed % 5) - 1);
        clearAccumulators(program);
        for (const register of [INPUT, PARTIAL, result])
          program.op('ld64step', register, ZERO, step(m(4)), 1);
        const phases = [seed % 4, 1, 2, 3];
        const access: HandInstruction = accumulating
          ? ['ld2xst64pace', quad(a(0)), result, TRIPLE, ZERO, 0]
          : ['ldst64pace', INPUT, result, TRIPLE, ZERO, 0];
        const partial = accumulating ? PARTIAL : NONE;
        program.op('max', m(7), m(7), 0).op('add', m(8), m(7), -1);
        if (asBundles) {
          if (program.address % 8 === 0) program.op('nop');
          program.op('rpt', m(7), phases.length - 1);
          for (const phase of phases) program.bundle(access, [AMP, result, INPUT, partial, phase]);
        } else {
          program.op('brneg', m(8), 'done').label('loop');
          for (const phase of phases) {
            program
              .op('or64', pair(a(8)), INPUT, NONE)
              .op('or64', pair(a(10)), partial, NONE)
              .op(...access);
            program.op(AMP, result, pair(a(8)), pair(a(10)), phase);
          }
          program.op('brnzdec', m(8), 'loop').label('done');
        }
        // Everything that the loop changed besides memory: addresses, registers, both chains of both sets.
        program.op('setzi', m(9), RESULT).op('mul', m(1), m(0), 512).op('add', m(9), m(9), m(1));
        program.op('stm32', m(2), m(9), ZERO).op('setzi', m(10), 1).op('stm32', m(3), m(9), m(10));
        program.op('setzi', m(11), 8);
        for (const register of [INPUT, PARTIAL, result] as readonly Operand[])
          program.op('st64step', register, m(9), step(m(11)), 1);
        for (const chain of [0, 1, 2, 3])
          for (let index = 0; index < 4; index++)
            program.op('f32v2gina', PARTIAL, NONE, chain).op('st64step', PARTIAL, m(9), step(m(11)), 1);
        program.op(...EXIT).origin(back);
      }),
    ]);
    return [
      ...readWords(device, 0, OUT, (6 * STRIDE) / 4),
      ...Array.from({ length: 6 }, (_, w) => readWords(device, 0, RESULT + 512 * w, 40)).flat(),
    ];
  }

  it.each([false, true])('accumulating %s', async (accumulating) => {
    for (let seed = 1; seed <= 10; seed++)
      expect(await loop(accumulating, true, seed), `seed ${seed}`).toEqual(
        await loop(accumulating, false, seed),
      );
  });

  it('a loop whose store meets its load in one bank stops where it meets', async () => {
    // Load and store start in different elements; the store reaches the load's element after 4 words.
    const store = 0x74000 - 32;
    const error = await runTiles([
      tileProgram(0, (program) => {
        loadAndLaunch(program, NATURAL).data(WEIGHTS, new Uint16Array(256));
        const back = program.address;
        program.origin(WORKER_CODE).label('worker').op('setzi', m(4), 0x74000).op('setzi', m(6), store);
        program.op('tapack', pair(m(2)), m(4), m(4), m(6)).op('rpt', 10, 0);
        program.bundle(['ldst64pace', INPUT, PARTIAL, TRIPLE, ZERO, 0], [AMP, PARTIAL, INPUT, NONE, 1]);
        program
          .align(8)
          .bundle(['nop'], FNOP)
          .op(...EXIT)
          .origin(back);
      }),
    ]).catch((caught) => caught);
    expect(error.facts).toMatchObject({ exception: 'CONFLICT', detail: '0x74020' });
    expect(error.message).toMatch(/CONFLICT at pc 0x50010/);
  });
});
