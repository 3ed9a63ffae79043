import { describe, expect, it } from 'vitest';
import { a, broadcast, broadcastLower, broadcastUpper, CSR, m, pair, quad, step } from '../ipu21/index.ts';
import type { HandInstruction } from './handProgram.ts';
import { runAux } from './testing/auxiliary.ts';
import { halfCode, halfValue, singleCode, singleValue, take } from './testing/numbers.ts';
import { workerResults } from './testing/run.ts';

const finite = (seed: number, count: number) => take(seed, count).map((word) => (word & 0x3fff3fff) >>> 0);
const OPERATIONS = ['add', 'sub', 'mul', 'max', 'min', 'absadd', 'absmax'];
const RELATIONS = ['cmpeq', 'cmpne', 'cmpgt', 'cmpge', 'cmplt', 'cmple'];

describe('forms of several elements do to each what the single form does', () => {
  it.each([...OPERATIONS, ...RELATIONS])('f32v2%s', async (name) => {
    const pairs = Array.from({ length: 20 }, (_, index) => finite(index + 50, 4));
    const broadcasts = ['add', 'sub', 'mul', ...RELATIONS].includes(name);
    const wide: HandInstruction[] = [[`f32v2${name}`, pair(a(4)), pair(a(0)), pair(a(2))]];
    if (broadcasts) wide.push([`f32v2${name}`, pair(a(6)), broadcast(a(1)), pair(a(2))]);
    const single: HandInstruction[] = [
      [`f32${name}`, a(4), a(0), a(2)],
      [`f32${name}`, a(5), a(1), a(3)],
      [`f32${name}`, a(6), a(1), a(2)],
      [`f32${name}`, a(7), a(1), a(3)],
    ];
    const got = await runAux(pairs.map((before) => ({ code: wide, before })));
    const expected = await runAux(pairs.map((before) => ({ code: single, before })));
    const count = broadcasts ? 8 : 6;
    expect(got.map(({ after }) => after.slice(4, count))).toEqual(
      expected.map(({ after }) => after.slice(4, count)),
    );
  });

  it.each([...OPERATIONS, ...RELATIONS])('f16v4%s', async (name) => {
    const pairs = Array.from({ length: 20 }, (_, index) => take(index + 90, 4));
    const wide: HandInstruction[] = [[`f16v4${name}`, pair(a(4)), pair(a(0)), pair(a(2))]];
    const narrow: HandInstruction[] = [
      [`f16v2${name}`, a(4), a(0), a(2)],
      [`f16v2${name}`, a(5), a(1), a(3)],
    ];
    const got = await runAux(pairs.map((before) => ({ code: wide, before })));
    const expected = await runAux(pairs.map((before) => ({ code: narrow, before })));
    expect(got.map(({ after }) => after.slice(4, 6))).toEqual(expected.map(({ after }) => after.slice(4, 6)));
  });

  it.each(['add', 'sub', 'mul', ...RELATIONS])('f16v2%s broadcasts one element', async (name) => {
    const before = take(131, 2);
    const [low, high] = [before[0] & 0xffff, before[0] >>> 16].map((code) => (code | (code << 16)) >>> 0);
    const [got] = await runAux([
      {
        code: [
          [`f16v2${name}`, a(2), broadcastLower(a(0)), a(1)],
          [`f16v2${name}`, a(3), broadcastUpper(a(0)), a(1)],
        ],
        before,
      },
    ]);
    const [expected] = await runAux([
      {
        code: [
          [`f16v2${name}`, a(2), a(4), a(1)],
          [`f16v2${name}`, a(3), a(5), a(1)],
        ],
        before: [...before, 0, 0, low, high],
      },
    ]);
    expect(got.after.slice(2, 4)).toEqual(expected.after.slice(2, 4));
  });

  it('conversions, fractions, classes', async () => {
    const before = finite(3, 4).map((word) => (word % 0x1000) * 0x8000 + 0x3c000000);
    const [wide, narrow] = await runAux([
      {
        code: [
          ['f32v4tof16', pair(a(4)), quad(a(0))],
          ['f32v2tof16', a(6), pair(a(0))],
          ['f32v2class', a(7), pair(a(0))],
        ],
        before,
      },
      { code: [0, 1, 2, 3].map((i): HandInstruction => ['f32tof16', a(4 + i), a(i)]), before },
    ]);
    const codes = narrow.after.slice(4).map((code) => code & 0xffff);
    const joined = (low: number, high: number) => (low | (high << 16)) >>> 0;
    expect(wide.after.slice(4, 7)).toEqual([
      joined(codes[0], codes[1]),
      joined(codes[2], codes[3]),
      joined(codes[0], codes[1]),
    ]);
    expect(wide.after[7]).toBe(0x0909);
    const random = take(77, 2);
    const [fractions, each] = await runAux([
      {
        code: [
          ['f16v4sufromui', pair(a(2)), pair(a(0))],
          ['f32v2sufromui', pair(a(4)), pair(a(0))],
        ],
        before: random,
      },
      {
        code: [
          ['f16v2sufromui', a(2), a(0)],
          ['f16v2sufromui', a(3), a(1)],
          ['f32sufromui', a(4), a(0)],
          ['f32sufromui', a(5), a(1)],
        ],
        before: random,
      },
    ]);
    expect(fractions.after.slice(2, 6)).toEqual(each.after.slice(2, 6));
    const registers = { [CSR.FP_NFMT]: 1 };
    const [four, two] = await runAux([
      { code: [['f8v4tof16', pair(a(2)), a(0)]], before: [0x12345678], registers },
      { code: [['f8v2tof16', a(2), a(0)]], before: [0x12345678], registers },
    ]);
    expect(two.after[2]).toBe(four.after[2]);
  });
});

it('accumulators of four elements, and reading them as f16', async () => {
  const singles = [1.5, -2, 3, -4].map(singleCode);
  const halves = [1.5, -2, 3, -4].map((value) => halfCode(value));
  const halfWords = [(halves[0] | (halves[1] << 16)) >>> 0, (halves[2] | (halves[3] << 16)) >>> 0];
  const gacc: HandInstruction = ['f16v4gacc', pair(a(4))];
  const results = await runAux([
    { code: [['f32v4acc', quad(a(0))], gacc], before: singles },
    { code: [['f32v4absacc', quad(a(0))], gacc], before: singles },
    { code: [['f32v4sqacc', quad(a(0))], gacc], before: singles },
    { code: [['f16v4acc', pair(a(0))], gacc], before: halfWords },
    { code: [['f16v4absacc', pair(a(0))], gacc], before: halfWords },
    {
      code: [
        ['f32v4acc', quad(a(0))],
        ['f16v2gina', a(4), a(15), 0],
        ['f16v2gina', a(5), a(15), 0],
      ],
      before: singles,
    },
  ]);
  const values = results.map(({ after }) =>
    after.slice(4, 6).flatMap((word) => [word & 0xffff, word >>> 16].map(halfValue)),
  );
  const plain = [1.5, -2, 3, -4];
  const magnitudes = [1.5, 2, 3, 4];
  expect(values).toEqual([plain, magnitudes, [2.25, 4, 9, 16], plain, magnitudes, plain]);
});

it('gina inserts at the top of the chain it reads', async () => {
  const insert = (value: number, chain: number): HandInstruction[] => [
    ['f32v2gina', pair(a(14)), pair(a(value)), chain],
  ];
  const out = (target: number, chain: number): HandInstruction => [
    'f32v2gina',
    pair(a(target)),
    pair(a(14)),
    chain,
  ];
  const before = [1, 2, 3, 4].map(singleCode);
  for (const chain of [0, 1, 2, 3]) {
    const [{ after }] = await runAux([
      {
        code: [
          ...insert(0, chain),
          ...insert(2, chain),
          out(4, chain),
          out(4, chain),
          out(4, chain),
          out(6, chain),
        ],
        before,
      },
    ]);
    // Four pairs deep: what entered first leaves after four more issues.
    expect([after[4], after[5], after[6], after[7]].map(singleValue)).toEqual([1, 2, 3, 4]);
  }
});

it('bitwise instructions of pairs', async () => {
  const before = take(9, 4);
  const [x, y] = await runAux([
    {
      code: [
        ['and64', pair(a(4)), pair(a(0)), pair(a(2))],
        ['andc64', pair(a(6)), pair(a(0)), pair(a(2))],
      ],
      before,
    },
    {
      code: [
        ['not64', pair(a(4)), pair(a(0))],
        ['roll32', pair(a(6)), pair(a(0)), pair(a(2))],
      ],
      before,
    },
  ]);
  const [z] = await runAux([
    {
      code: [
        ['sort4x32lo', pair(a(4)), pair(a(0)), pair(a(2))],
        ['sort4x32hi', pair(a(6)), pair(a(0)), pair(a(2))],
      ],
      before,
    },
  ]);
  const [p, q, r, s] = before;
  expect(x.after.slice(4)).toEqual([p & r, q & s, p & ~r, q & ~s].map((word) => word >>> 0));
  expect(y.after.slice(4)).toEqual([~p >>> 0, ~q >>> 0, q, r]);
  expect(z.after.slice(4)).toEqual([p, r, q, s]);
});

it('two random halves of one draw decide about two f32', async () => {
  const one = singleCode(1);
  const run = (chance: number) =>
    runAux(
      Array.from({ length: 100 }, (_, index) => ({
        // Seeds that are close give draws that are close; programs discard the first 15.
        code: [
          ...Array.from({ length: 15 }, (): HandInstruction => ['urand64', pair(a(14))]),
          ['f32v2rmask', pair(a(4)), pair(a(0)), a(2)],
        ] as HandInstruction[],
        before: [one, one, chance],
        registers: { [CSR.PRNG_SEED]: 101 * index + 7 },
      })),
    );
  const kept = (results: Awaited<ReturnType<typeof run>>) =>
    results.flatMap(({ after }) => after.slice(4, 6)).filter((code) => code === one).length;
  expect(kept(await run(0x10000))).toBe(200);
  expect(kept(await run(0))).toBe(0);
  const half = kept(await run(0x8000));
  expect(half).toBeGreaterThan(70);
  expect(half).toBeLessThan(130);
});

it('stepping loads of every width, and paced loads with a narrow partner', async () => {
  const data = Uint32Array.from({ length: 64 }, (_, index) => (0x01020304 * (index + 1)) >>> 0);
  const at = (offset: number) => new DataView(data.buffer).getUint8(offset);
  const half = (offset: number) => at(offset) | (at(offset + 1) << 8);
  const whole = (offset: number) => (half(offset) | (half(offset + 2) << 16)) >>> 0;
  const { words } = await workerResults((program) => {
    const keep = (register: ReturnType<typeof m>) => program.op('st32step', register, m(13), step(m(6)), 1);
    program.op('setzi', m(6), 0).op('setzi', m(1), 6);
    program.op('ldz16step', m(2), m(12), step(m(1)), 3);
    keep(m(2));
    program.op('lds16step', m(2), m(12), step(m(1)), 1);
    keep(m(2));
    program.op('ldz8step', m(2), m(12), step(m(1)), 1);
    keep(m(2));
    program.op('lds8step', m(2), m(12), step(m(1)), -1);
    keep(m(2));
    keep(m(1));
    program.op('ldb16step', a(0), m(12), step(m(1)), 1);
    keep(a(0));
    program.op('ldb8step', a(0), m(12), step(m(1)), 1);
    keep(a(0));
    program.op('setzi', m(1), 16).op('setzi', m(2), 2).op('stm32', m(2), m(13), m(6));
    // Address 1 lies in another element: 32-bit partner, then broadcast half.
    program.op('add', m(2), m(12), 32).op('setzi', m(3), 0x90000).op('st32', m(1), m(3), m(15), 0);
    program.op('tapack', pair(m(4)), m(2), m(3), m(3));
    program.op('ld64a32pace', pair(a(0)), a(2), step(pair(m(4))), m(15), 0b0100);
    for (const register of [0, 1, 2]) keep(a(register));
    program.op('ld64b16pace', pair(a(0)), a(2), step(pair(m(4))), m(15), 0b0100);
    for (const register of [0, 1, 2]) keep(a(register));
    program.op('exitz', m(15));
  }, data);
  const signed = (code: number, bits: number) => ((code << (32 - bits)) >> (32 - bits)) >>> 0;
  for (const result of words) {
    expect(result.slice(0, 13)).toEqual([
      half(6),
      signed(half(12), 16),
      at(14),
      signed(at(15), 8),
      14,
      half(14) * 0x10001,
      at(16) * 0x01010101,
      whole(32),
      whole(36),
      16,
      whole(40),
      whole(44),
      16 * 0x10001,
    ]);
  }
});
