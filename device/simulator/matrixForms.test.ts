import { describe, expect, it } from 'vitest';
import { a, CSR, csrOperand, m, pair, SYNC, step } from '../ipu21/index.ts';
import type { HandInstruction, HandProgram } from './handProgram.ts';
import { halfCode, halfValue, quarterCode, quarterValue, take } from './testing/numbers.ts';
import { EXIT, runTiles, tileProgram, WORKER_CODE, ZERO } from './testing/run.ts';

const WEIGHTS = 0x80000;
const INPUT = 0x90000;
const PARTIAL = 0xa0000;
const OUTPUT = 0xb0000;

/** Loads 64 coefficient entries, then lets worker 0 run code that finds m2 input, m3 partials, m4 output. */
async function matrix(
  code: (program: HandProgram) => void,
  data: { weights: Uint8Array; input: Uint8Array; partial: Uint8Array },
  registers: Readonly<Record<number, number>> = {},
): Promise<Uint8Array> {
  const device = await runTiles([
    tileProgram(0, (program) => {
      program.data(WEIGHTS, data.weights).data(INPUT, data.input).data(PARTIAL, data.partial);
      for (const [index, value] of Object.entries(registers))
        program.op('setzi', m(0), value).op('put', Number(index), m(0));
      program.op('setzi', m(0), WEIGHTS).op('put', CSR.CCCSLOAD, m(0));
      for (let entry = 0; entry < 64; entry += 2) program.op('ld128putcs', entry);
      program.op('setzi', m(0), 'worker').op('runall', m(0), ZERO, 0).op('sync', SYNC.local);
      const back = program.address;
      program.origin(WORKER_CODE).label('worker').op('get', m(0), CSR.WSR).op('brnz', m(0), 'end');
      program.op('setzi', m(2), INPUT).op('setzi', m(3), PARTIAL).op('setzi', m(4), OUTPUT);
      code(program);
      program.label('end').op(...EXIT);
      program.origin(back);
    }),
  ]);
  return device.readTile(0, OUTPUT, 4096).slice();
}

const bytes = (data: Uint16Array | Float32Array | Uint8Array) =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
const small = (seed: number, count: number) => take(seed, count).map((word) => (word % 15) - 7);
const halves = (numbers: readonly number[]) => bytes(Uint16Array.from(numbers, (value) => halfCode(value)));
const singles = (numbers: readonly number[]) => bytes(Float32Array.from(numbers));
const quarters = (numbers: readonly number[]) =>
  bytes(Uint8Array.from(numbers, (value) => quarterCode(value, 'f143')));

interface Shape {
  readonly mnemonic: string;
  readonly channels: number;
  readonly inner: number;
  readonly phases: number;
  /** Bytes of one input, partial and result per phase. */
  readonly bytes: readonly [input: number, partial: number, result: number];
}

const load = (program: HandProgram, size: number, register: number, pointer: number) =>
  size === 4
    ? program.op('ld32step', a(register), ZERO, step(m(pointer)), 1)
    : program.op('ld64step', pair(a(register)), ZERO, step(m(pointer)), 1);
const group = (size: number, register: number) => (size === 4 ? a(register) : pair(a(register)));

/** Rows of a matrix product: partials one row ahead, results one row behind, discards first [GUESS]. */
function emitRows(program: HandProgram, shape: Shape, rows: number, priming: readonly number[]): void {
  const [inputBytes, partialBytes, resultBytes] = shape.bytes;
  const issue = (phase: number, input: boolean, partial: boolean, keep: boolean, moves: boolean) => {
    if (input) load(program, inputBytes, 0, 2);
    else program.op('zero', pair(a(0)));
    if (partial && moves) load(program, partialBytes, 2, 3);
    else program.op('zero', pair(a(2)));
    program.op(shape.mnemonic, group(resultBytes, 4), group(inputBytes, 0), group(partialBytes, 2), phase);
    if (keep && moves)
      program.op(resultBytes === 4 ? 'st32step' : 'st64step', group(resultBytes, 4), ZERO, step(m(4)), 1);
  };
  // Forms whose chain of a single set moves in even phases only.
  const moves = (phase: number) => shape.mnemonic !== 'f32sisoamp' || phase % 2 === 0;
  for (const phase of priming) issue(phase, false, true, false, moves(phase));
  for (let row = 0; row <= rows; row++) {
    for (let phase = 0; phase < shape.phases; phase++)
      issue(phase, row < rows, row + 1 < rows, row > 0, moves(phase));
  }
}

/** Order in which a row's pairs enter and leave: pair k of each set in turn. */
function physical(channels: number): number[] {
  if (channels === 8) return Array.from({ length: 8 }, (_, channel) => channel);
  const order: number[] = [];
  for (let k = 0; k < 4; k++) order.push(2 * k, 2 * k + 1, 8 + 2 * k, 9 + 2 * k);
  return order;
}

const SHAPES: readonly Shape[] = [
  { mnemonic: 'f16v4hihoamp', channels: 8, inner: 4, phases: 4, bytes: [8, 4, 4] },
  { mnemonic: 'f16v4sisoamp', channels: 8, inner: 4, phases: 4, bytes: [8, 8, 8] },
  { mnemonic: 'f16v4hihov4amp', channels: 16, inner: 4, phases: 4, bytes: [8, 8, 8] },
  { mnemonic: 'f8v8hihov4amp', channels: 16, inner: 8, phases: 4, bytes: [8, 8, 8] },
  { mnemonic: 'f32sisoamp', channels: 8, inner: 1, phases: 8, bytes: [4, 8, 8] },
  { mnemonic: 'f32sisov2amp', channels: 16, inner: 1, phases: 8, bytes: [4, 8, 8] },
];

describe.each(SHAPES)('$mnemonic', (shape) => {
  const { channels, inner, phases } = shape;
  const K = inner * phases;
  const rows = 3;
  const isSingle = shape.mnemonic.startsWith('f32');
  const f8 = shape.mnemonic.startsWith('f8');
  const wideResult = shape.mnemonic.includes('so');
  const pack = isSingle ? singles : f8 ? quarters : halves;
  const x = small(1, rows * K);
  const w = small(2, 16 * K);
  const p = small(3, rows * channels);
  const order = physical(channels);
  const permuted = Array.from({ length: rows }, (_, row) => order.map((c) => p[row * channels + c])).flat();
  const phaseByPhase = Array.from({ length: phases }, (_, phase) => phase);
  const ones = isSingle ? phaseByPhase : [1, 1, 1, 1];

  it.each([
    ['phase by phase', phaseByPhase],
    ['phase 1 four times', ones],
  ])('multiplies and accumulates, partials primed %s', async (_, priming) => {
    const scale = f8 ? 1 : 0;
    const output = await matrix(
      (program) => emitRows(program, shape, rows, priming),
      { weights: pack(w), input: pack(x), partial: (wideResult ? singles : halves)(permuted) },
      f8 ? { [CSR.FP_INFMT]: 3, [CSR.FP_ISCL]: scale } : {},
    );
    const got = wideResult
      ? [...new Float32Array(output.buffer, 0, rows * channels)]
      : [...new Uint16Array(output.buffer, 0, rows * channels)].map(halfValue);
    const expected = Array.from({ length: rows }, (_, row) =>
      order.map((c) => {
        let sum = p[row * channels + c];
        for (let k = 0; k < K; k++) sum += 2 ** scale * x[row * K + k] * w[c * K + k];
        return sum;
      }),
    ).flat();
    expect(got).toEqual(expected);
  });
});

it('coefficients of f8 follow the format and new loads', async () => {
  // 0x38 is 1/2 as F143 (exponent 7 of bias 8) and 1/4 as F152 (exponent 14 of bias 16).
  expect([quarterValue(0x38, 'f143'), quarterValue(0x38, 'f152')]).toEqual([0.5, 0.25]);
  const run = async (format: number) => {
    const output = await matrix(
      (program) => {
        load(program, 8, 0, 2);
        program.op('zero', pair(a(2)));
        // Phase 0 sums, then phase 0 again brings the sums to the outputs.
        program.op('f8v8hihov4amp', pair(a(4)), pair(a(0)), pair(a(2)), 0);
        program.op('zero', pair(a(0)));
        program.op('f8v8hihov4amp', pair(a(4)), pair(a(0)), pair(a(2)), 0);
        program.op('st64step', pair(a(4)), ZERO, step(m(4)), 1);
      },
      {
        weights: new Uint8Array(512).fill(0x38),
        input: new Uint8Array(64).fill(0x38),
        partial: new Uint8Array(64),
      },
      { [CSR.FP_INFMT]: format },
    );
    return halfValue(new Uint16Array(output.buffer)[0]);
  };
  expect(await run(3)).toBe(8 * 0.5 * 0.5);
  expect(await run(0)).toBe(8 * 0.25 * 0.25);
  // Bit 0 is the format of the coefficients, bit 1 of the inputs; the product is the same either way.
  expect(await run(1)).toBe(8 * 0.5 * 0.25);
});

it.each([
  ['f143', 3, 0x40],
  ['f152', 0, 0x40],
] as const)('every %s code has its value inside the matrix unit', async (format, formats, one) => {
  expect(quarterValue(one, format)).toBe(1);
  const weights = new Uint8Array(512);
  for (let channel = 0; channel < 16; channel++) weights[32 * channel] = one;
  const output = await matrix(
    (program) => {
      program.op('zero', pair(a(2))).op('setzi', m(5), 256);
      program.op('setzi', a(6), 8).label('next').op('uput', csrOperand(CSR.FP_CLR), a(6));
      load(program, 8, 0, 2);
      program.op('f8v8hihov4amp', pair(a(4)), pair(a(0)), pair(a(2)), 0).op('zero', pair(a(0)));
      program.op('f8v8hihov4amp', pair(a(4)), pair(a(0)), pair(a(2)), 0);
      program.op('st32step', a(4), ZERO, step(m(4)), 1).op('brnzdec', m(5), 'next');
    },
    {
      weights,
      input: Uint8Array.from({ length: 8 * 257 }, (_, index) => (index % 8 === 0 ? index / 8 : 0)),
      partial: new Uint8Array(8),
    },
    { [CSR.FP_INFMT]: formats },
  );
  const got = [...new Uint16Array(output.buffer, 0, 512)].filter((_, index) => index % 2 === 0);
  expect(got).toEqual(Array.from({ length: 256 }, (_, code) => halfCode(quarterValue(code, format))));
});

describe('slim convolution, window of four', () => {
  const FORMS = [
    ['f16v4hihoslic', 1, false],
    ['f16v4sisoslic', 1, true],
    ['f16v4hihov4slic', 2, false],
    ['f8v8hihov4slic', 2, false],
  ] as const;
  it.each(FORMS)('%s', async (mnemonic, sets, wide) => {
    const steps = 9;
    const f8 = mnemonic.startsWith('f8');
    const inner = f8 ? 8 : 4;
    const x = small(5, steps * inner);
    const w = small(6, 16 * 4 * inner);
    const outputs = 2 * sets;
    const p = small(7, steps * outputs);
    const size = wide || sets === 2 ? 8 : 4;
    const weightSet = 1;
    const output = await matrix(
      (program) => {
        for (let t = 0; t < steps; t++) {
          load(program, 8, 0, 2);
          load(program, size, 2, 3);
          program.op(mnemonic, group(size, 4), pair(a(0)), group(size, 2), weightSet);
          program.op(size === 4 ? 'st32step' : 'st64step', group(size, 4), ZERO, step(m(4)), 1);
        }
      },
      {
        weights: (f8 ? quarters : halves)(w),
        input: (f8 ? quarters : halves)(x),
        partial: (wide ? singles : halves)(p),
      },
      f8 ? { [CSR.FP_INFMT]: 3 } : {},
    );
    const got = wide
      ? [...new Float32Array(output.buffer, 0, steps * outputs)]
      : [...new Uint16Array(output.buffer, 0, steps * outputs)].map(halfValue);
    // Row r of set s meets x(t + 3 - r div 2): rows 6 and 7 first, rows 0 and 1 last.
    const dot = (t: number, channel: number) => {
      let sum = 0;
      for (let i = 0; i < inner; i++)
        sum += x[inner * t + i] * w[4 * inner * channel + inner * weightSet + i];
      return sum;
    };
    for (let t = 0; t + 4 < steps; t++) {
      for (let o = 0; o < outputs; o++) {
        const set = o >> 1;
        let expected = p[t * outputs + o];
        for (let j = 0; j < 4; j++) expected += dot(t + j, 8 * set + 2 * (3 - j) + (o & 1));
        expect([t, o, got[(t + 4) * outputs + o]]).toEqual([t, o, expected]);
      }
    }
  });
});

it('f32sisoslic, window of four, two issues a step', async () => {
  const steps = 9;
  const x = small(8, 2 * steps);
  const w = small(9, 16 * 4 * 2);
  const p = small(10, 2 * steps);
  const weightSet = 1;
  const output = await matrix(
    (program) => {
      for (let t = 0; t < steps; t++) {
        load(program, 8, 0, 2);
        load(program, 8, 2, 3);
        program.op('f32sisoslic', group(8, 4), a(0), group(8, 2), 2 * weightSet);
        program.op('st64step', group(8, 4), ZERO, step(m(4)), 1);
        program.op('f32sisoslic', group(8, 4), a(1), pair(a(14)), 2 * weightSet + 1);
      }
    },
    { weights: singles(w), input: singles(x), partial: singles(p) },
  );
  const got = new Float32Array(output.buffer, 0, 2 * steps);
  const dot = (t: number, channel: number) =>
    x[2 * t] * w[8 * channel + 2 * weightSet] + x[2 * t + 1] * w[8 * channel + 2 * weightSet + 1];
  for (let t = 0; t + 4 < steps; t++)
    for (const o of [0, 1]) {
      let expected = p[2 * t + o];
      for (let j = 0; j < 4; j++) expected += dot(t + j, 2 * (3 - j) + o);
      expect([t, o, got[2 * (t + 4) + o]]).toEqual([t, o, expected]);
    }
});

it('flags without known behaviour and forms without a description are refused by name', async () => {
  const none = { weights: new Uint8Array(512), input: new Uint8Array(8), partial: new Uint8Array(8) };
  const refused: [HandInstruction, RegExp][] = [
    [['f16v4hihov4amp', pair(a(4)), pair(a(0)), pair(a(2)), 8], /not modelled \(f16v4hihov4amp\)/],
    [['f32sisoslic', pair(a(4)), a(0), pair(a(2)), 4], /not modelled \(f32sisoslic\)/],
  ];
  for (const [instruction, message] of refused)
    await expect(matrix((program) => program.op(...instruction), none)).rejects.toThrow(message);
});

it('loads through pointers and deltas', async () => {
  const output = await matrix(
    (program) => {
      const result = (register: number) => program.op('st32step', a(register), ZERO, step(m(4)), 1);
      // Deltas 8 and 12 at the pointer; the delta register starts at 4.
      program.op('setzi', m(5), PARTIAL).op('setzi', m(6), 4);
      program.op('ldd16a32', a(0), { ...m(5), mark: '++' }, m(2), { ...m(6), mark: '@' });
      program.op('ldd16a32', a(1), { ...m(5), mark: '++' }, m(2), { ...m(6), mark: '@' });
      program.op('ldd16b16', a(2), { ...m(5), mark: '++' }, m(2), { ...m(6), mark: '@' });
      for (const register of [0, 1, 2]) result(register);
      program.op('setzi', m(5), PARTIAL).op('setzi', m(6), 16);
      program.op('ld64a32', { ...a(4), span: 4 }, { ...m(5), mark: '++' }, m(2), m(6));
      for (const register of [5, 6, 7]) result(register);
    },
    {
      weights: new Uint8Array(512),
      input: bytes(Uint8Array.from({ length: 64 }, (_, index) => index)),
      partial: bytes(Uint16Array.of(8, 12, 20, 24)),
    },
  );
  const word = (at: number) => (at | ((at + 1) << 8) | ((at + 2) << 16) | ((at + 3) << 24)) >>> 0;
  expect([...new Uint32Array(output.buffer, 0, 6)]).toEqual([
    word(4),
    word(8),
    0x0d0c0d0c,
    word(16),
    (8 | (12 << 16)) >>> 0,
    (20 | (24 << 16)) >>> 0,
  ]);
});

it('double loads through deltas', async () => {
  const output = await matrix(
    (program) => {
      const keep = (register: number) => program.op('st32step', a(register), ZERO, step(m(4)), 1);
      program.op('setzi', m(5), PARTIAL).op('setzi', m(6), 8);
      program.op('ldd16a64', pair(a(0)), { ...m(5), mark: '++' }, m(2), { ...m(6), mark: '@' });
      program.op('ldd16a64', pair(a(2)), { ...m(5), mark: '++' }, m(2), { ...m(6), mark: '@' });
      for (const register of [0, 1, 2, 3]) keep(register);
      // Two deltas at a time; the upper half of the old register is the offset.
      program.op('setzi', m(6), 20).op('shl', m(6), m(6), 16);
      program.op('ldd16v2a32', a(0), { ...m(5), mark: '++' }, m(2), { ...m(6), mark: '@' });
      program.op('ldd16v2a32', a(1), { ...m(5), mark: '++' }, m(2), { ...m(6), mark: '@' });
      for (const register of [0, 1]) keep(register);
      // Bases differ by an element: low delta 2, high delta 0x4006; steps 2 and 4 for the high one.
      program.op('setzi', m(6), 0x4006).op('shl', m(6), m(6), 16).op('or', m(6), m(6), 2);
      program.op('setzi', m(7), 0x42).op('setzi', m(8), 0x60000).op('setzi', m(9), 0x0d0c0);
      program.op('st32', m(9), m(8), ZERO, 0).op('setzi', m(9), 0x64004).op('st32', m(9), m(9), ZERO, 0);
      program.op('st32', m(9), m(9), ZERO, 1);
      for (let time = 0; time < 2; time++) {
        program.op('ldb16b16', pair(a(0)), m(8), { ...m(6), mark: '++' }, { ...m(7), mark: '>>' });
        for (const register of [0, 1]) keep(register);
      }
      program.op('st32', m(6), m(4), ZERO, 0).op('st32', m(7), m(4), ZERO, 1);
    },
    {
      weights: new Uint8Array(512),
      input: bytes(Uint8Array.from({ length: 64 }, (_, index) => index)),
      partial: bytes(Uint16Array.of(16, 24, 0, 40, 0, 4)),
    },
  );
  const word = (at: number) => (at | ((at + 1) << 8) | ((at + 2) << 16) | ((at + 3) << 24)) >>> 0;
  expect([...new Uint32Array(output.buffer, 0, 12)]).toEqual([
    ...[word(8), word(12), word(16), word(20)],
    ...[word(20), word(40)],
    // 0x60002 holds the upper half of the stored word, 0x64006 the upper half of its own address word.
    ...[0, 0x00060006],
    // 0x60004 was never written, 0x64008 holds the lower half of the same word.
    ...[0x7ef17ef1, 0x40044004],
    ...[0x400c0006, 0],
  ]);
});
