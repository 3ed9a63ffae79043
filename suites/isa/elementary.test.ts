import { readFileSync, writeFileSync } from 'node:fs';
import { all, bignumber, create } from 'mathjs';
import { describe, expect, it } from 'vitest';
import { a } from '../../device/ipu21/index.ts';
import { decodeHalf, halfSpacing } from '../../golden/half.ts';
import { deriveSeed } from '../../harness/case/index.ts';
import { wordStream } from '../../harness/fill/index.ts';
import { halvesOf, packHalves, STREAM_WORDS, stream } from './stream.ts';

/** Largest error of every function in units of the last place, reviewed as a diff; `BLESS=1` writes it. */
const TABLE = new URL('./elementary.txt', import.meta.url);
const COUNT = process.env.ISA_PROOF === 'full' ? 1_000_000 : 40_000;

interface Elementary {
  readonly f: (x: number) => number;
  /** Where the function is sampled: exponents of f32 from and to, signs. */
  readonly exponents: readonly [number, number];
  readonly negative: boolean;
  /** 1 where it rises, -1 where it falls, 0 where neither. */
  readonly slope: 1 | -1 | 0;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const FUNCTIONS: Readonly<Record<string, Elementary>> = {
  exp: { f: Math.exp, exponents: [-26, 6], negative: true, slope: 1 },
  exp2: { f: (x) => 2 ** x, exponents: [-26, 6], negative: true, slope: 1 },
  ln: { f: Math.log, exponents: [-126, 127], negative: false, slope: 1 },
  log2: { f: Math.log2, exponents: [-126, 127], negative: false, slope: 1 },
  tanh: { f: Math.tanh, exponents: [-40, 5], negative: true, slope: 1 },
  sigm: { f: sigmoid, exponents: [-26, 6], negative: true, slope: 1 },
  oox: { f: (x) => 1 / x, exponents: [-120, 120], negative: false, slope: -1 },
  oorx: { f: (x) => 1 / Math.sqrt(x), exponents: [-126, 127], negative: false, slope: -1 },
  sqrt: { f: Math.sqrt, exponents: [-126, 127], negative: false, slope: 1 },
};
const HALF_FUNCTIONS = ['exp', 'exp2', 'ln', 'log2', 'tanh', 'sigm'] as const;

const singleSpacing = (value: number): number =>
  2 ** (Math.max(-126, Math.floor(Math.log2(Math.abs(value) || 2 ** -149))) - 23);

interface Measured {
  readonly ulp: number;
  readonly falls: number;
}

/** Sampled f32 arguments in rising order, neighbours among them. */
function arguments32(name: string, { exponents: [from, to], negative }: Elementary): Uint32Array {
  const words = wordStream(deriveSeed(`isa/f32${name}`, 'arguments'));
  const codes = new Set<number>();
  for (let at = 0; codes.size < COUNT; at++) {
    const word = words(at);
    const exponent = from + 127 + (Math.floor(word / 2 ** 8) % (to - from + 1));
    const code =
      (((word & 1) !== 0 && negative ? 0x80000000 : 0) |
        (Math.max(1, exponent) << 23) |
        (words(at + 2 ** 24) & 0x7ffffe)) >>>
      0;
    codes.add(code).add(code + 1);
  }
  const value = (code: number) => (code >>> 31 === 1 ? -(code & 0x7fffffff) : code);
  return Uint32Array.from([...codes].sort((x, y) => value(x) - value(y)));
}

const floatsOf = (words: Uint32Array) => new Float32Array(words.slice().buffer);

function measure(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  { f, slope }: Elementary,
  spacing: (value: number) => number,
  largest: number,
  least: number,
): Measured {
  let ulp = 0;
  let falls = 0;
  for (let at = 0; at < x.length; at++) {
    const exact = f(x[at]);
    // Beyond the format's range the rule is another one.
    if (!Number.isFinite(exact) || Math.abs(exact) > largest || Math.abs(exact) < least) continue;
    ulp = Math.max(ulp, Math.abs(y[at] - exact) / spacing(exact));
    if (at > 0 && x[at] > x[at - 1] && slope * (y[at] - y[at - 1]) < 0) falls++;
  }
  return { ulp: Math.round(1000 * ulp) / 1000, falls };
}

async function measureSingle(name: string): Promise<Measured> {
  const codes = arguments32(name, FUNCTIONS[name]);
  const results: number[] = [];
  for (let from = 0; from < codes.length; from += STREAM_WORDS) {
    const part = codes.subarray(from, from + STREAM_WORDS);
    const code = { body: [[`f32${name}`, a(0), a(0)] as const], inWords: 1, outWords: 1, out: 0 };
    results.push(...floatsOf(await stream(code, part)));
  }
  return measure(floatsOf(codes), results, FUNCTIONS[name], singleSpacing, 3.4e38, 2 ** -126);
}

/** All f16 numbers, from the lowest to the highest. */
const HALVES: readonly number[] = [
  ...Array.from({ length: 0x7c00 }, (_, code) => 0xfbff - code),
  ...Array.from({ length: 0x7c00 }, (_, code) => code),
];

async function measureHalf(name: string): Promise<Measured> {
  const code = { body: [[`f16v2${name}`, a(0), a(0)] as const], inWords: 1, outWords: 1, out: 0 };
  const results = [...halvesOf(await stream(code, packHalves(HALVES)))].map(decodeHalf);
  return measure(
    HALVES.map(decodeHalf),
    results,
    FUNCTIONS[name],
    (value) => 2 * halfSpacing(Math.abs(value)),
    65_504,
    2 ** -24,
  );
}

describe('elementary functions', () => {
  it('have the errors on record and are monotonic', async () => {
    const rows: string[] = [];
    const falling: string[] = [];
    for (const name of Object.keys(FUNCTIONS)) {
      const { ulp, falls } = await measureSingle(name);
      rows.push(`f32${name}\t${ulp}`);
      if (falls > 0) falling.push(`f32${name}: ${falls}`);
    }
    for (const name of HALF_FUNCTIONS) {
      const { ulp, falls } = await measureHalf(name);
      rows.push(`f16v2${name}\t${ulp}`);
      if (falls > 0) falling.push(`f16v2${name}: ${falls}`);
    }
    expect(falling).toEqual([]);
    const text = `# Largest error in units of the last place; f16: all arguments, f32: sampled.\nfunction\tulp\n${rows.join('\n')}\n`;
    if (process.env.BLESS === '1') writeFileSync(TABLE, text);
    if (process.env.ISA_PROOF !== 'full') expect(text).toBe(readFileSync(TABLE, 'utf8'));
    for (const row of rows) expect(Number(row.split('\t')[1]), row).toBeLessThanOrEqual(1);
  }, 600_000);

  it('the f64 references agree with a reference of 40 digits', () => {
    const math = create(all, { precision: 40 });
    const exact: Readonly<Record<string, (x: number) => unknown>> = {
      exp: (x) => math.exp(bignumber(x) as never),
      exp2: (x) => math.pow(bignumber(2) as never, bignumber(x) as never),
      ln: (x) => math.log(bignumber(x) as never),
      tanh: (x) => math.tanh(bignumber(x) as never),
      sqrt: (x) => math.sqrt(bignumber(x) as never),
    };
    for (const [name, reference] of Object.entries(exact))
      for (const x of [0.001, 0.3, 0.71, 1.5, 2.75, 5.125]) {
        const wanted = Number(String(reference(x)));
        expect(Math.abs(FUNCTIONS[name].f(x) - wanted) / Math.abs(wanted), `${name} ${x}`).toBeLessThan(
          2 ** -50,
        );
      }
  });

  it('the measure sees an error of one step and a step down', () => {
    const x = [1, 2, 3];
    const right = x.map((value) => Math.fround(Math.exp(value)));
    const off = right.map((value, at) => (at === 1 ? value + singleSpacing(value) : value));
    const down = [right[0], right[2], right[1]];
    const run = (y: number[]) => measure(x, y, FUNCTIONS.exp, singleSpacing, 3.4e38, 2 ** -126);
    expect(run(right)).toMatchObject({ falls: 0 });
    expect(run(right).ulp).toBeLessThanOrEqual(0.5);
    expect(run(off).ulp).toBeGreaterThan(0.5);
    expect(run(down).falls).toBe(1);
  });
});
