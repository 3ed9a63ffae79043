import { describe, expect, it } from 'vitest';
import { decodeHalf, encodeHalf } from '../half.ts';
import { sumOfProducts } from './accumulate.ts';
import {
  convert,
  fromInteger,
  halfToSingle,
  scaled,
  singleToHalf,
  symmetricFraction,
  toInteger,
  toIntegral,
} from './conversions.ts';
import { F16, F32, F143, F152, MODES, NEAREST } from './format.ts';

const view = new DataView(new ArrayBuffer(4));
const single = (code: number) => {
  view.setUint32(0, code);
  return view.getFloat32(0);
};
const wordOf = (value: number) => {
  view.setFloat32(0, value);
  return view.getUint32(0);
};
const MODE_NAMES = MODES;

describe('f16 and f32', () => {
  it('every f16 as f32', () => {
    const wrong: number[] = [];
    for (let code = 0; code < 65_536; code++) {
      const value = decodeHalf(code);
      if (halfToSingle(code) !== (Number.isNaN(value) ? F32.nan : wordOf(value))) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });

  it('f32 as f16 agrees with scaling in f64', () => {
    const wrong: number[] = [];
    for (let index = 0; index < 60_000; index++) {
      const code = (((index * 40_503) % 65_536) * 65_536 + ((index * 30_011) % 65_536)) % 2 ** 32;
      const value = single(code);
      const expected = encodeHalf(value, Number.isFinite(value) ? 'saturate' : 'infinity');
      if (singleToHalf(code, NEAREST) !== expected) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });
});

describe('f8', () => {
  it('infinity and NaN become NaN, overflow saturates or becomes NaN, there is no negative zero', () => {
    for (const format of [F143, F152]) {
      expect([0x7c00, 0xfc00, 0x7e00, 0xfd01].map((code) => convert(code, F16, format, NEAREST))).toEqual([
        0x80, 0x80, 0x80, 0x80,
      ]);
      expect([0x7bff, 0xfbff].map((code) => convert(code, F16, format, NEAREST))).toEqual([0x7f, 0xff]);
      expect(convert(0xfbff, F16, format, { ...NEAREST, overflow: 'nan' })).toBe(0x80);
      expect([0x8000, 0x8001].map((code) => convert(code, F16, format, NEAREST))).toEqual([0, 0]);
      expect(convert(0x80, format, F16, NEAREST)).toBe(0x7e00);
    }
  });

  it('a scale is a power of two; the largest of them leave the range of f16', () => {
    expect(scaled(0x08, F143, F16, 7, NEAREST)).toBe(0x3c00);
    expect(scaled(0x7f, F152, F16, 31, NEAREST)).toBe(0x7bff);
    expect(scaled(0x7f, F152, F16, 31, { ...NEAREST, overflow: 'nan' })).toBe(0x7e00);
    expect(scaled(0x01, F143, F16, -32, NEAREST)).toBe(0);
    expect(scaled(0x81, F143, F16, -32, { ...NEAREST, mode: 'toward-minus' })).toBe(0x8001);
    expect(scaled(0x3c00, F16, F143, -7, NEAREST)).toBe(0x08);
  });
});

describe('integers', () => {
  const rounders: Record<(typeof MODES)[number], (x: number) => number> = {
    'nearest-even': (x) => {
      const floor = Math.floor(x);
      const rest = x - floor;
      return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
    },
    'toward-plus': Math.ceil,
    'toward-minus': Math.floor,
    'toward-zero': Math.trunc,
    'nearest-away': (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5),
  };
  const values = [
    0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 3.5, 8388607.5, 8388609, 2147483520, 2147483648, 4294967040, 4294967296,
    1e30,
  ];

  it.each(MODE_NAMES)('f32 to integer and to integral f32, %s', (mode) => {
    for (const value of values.flatMap((magnitude) => [magnitude, -magnitude]).map(Math.fround)) {
      const rounded = rounders[mode](value);
      const clip = (least: number, most: number) => Math.max(least, Math.min(most, rounded)) >>> 0;
      const code = wordOf(value);
      expect(toInteger(code, true, { ...NEAREST, mode })).toBe(clip(-2147483648, 2147483647));
      expect(toInteger(code, false, { ...NEAREST, mode })).toBe(clip(0, 4294967295));
      expect(single(toIntegral(code, mode)) + 0).toBe(rounded + 0);
      expect(toIntegral(code, mode) >>> 31).toBe(code >>> 31);
    }
  });

  it('NaN gives 0, infinity saturates', () => {
    expect([0x7fc00000, 0x7f800000, 0xff800000].map((code) => toInteger(code, true, NEAREST))).toEqual([
      0, 0x7fffffff, 0x80000000,
    ]);
    expect([0xff800001, 0x7f800000, 0xff800000].map((code) => toInteger(code, false, NEAREST))).toEqual([
      0, 0xffffffff, 0,
    ]);
  });

  it('integers to f32 as the host, and toward zero', () => {
    for (const word of [
      0, 1, 0xffffff, 0x1000001, 0x1000003, 0x7fffffff, 0x80000000, 0xffffff7f, 0xffffffff,
    ]) {
      expect(fromInteger(word, true, NEAREST)).toBe(wordOf(word | 0));
      expect(fromInteger(word, false, NEAREST)).toBe(wordOf(word));
    }
    expect(fromInteger(0xffffffff, false, { ...NEAREST, mode: 'toward-zero' })).toBe(0x4f7fffff);
  });

  it('uniform bits become symmetric numbers, never zero, of at least 2^-17', () => {
    let least = 1;
    const wrong: number[] = [];
    for (let word = 0; word < 65_536; word++) {
      const value = decodeHalf(symmetricFraction(word, F16));
      const near = Math.abs(value - ((word + 0.5) / 65_536 - 0.5)) <= 2 ** -13;
      if (!near || decodeHalf(symmetricFraction(65_535 - word, F16)) !== -value) wrong.push(word);
      least = Math.min(least, Math.abs(value));
    }
    expect(wrong).toEqual([]);
    expect(least).toBe(2 ** -17);
    expect(single(symmetricFraction(0x80000000, F32))).toBe(2 ** -33);
  });
});

describe('sums of products', () => {
  it('rounds once: a product that f32 cannot hold decides about the last digit', () => {
    // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24; with 2^25 the tie is broken by a trace.
    const x = wordOf(1 + 2 ** -12);
    const exact = (1 + 2 ** -12) ** 2;
    expect(single(sumOfProducts([[x, x]], F32, NEAREST, wordOf(2 ** 24)))).toBe(
      Math.fround(2 ** 24 + exact + 0),
    );
    expect(sumOfProducts([[x, x]], F32, NEAREST, wordOf(-(1 + 2 ** -11)))).toBe(wordOf(2 ** -24));
  });

  it('adds both f16 products before rounding', () => {
    // 2^24 + 1 + 2^-30 is above the tie 2^24 + 1, by the second product alone.
    const [one, tiny] = [0x3c00, encodeHalf(2 ** -15)];
    const sum = sumOfProducts(
      [
        [one, one],
        [tiny, tiny],
      ],
      F16,
      NEAREST,
      wordOf(2 ** 24),
    );
    expect(single(sum)).toBe(2 ** 24 + 2);
    expect(single(sumOfProducts([[one, one]], F16, NEAREST, wordOf(2 ** 24)))).toBe(2 ** 24);
  });
});
