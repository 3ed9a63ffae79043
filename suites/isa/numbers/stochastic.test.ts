import { describe, expect, it } from 'vitest';
import { decode, type Exact, product, sum } from '../../../golden/formats/exact.ts';
import { F16, F32, F143, F152, type Format } from '../../../golden/formats/format.ts';
import { neighbours } from '../../../golden/formats/round.ts';
import { type Job, spansOf, TileBench } from './bench.ts';
import { ALL_HALVES, elements, FULL, packed } from './operands.ts';
import { accumulatorsOf, codeOf } from './prove.ts';
import type { Setting } from './row.ts';
import { type ArithmeticForm, ROWS } from './rows.ts';
import { controlOf, PLAIN, registersOf } from './setting.ts';

/** FP_CTL.ESR [ISA]. */
const STOCHASTIC = 1 << 19;
const COUNT = FULL ? 1_000_000 : 20_000;
const TIMEOUT = 3_600_000;

/** What is rounded to which format; the operands are elements of the sources, lane by lane. */
interface Rounded {
  readonly form: ArithmeticForm;
  readonly exact: (x: number, y: number, setting: Setting) => Exact;
  readonly to: (setting: Setting) => Format;
}
const half = (code: number) => decode(code, F16);
const moved = (value: Exact, scale: number): Exact =>
  value.kind === 'finite' ? { ...value, exponent: value.exponent + scale } : value;
const toHalf = () => F16;

/** Conversions that round to f16 or f8 [ISA]; arithmetic and reads of accumulators do so by choice [GUESS]. */
const ROUNDED: readonly Rounded[] = [
  { form: 'f32tof16.aa', exact: (x) => decode(x, F32), to: toHalf },
  { form: 'f32v2tof16.aa2', exact: (x) => decode(x, F32), to: toHalf },
  { form: 'f32v4tof16.a2a4', exact: (x) => decode(x, F32), to: toHalf },
  { form: 'f16v2tof8.aa', exact: (x, _y, { scale }) => moved(half(x), scale), to: ({ quarter }) => quarter },
  {
    form: 'f16v8tof8.a2a4',
    exact: (x, _y, { scale }) => moved(half(x), scale),
    to: ({ quarter }) => quarter,
  },
  {
    form: 'f8v4tof16.a2a',
    exact: (x, _y, { quarter, scale }) => moved(decode(x, quarter), scale),
    to: toHalf,
  },
  { form: 'f16v4add.a2a2a2', exact: (x, y) => sum([half(x), half(y)], 'nearest-even'), to: toHalf },
  { form: 'f16v4mul.a2a2a2', exact: (x, y) => product(half(x), half(y)), to: toHalf },
  { form: 'f16v4gacc.a2', exact: (x) => decode(x, F32), to: toHalf },
];

const SETTINGS: readonly Setting[] = [
  { ...PLAIN, quarter: F143, scale: 0 },
  { ...PLAIN, quarter: F152, scale: -5, overflow: 'nan' },
  { ...PLAIN, quarter: F143, scale: 9, overflow: 'nan' },
  { ...PLAIN, quarter: F152, scale: 12 },
];

const elementOf = (words: Uint32Array, bits: 8 | 16 | 32, index: number): number =>
  bits === 32
    ? words[index]
    : (words[Math.floor(index / (32 / bits))] >>> (bits * (index % (32 / bits)))) & (2 ** bits - 1);

/** Result elements of a form, the accumulators left out, each with its operands and neighbours. */
async function* outcomes(
  { form, exact, to }: Rounded,
  setting: Setting,
  seeds: readonly number[],
  sources: readonly Uint32Array[],
  rounds: number,
): AsyncGenerator<{
  code: number;
  at: number;
  seed: number;
  x: number;
  lower: number;
  upper: number;
  chance: number;
}> {
  const row = ROWS[form];
  const bench = await TileBench.open(codeOf(form, row));
  const control = controlOf(setting) | STOCHASTIC;
  const before =
    row.after === undefined ? undefined : elements('f32', 8 * rounds, `stochastic/${form}/before`);
  const jobs = seeds.map(
    (seed): Job => ({
      sources,
      rounds,
      control,
      registers: { ...registersOf(setting), seed },
      ...(before && { before }),
    }),
  );
  const results = await bench.run(jobs);
  await bench.close();
  const spans = spansOf(form);
  const perRound = spans.result + 2 * accumulatorsOf(row);
  const operand = (source: number, round: number, lane: number) => {
    if (source === 2) return before?.[8 * round + lane] ?? 0;
    const bits = row.sources[source] === 'f32' ? 32 : row.sources[source] === 'f8' ? 8 : 16;
    return elementOf(sources[source], bits, (round * spans.sources[source] * 32) / bits + lane);
  };
  for (let round = 0; round < rounds; round++)
    for (const [element, { bits, operands }] of row.result.entries()) {
      const [x, y = 0] = operands.map(([source, lane]) => operand(source, round, lane));
      const expected = neighbours(exact(x, y, setting), to(setting), setting);
      for (const [index, seed] of seeds.entries()) {
        const code = elementOf(results[index], bits, (round * perRound * 32) / bits + element);
        yield { code, at: round, seed, x, ...expected };
      }
    }
}

describe('a stochastic result is one of the two neighbours', () => {
  it.each(ROUNDED.map((rounded) => [rounded.form, rounded] as const))(
    '%s',
    async (form, rounded) => {
      const row = ROWS[form];
      const rounds = 2000;
      const wrong: string[] = [];
      for (let part = 0; part * rounds * row.result.length * SETTINGS.length < COUNT; part++)
        for (const setting of SETTINGS) {
          const sources = row.sources.map((kind, source) => {
            const bits = kind === 'f32' ? 32 : kind === 'f8' ? 8 : 16;
            const words = rounds * spansOf(form).sources[source];
            return packed(elements(kind, (words * 32) / bits, `stochastic/${form}/${source}/${part}`), bits);
          });
          for await (const { code, x, lower, upper } of outcomes(
            rounded,
            setting,
            [part + 1],
            sources,
            rounds,
          ))
            if (code !== lower && code !== upper && wrong.length < 5)
              wrong.push(
                `0x${x.toString(16)} became 0x${code.toString(16)}, not 0x${lower.toString(16)} or 0x${upper.toString(16)}`,
              );
        }
      expect(wrong).toEqual([]);
    },
    TIMEOUT,
  );

  it('every f16 is an f16 already: nothing changes', async () => {
    const [f16tof32, back] = [ROWS['f16tof32.aa'], ROWS['f32tof16.aa']];
    const widened = Uint32Array.from(ALL_HALVES, (code) =>
      f16tof32.result[0].golden(PLAIN, code, 0, 0, 0, 0),
    );
    const bench = await TileBench.open(codeOf('f32tof16.aa', back));
    const jobs = [0, 1].map((part): Job => {
      const words = widened.subarray(32_768 * part, 32_768 * (part + 1));
      return { sources: [words], rounds: words.length, control: STOCHASTIC, registers: { seed: 5 } };
    });
    const results = await bench.run(jobs);
    await bench.close();
    const wrong = [...ALL_HALVES].filter((code) => {
      const word = results[code >> 15][code & 0x7fff];
      const nan = (code & 0x7fff) > 0x7c00;
      return word !== (nan ? F16.nan : code) * 0x10001;
    });
    expect(wrong).toEqual([]);
  });
});

describe('the upper neighbour comes as often as the value is near to it', () => {
  /** f32 codes between two f16: 1/16, 1/2 and 13/16 of the way, near the greatest and the least numbers, and in subnormals. */
  const chances = [
    [0x3f800200, 1 / 16],
    [0x3f801000, 1 / 2],
    [0xbf801a00, 13 / 16],
    [0x477fc800, 1 / 4],
    [0x33a00000, 1 / 4],
    [0xb3c00000, 1 / 2],
  ] as const;
  const DRAWS = 4096;

  it.each(chances)('f32v4tof16 of 0x%s: %d', async (code, chance) => {
    const rounded = ROUNDED[2];
    const sources = [new Uint32Array(4 * DRAWS).fill(code)];
    const seeds = [1, 2, 3, 4];
    const ups = [0, 0, 0, 0];
    let total = 0;
    for await (const { code: result, upper, seed, chance: stated } of outcomes(
      rounded,
      PLAIN,
      seeds,
      sources,
      DRAWS,
    )) {
      if (stated !== chance) throw new RangeError(`the chance is ${stated}`);
      if (result === upper) ups[seeds.indexOf(seed)]++;
      total++;
    }
    const draws = total / seeds.length;
    // Five standard deviations of a binomial count.
    const allowed = 5 * Math.sqrt(draws * chance * (1 - chance));
    for (const count of ups) expect(Math.abs(count - draws * chance)).toBeLessThan(allowed);
    // Another seed gives other draws.
    expect(new Set(ups).size).toBeGreaterThan(1);
  });
});
