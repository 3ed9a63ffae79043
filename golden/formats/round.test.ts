import { describe, expect, it } from 'vitest';
import { decode, type Exact, type Finite, finite } from './exact.ts';
import { type Control, F16, F32, F143, F152, type Format, MODES, type Mode } from './format.ts';
import { encode, neighbours } from './round.ts';
import { encodeSmall } from './small.ts';

const FORMATS = [F32, F16, F143, F152];

/** Value in units of 2^-360, below every exponent of these tests. */
const FLOOR = -360;
function units(value: Exact): bigint {
  if (value.kind !== 'finite') throw new RangeError('no number');
  const magnitude = value.significand << BigInt(value.exponent - FLOOR);
  return value.negative ? -magnitude : magnitude;
}

/** Non-negative numbers of a format in order, and the one that would follow; f32 would be too many. */
function grid(format: Format): bigint[] {
  const numbers = Array.from({ length: format.beyond }, (_, code) => units(decode(code, format)));
  return [...numbers, 2n * numbers[numbers.length - 1] - numbers[numbers.length - 2]];
}

/** Rounding by looking among all numbers: the greatest below and the least above decide. */
function byDefinition(value: Finite, all: readonly bigint[], format: Format, mode: Mode): number | 'beyond' {
  const target = units(value) < 0n ? -units(value) : units(value);
  if (target > all[all.length - 1]) return 'beyond';
  let [lower, upper] = [-1, all.length - 1];
  while (upper - lower > 1) {
    const middle = (lower + upper) >> 1;
    if (all[middle] < target) lower = middle;
    else upper = middle;
  }
  if (all[upper] === target) lower = upper;
  const [below, above] = [target - all[lower], all[upper] - target];
  const nearest = below < above ? lower : below > above ? upper : undefined;
  const chosen = {
    'nearest-even': nearest ?? (lower % 2 === 0 ? lower : upper),
    'nearest-away': nearest ?? upper,
    'toward-zero': lower,
    'toward-plus': value.negative ? lower : upper,
    'toward-minus': value.negative ? upper : lower,
  }[mode];
  if (chosen === all.length - 1) return 'beyond';
  const negative = value.negative && (chosen > 0 || format.family === 'ieee');
  return chosen + (negative ? format.sign : 0);
}

/** Values at, between and just beside the numbers of a format, and some far away. */
function* probes(format: Format, step: number): Generator<Finite> {
  for (const negative of [false, true]) {
    for (let code = 0; code < format.beyond; code += step) {
      const value = decode(code, format);
      if (value.kind !== 'finite') continue;
      for (const eighths of [0n, 1n, 3n, 4n, 5n, 7n])
        yield finite(negative, value.significand * 8n + eighths, value.exponent - 3);
      // A trace above the number and above the midpoint.
      yield finite(negative, (value.significand << 20n) + 1n, value.exponent - 20);
      yield finite(negative, (value.significand << 20n) + (1n << 19n) + 1n, value.exponent - 20);
    }
    for (const exponent of [-300, -30, -20, 20, 40, 200]) yield finite(negative, 0x1235n, exponent);
  }
}

describe('rounding', () => {
  it.each([
    [F143, 1],
    [F152, 1],
    [F16, 97],
  ] as const)('$name: the neighbour that the mode names among all numbers', (format, step) => {
    const numbers = grid(format);
    const wrong: unknown[] = [];
    for (const mode of MODES)
      for (const value of probes(format, step)) {
        const expected = byDefinition(value, numbers, format, mode);
        const limit = format.beyond - 1 + (value.negative ? format.sign : 0);
        for (const overflow of ['saturate', 'nan'] as const) {
          const wanted = expected === 'beyond' ? (overflow === 'nan' ? format.nan : limit) : expected;
          const code = encode(value, format, { mode, overflow });
          if (code !== wanted) wrong.push({ mode, value, code, wanted });
        }
      }
    expect(wrong).toEqual([]);
  });

  it('f32 as the host rounds f64 to f32, nearest even, infinity on overflow', () => {
    const view = new DataView(new ArrayBuffer(4));
    const wrong: number[] = [];
    for (let index = 0; index < 40_000; index++) {
      const significand = (index * 2_654_435_761) % 2 ** 32;
      const shift = index % 29;
      const exponent = (index % 330) - 210;
      const value = (significand + shift / 32) * 2 ** exponent;
      view.setFloat32(0, value);
      const exact = finite(false, BigInt(significand) * 32n + BigInt(shift), exponent - 5);
      const code = encode(exact, F32, { mode: 'nearest-even', overflow: 'nan' });
      if (code !== view.getUint32(0)) wrong.push(value);
    }
    expect(wrong).toEqual([]);
  });

  it('f32 overflow in directed modes stops at the greatest number where the mode points back', () => {
    const huge = (negative: boolean) => finite(negative, 1n, 128);
    const codes = (mode: Mode) =>
      [false, true].map((negative) => encode(huge(negative), F32, { mode, overflow: 'nan' }));
    expect(codes('nearest-even')).toEqual([0x7f800000, 0xff800000]);
    expect(codes('nearest-away')).toEqual([0x7f800000, 0xff800000]);
    expect(codes('toward-zero')).toEqual([0x7f7fffff, 0xff7fffff]);
    expect(codes('toward-plus')).toEqual([0x7f800000, 0xff7fffff]);
    expect(codes('toward-minus')).toEqual([0x7f7fffff, 0xff800000]);
  });

  it.each(FORMATS)('$name: every number decodes and encodes to its own code', (format) => {
    const step = format === F32 ? 65_521 : 1;
    const wrong: number[] = [];
    for (let code = 0; code < 2 ** format.bits; code += step) {
      const value = decode(code, format);
      if (value.kind === 'nan') continue;
      for (const mode of MODES)
        if (encode(value, format, { mode, overflow: 'nan' }) !== code) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });

  it('f8 codes have the documented extremes', () => {
    const value = (code: number, format: Format) =>
      Number(units(decode(code, format)) >> BigInt(-FLOOR - 20)) / 2 ** 20;
    expect([0x7f, 0xff, 0x08, 0x01].map((code) => value(code, F143))).toEqual([240, -240, 2 ** -7, 2 ** -10]);
    expect([0x7f, 0xff, 0x04, 0x01].map((code) => value(code, F152))).toEqual([
      57344,
      -57344,
      2 ** -15,
      2 ** -17,
    ]);
    expect([0x80].map((code) => decode(code, F143).kind)).toEqual(['nan']);
  });

  it('machine numbers give the codes of unbounded integers', () => {
    const significands = [
      0,
      1,
      2,
      3,
      2047,
      2048,
      2049,
      4095,
      0x1fffff,
      0xffffff,
      0x1000001,
      2 ** 41 - 1,
      2 ** 52 + 1,
    ];
    for (const format of FORMATS)
      for (const mode of MODES)
        for (const overflow of ['saturate', 'nan'] as const)
          for (const negative of [false, true])
            for (const significand of significands)
              for (let exponent = -200; exponent < 140; exponent += 3) {
                const control: Control = { mode, overflow };
                const exact = encode(finite(negative, BigInt(significand), exponent), format, control);
                const quick = encodeSmall(negative, significand, exponent, format, control);
                if (quick !== exact) expect([format.name, mode, significand, exponent, quick]).toEqual(exact);
              }
  });
});

describe('stochastic rounding', () => {
  it('offers the numbers on both sides with the chance of their distances', () => {
    const control: Control = { mode: 'nearest-even', overflow: 'saturate' };
    // 1 + 3/8 of the distance to the next f16.
    expect(neighbours(finite(false, 8n * 1024n + 3n, -13), F16, control)).toEqual({
      lower: 0x3c00,
      upper: 0x3c01,
      chance: 3 / 8,
    });
    expect(neighbours(finite(true, 1n, -26), F16, control)).toEqual({
      lower: 0x8000,
      upper: 0x8001,
      chance: 1 / 4,
    });
    expect(neighbours(finite(true, 1n, 0), F16, control)).toEqual({
      lower: 0xbc00,
      upper: 0xbc00,
      chance: 0,
    });
    expect(neighbours(finite(false, 65_519n, 0), F16, { ...control, overflow: 'nan' })).toMatchObject({
      lower: 0x7bff,
      upper: 0x7e00,
    });
  });
});
