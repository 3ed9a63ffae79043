import { describe, expect, it } from 'vitest';
import { compare, decode } from './exact.ts';
import { F16, F32, type Format, isNan, MODES, NEAREST } from './format.ts';
import { classOf, HALF_OPERATIONS, type NumberClass, operations } from './operations.ts';

const HALF_EDGES = [
  0, 1, 2, 0x3ff, 0x400, 0x401, 0x1400, 0x3bff, 0x3c00, 0x3c01, 0x3fff, 0x4000, 0x6400, 0x7bfe, 0x7bff,
  0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff,
].flatMap((code) => [code, code + 0x8000]);
const SINGLE_EDGES = [
  0, 1, 0x7fffff, 0x800000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x33800000, 0x33800001, 0x4b800000,
  0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001,
].flatMap((code) => [code, code + 0x80000000]);

const view = new DataView(new ArrayBuffer(4));
const single = (code: number) => {
  view.setUint32(0, code);
  return view.getFloat32(0);
};
/** Code of the f64 rounded by the host, every NaN alike. */
const wordOf = (value: number) => {
  view.setFloat32(0, value);
  return Number.isNaN(value) ? F32.nan : view.getUint32(0);
};

describe('f32 operations', () => {
  // Sums, products, quotients and roots of f32 rounded to f64 and then to f32 are correctly rounded to nearest even,
  // since f64 has more than twice the digits.
  const ops = operations(F32);
  it.each([
    ['add', (x: number, y: number) => x + y],
    ['sub', (x: number, y: number) => x - y],
    ['mul', (x: number, y: number) => x * y],
    ['div', (x: number, y: number) => x / y],
    ['absadd', (x: number, y: number) => Math.abs(x) + Math.abs(y)],
  ] as const)('%s as the host in nearest even', (name, host) => {
    for (const x of SINGLE_EDGES)
      for (const y of SINGLE_EDGES)
        expect([x, y, ops[name](x, y, NEAREST)]).toEqual([x, y, wordOf(host(single(x), single(y)))]);
  });

  it('sqrt as the host', () => {
    for (let index = 0; index < 5000; index++) {
      const code = (index * 2_654_435_761) % 2 ** 32;
      expect([code, ops.sqrt(code, NEAREST)]).toEqual([code, wordOf(Math.sqrt(single(code)))]);
    }
    expect(ops.sqrt(0x80000000, NEAREST)).toBe(0x80000000);
  });

  it('the sign of an exact zero follows the rounding mode', () => {
    const zeros = MODES.map((mode) => ops.add(0x3f800000, 0xbf800000, { ...NEAREST, mode }));
    expect(zeros).toEqual([0, 0, 0x80000000, 0, 0]);
    expect(ops.add(0x80000000, 0x80000000, NEAREST)).toBe(0x80000000);
    expect(ops.sub(0, 0, { ...NEAREST, mode: 'toward-minus' })).toBe(0x80000000);
  });
});

describe('f16 in machine numbers', () => {
  const exact = operations(F16);
  it.each(['add', 'sub', 'mul', 'absadd'] as const)('%s as in unbounded integers, every mode', (name) => {
    const more = Array.from({ length: 60 }, (_, index) => (index * 40_503 + 977) % 65_536);
    for (const mode of MODES)
      for (const overflow of ['saturate', 'nan'] as const)
        for (const x of [...HALF_EDGES, ...more])
          for (const y of [...HALF_EDGES, ...more]) {
            const control = { mode, overflow };
            const [quick, slow] = [HALF_OPERATIONS[name](x, y, control), exact[name](x, y, control)];
            if (quick !== slow) expect([x, y, control, quick]).toEqual(slow);
          }
  });

  it('overflow saturates, or becomes NaN under NANOO; infinite operands stay', () => {
    expect(HALF_OPERATIONS.add(0x7bff, 0x7bff, NEAREST)).toBe(0x7bff);
    expect(HALF_OPERATIONS.add(0xfbff, 0xfbff, NEAREST)).toBe(0xfbff);
    expect(HALF_OPERATIONS.add(0x7bff, 0x7bff, { ...NEAREST, overflow: 'nan' })).toBe(0x7e00);
    expect(HALF_OPERATIONS.mul(0x7c00, 0xbc00, { ...NEAREST, overflow: 'nan' })).toBe(0xfc00);
    expect(HALF_OPERATIONS.add(0x7c00, 0xfc00, NEAREST)).toBe(0x7e00);
    expect(HALF_OPERATIONS.mul(0x7c00, 0, NEAREST)).toBe(0x7e00);
  });
});

describe.each([
  [F16, HALF_EDGES],
  [F32, SINGLE_EDGES],
] as [Format, number[]][])('$name order', (format, edges) => {
  const ops = operations(format);
  const ones = 2 ** format.bits - 1;
  it('comparisons agree with the exact values', () => {
    for (const x of edges)
      for (const y of edges) {
        const order = compare(decode(x, format), decode(y, format));
        const truths = [
          order === 0,
          order !== 0,
          order === 1,
          order === 0 || order === 1,
          order === -1,
          order === 0 || order === -1,
        ];
        const results = (['cmpeq', 'cmpne', 'cmpgt', 'cmpge', 'cmplt', 'cmple'] as const).map((name) =>
          ops[name](x, y, NEAREST),
        );
        expect([x, y, results]).toEqual([x, y, truths.map((truth) => (truth ? ones : 0))]);
      }
  });

  it('max and min give the operand that bounds the other by value; numbers win over NaN; -0 is below +0', () => {
    for (const x of edges)
      for (const y of edges) {
        const order = compare(decode(x, format), decode(y, format));
        const [largest, least] = [ops.max(x, y, NEAREST), ops.min(x, y, NEAREST)];
        if (order === 1) expect([largest, least]).toEqual([x, y]);
        else if (order === -1) expect([largest, least]).toEqual([y, x]);
        else if (order === undefined) {
          const survivor = isNan(x, format) ? (isNan(y, format) ? format.nan : y) : x;
          expect([largest, least]).toEqual([survivor, survivor]);
        } else expect([largest, least]).toEqual([Math.min(x, y), Math.max(x, y)]);
      }
  });

  it('clamp is the minimum of the maximum', () => {
    const sign = 2 ** (format.bits - 1);
    expect(ops.clamp(sign, 0, edges[2], NEAREST)).toBe(0);
    expect(ops.clamp(format.nan, 1, 2, NEAREST)).toBe(1);
    expect(ops.clamp(3, 1, 2, NEAREST)).toBe(2);
    expect(ops.clamp(3, format.nan, format.nan, NEAREST)).toBe(3);
    expect(ops.clamp(format.nan + 1, format.nan + 1, format.nan + 1, NEAREST)).toBe(format.nan);
    expect(ops.clamp(5, 9, 2, NEAREST)).toBe(2);
  });
});

describe('classes', () => {
  it('each of the ten occurs as often in f16 as its definition says', () => {
    const counts = new Map<NumberClass, number>();
    for (let code = 0; code < 65_536; code++) {
      const name = classOf(code, F16);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({
      '+zero': 1,
      '+subnormal': 1023,
      '+normal': 30_720,
      '+infinity': 1,
      '-zero': 1,
      '-subnormal': 1023,
      '-normal': 30_720,
      '-infinity': 1,
      'quiet NaN': 1024,
      'signalling NaN': 1022,
    });
  });
});
