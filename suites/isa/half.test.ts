import { describe, expect, it } from 'vitest';
import { a, CSR, pair, quad } from '../../device/ipu21/index.ts';
import { F143_VALUES } from '../../golden/f8.ts';
import {
  HALF_ARITHMETIC,
  HALF_RELATIONS,
  halfResult,
  halfValue,
  isExtreme,
  type Overflow,
} from '../../golden/formats/half-operations.ts';
import { F143, F152, MODES, type RoundingMode, roundUnbounded } from '../../golden/formats/rounding.ts';
import { deriveSeed } from '../../harness/case/index.ts';
import { wordStream } from '../../harness/fill/index.ts';
import { halvesOf, packHalves, STREAM_WORDS, type StreamCode, stream } from './stream.ts';

/** `ISA_PROOF=full` takes every row of the lattice; otherwise one row in 128. */
const FULL = process.env.ISA_PROOF === 'full';
const NANOO = 1 << 20;
const ALL = Uint16Array.from({ length: 65_536 }, (_, code) => code);

/** 4,096 patterns: every exponent with the fractions where rounding and carries change, both signs. */
const LATTICE: readonly number[] = (() => {
  const fractions = [0, 1, 2, 3, 0x1ff, 0x200, 0x201, 0x3fe, 0x3ff];
  const codes = new Set<number>();
  for (let exponent = 0; exponent < 32; exponent++)
    for (const fraction of fractions)
      for (const sign of [0, 0x8000]) codes.add(sign | (exponent << 10) | fraction);
  const words = wordStream(deriveSeed('isa/half', 'lattice'));
  for (let at = 0; codes.size < 4096; at++) codes.add(words(at) & 0xffff);
  return [...codes].sort((x, y) => x - y);
})();

/** Operand pairs: each chosen lattice row against the whole lattice, then random pairs. */
function* pairs(name: string): Generator<{ x: Uint16Array; y: Uint16Array }> {
  const rows = LATTICE.filter((_, index) => FULL || index % 128 === name.length % 128);
  const random = FULL ? 1_000_000 : 40_000;
  const words = wordStream(deriveSeed(`isa/${name}`, 'pairs'));
  const limit = 2 * STREAM_WORDS - 8;
  let x: number[] = [];
  let y: number[] = [];
  const flush = function* () {
    if (x.length > 0) yield { x: Uint16Array.from(x), y: Uint16Array.from(y) };
    [x, y] = [[], []];
  };
  for (const row of rows) {
    if (x.length + LATTICE.length > limit) yield* flush();
    for (const column of LATTICE) {
      x.push(row);
      y.push(column);
    }
  }
  for (let at = 0; at < random; at++) {
    if (x.length + 4 > limit && x.length % 4 === 0) yield* flush();
    const word = words(at);
    x.push(word & 0xffff);
    y.push(word >>> 16);
  }
  yield* flush();
}

const binary = (mnemonic: string, control: number): StreamCode => ({
  body: [[`f16v4${mnemonic}`, pair(a(0)), pair(a(0)), pair(a(4))]],
  inWords: 2,
  outWords: 2,
  out: 0,
  control,
});

const hex = (code: number) => `0x${code.toString(16).padStart(4, '0')}`;
const sameHalf = (left: number, right: number) =>
  left === right || (Number.isNaN(halfValue(left)) && Number.isNaN(halfValue(right)));

/** The first few pairs for which `holds` says no. */
async function counterexamples(
  name: string,
  control: number,
  holds: (result: number, x: number, y: number) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { x, y } of pairs(name)) {
    const result = halvesOf(await stream(binary(name, control), packHalves(x), packHalves(y)));
    for (let at = 0; at < x.length && wrong.length < 5; at++)
      if (!holds(result[at], x[at], y[at]))
        wrong.push(`${hex(x[at])} ${name} ${hex(y[at])} = ${hex(result[at])}`);
  }
  return wrong;
}

const arithmetic =
  (
    name: string,
    mode: RoundingMode,
    overflow: Overflow,
    plant: (code: number, x: number, y: number) => number = (code) => code,
  ) =>
  (result: number, x: number, y: number): boolean =>
    sameHalf(
      plant(result, x, y),
      halfResult(HALF_ARITHMETIC[name](halfValue(x), halfValue(y)), mode, overflow),
    );

describe('f16 arithmetic against its definition, lattice of 4,096 edges and random pairs', () => {
  for (const name of Object.keys(HALF_ARITHMETIC)) {
    it.each(MODES.map((mode, number) => [mode, number] as const))(
      `${name}, %s`,
      async (mode, number) => {
        const overflow = number % 2 === 0 ? 'saturate' : 'nan';
        const control = (number << 16) | (overflow === 'nan' ? NANOO : 0);
        expect(await counterexamples(name, control, arithmetic(name, mode, overflow))).toEqual([]);
      },
      600_000,
    );
  }

  it.each(Object.entries(HALF_RELATIONS))(
    '%s',
    async (name, relation) => {
      const holds = (result: number, x: number, y: number) =>
        result === (relation(halfValue(x), halfValue(y)) ? 0xffff : 0);
      expect(await counterexamples(name, 0, holds)).toEqual([]);
    },
    600_000,
  );

  it.each(['max', 'min'])(
    '%s',
    async (name) => {
      const holds = (result: number, x: number, y: number) => isExtreme(result, x, y, name === 'max');
      expect(await counterexamples(name, 0, holds)).toEqual([]);
    },
    600_000,
  );

  it('absmax', async () => {
    const holds = (result: number, x: number, y: number) => isExtreme(result, x & 0x7fff, y & 0x7fff, true);
    expect(await counterexamples('absmax', 0, holds)).toEqual([]);
  }, 600_000);
});

describe('f16 conversions, all patterns', () => {
  it('f16v2tof32', async () => {
    const code: StreamCode = { body: [['f16v2tof32', pair(a(2)), a(0)]], inWords: 1, outWords: 2, out: 2 };
    for (const from of [0, 0x8000]) {
      const codes = ALL.subarray(from, from + 0x8000);
      const floats = new Float32Array((await stream(code, packHalves(codes))).slice().buffer);
      const wrong = [...codes].filter((half, at) => !Object.is(floats[at], halfValue(half)));
      expect(wrong.map(hex)).toEqual([]);
    }
  });

  it.each(MODES.map((mode, number) => [mode, number] as const))(
    'f32v2tof16, %s: around every f16 and its midpoints',
    async (mode, number) => {
      const bits = new Uint32Array(1);
      const float = new Float32Array(bits.buffer);
      const floats: number[] = [];
      const words: number[] = [];
      const put = (value: number) => {
        float[0] = value;
        for (const near of [-1, 0, 1]) {
          const word = (bits[0] + near) >>> 0;
          words.push(word);
          const view = new DataView(new ArrayBuffer(4));
          view.setUint32(0, word);
          floats.push(view.getFloat32(0));
        }
      };
      for (const code of LATTICE) {
        const [value, next] = [halfValue(code), halfValue(code + 1)];
        if (!Number.isFinite(value)) continue;
        put(value);
        if (Number.isFinite(next) && (code & 0x7fff) !== 0x7bff) put((value + next) / 2);
      }
      for (const value of [
        65519,
        65520,
        65535,
        65536,
        1e6,
        3e38,
        2 ** -26,
        2 ** -25,
        2 ** -149,
        Number.POSITIVE_INFINITY,
      ]) {
        put(value);
        put(-value);
      }
      while (words.length % 2 !== 0) {
        words.push(0);
        floats.push(0);
      }
      const code: StreamCode = {
        body: [['f32v2tof16', a(2), pair(a(0))]],
        inWords: 2,
        outWords: 1,
        out: 2,
        control: number << 16,
      };
      const wrong: string[] = [];
      for (let from = 0; from < words.length; from += 30_000) {
        const result = halvesOf(await stream(code, Uint32Array.from(words.slice(from, from + 30_000))));
        for (let at = 0; at < result.length; at++)
          if (!sameHalf(result[at], halfResult(floats[from + at], mode, 'saturate')))
            wrong.push(`${floats[from + at]} -> ${hex(result[at])}`);
      }
      expect(wrong.slice(0, 5)).toEqual([]);
    },
  );

  it('f8v4tof16, all codes of both formats', async () => {
    const codes = Uint32Array.from({ length: 64 }, (_, word) => 0x03020100 + 0x04040404 * word);
    const run = (format: number, scale: number) =>
      stream(
        {
          body: [['f8v4tof16', pair(a(2)), a(0)]],
          inWords: 1,
          outWords: 2,
          out: 2,
          registers: { [CSR.FP_NFMT]: format, [CSR.FP_SCL]: scale & 63 },
        },
        codes,
      );
    for (const scale of [0, 3, -4]) {
      const halves = halvesOf(await run(1, scale));
      const wrong = [...halves].flatMap((half, code) =>
        Object.is(halfValue(half), F143_VALUES[code] * 2 ** scale) ||
        sameHalf(half, halfResult(F143_VALUES[code] * 2 ** scale, 'nearest-even', 'saturate'))
          ? []
          : [`${code} -> ${hex(half)}`],
      );
      expect(wrong, `scale ${scale}`).toEqual([]);
    }
  });

  it.each([
    ['F143', F143, 1],
    ['F152', F152, 0],
  ] as const)('f16v8tof8 to %s and back is the nearest value, all f16', async (_name, format, bit) => {
    const finite = [...ALL].filter((code) => Number.isFinite(halfValue(code)));
    while (finite.length % 8 !== 0) finite.push(0);
    const code: StreamCode = {
      body: [
        ['f16v8tof8', pair(a(4)), quad(a(0))],
        ['f8v4tof16', pair(a(0)), a(4)],
        ['f8v4tof16', pair(a(2)), a(5)],
      ],
      inWords: 4,
      outWords: 4,
      out: 0,
      registers: { [CSR.FP_NFMT]: bit, [CSR.FP_SCL]: 0 },
    };
    const result = halvesOf(await stream(code, packHalves(finite)));
    const wrong = finite.flatMap((from, at) => {
      const rounded = roundUnbounded(halfValue(from), format, 'nearest-even');
      const wanted = Math.max(-format.largest, Math.min(format.largest, rounded));
      return halfValue(result[at]) === wanted
        ? []
        : [`${hex(from)} -> ${hex(result[at])}, expected ${wanted}`];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

describe('planted defects that the comparison must see', () => {
  const plants: [string, (code: number, x: number, y: number) => number][] = [
    [
      'ties away from even',
      (code, x, y) => {
        const exact = halfValue(x) + halfValue(y);
        const other = halfResult(exact, 'nearest-away', 'saturate');
        return other === halfResult(exact, 'nearest-even', 'saturate') ? code : other;
      },
    ],
    ['flushed subnormals', (code) => ((code & 0x7c00) === 0 ? code & 0x8000 : code)],
    ['a lost sign of zero', (code) => (code === 0x8000 ? 0 : code)],
    [
      'infinity for saturation',
      (code, x, y) =>
        Math.abs(halfValue(x) + halfValue(y)) > 65_520 && Number.isFinite(halfValue(x) + halfValue(y))
          ? 0x7c00
          : code,
    ],
    ['a number for NaN', (code) => (Number.isNaN(halfValue(code)) ? 0 : code)],
    ['one unit in the last place', (code, x) => (x === LATTICE[100] ? code ^ 1 : code)],
  ];
  it.each(plants)('%s', async (_name, plant) => {
    const x = LATTICE.flatMap((code) => [code, code, code, code]);
    const y = LATTICE.flatMap((code, at) => [
      LATTICE[(7 * at) % 4096],
      code,
      code ^ 0x8000,
      LATTICE[(31 * at + 5) % 4096],
    ]);
    const result = halvesOf(await stream(binary('add', 0), packHalves(x), packHalves(y)));
    const right = arithmetic('add', 'nearest-even', 'saturate');
    const planted = arithmetic('add', 'nearest-even', 'saturate', plant);
    const count = (holds: typeof right) => x.filter((code, at) => !holds(result[at], code, y[at])).length;
    expect(count(right)).toBe(0);
    expect(count(planted)).toBeGreaterThan(0);
  });
});
