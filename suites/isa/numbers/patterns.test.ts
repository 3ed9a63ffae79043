import { describe, expect, it } from 'vitest';
import { FULL, LATTICE, wordsFor } from './operands.ts';
import { allCodes, aroundHalves, everywhere, neighbourPairs } from './patterns.ts';
import { counterexamples } from './prove.ts';
import { BEFORE, type Row, type Setting } from './row.ts';
import { type ArithmeticForm, ROW_ENTRIES } from './rows.ts';
import { CONTROLS, PLAIN, QUARTERS, SCALES } from './setting.ts';

const TIMEOUT = 3_600_000;
/** Patterns whose pairs run together. */
const BLOCK = 64;
type Entry = readonly [ArithmeticForm, Row];
const unary = ROW_ENTRIES.filter(([, row]) => row.sources.length === 1 && row.after === undefined);
const ofSource = (...kinds: string[]): Entry[] =>
  unary.filter(([, row]) => kinds.includes(row.sources[0]) && row.result[0].operands.length === 1);

/** Every format, scale, rounding mode and overflow rule. */
const QUARTER_SETTINGS: readonly Setting[] = CONTROLS.flatMap((control) =>
  QUARTERS.flatMap((quarter) => SCALES.map((scale) => ({ ...control, quarter, scale }))),
);

/** Some of them: every scale in nearest even, or every rounding at a few scales. */
function someSettings(form: string): Setting[] {
  const words = wordsFor(`scales/${form}`);
  const scales = [-32, -7, 0, 31, SCALES[words(0) % SCALES.length]];
  return QUARTER_SETTINGS.filter(
    (setting) =>
      (scales.includes(setting.scale) &&
        setting.mode === 'nearest-even' &&
        setting.overflow === 'saturate') ||
      setting.scale === 0,
  );
}

describe('f8 to f16: every code, format, scale and rounding', () => {
  it.each(ofSource('f8'))(
    '%s',
    async (form, row) => {
      expect(
        await counterexamples(form, row, QUARTER_SETTINGS, everywhere(form, row, allCodes(row))),
      ).toEqual([]);
    },
    TIMEOUT,
  );
});

describe('f16 to f8: every code', () => {
  it.each(ofSource('f16').filter(([, row]) => row.scales === true))(
    '%s',
    async (form, row) => {
      const batches = everywhere(form, row, allCodes(row));
      // One turn in the short proof: every code once. Settings by themselves keep results small.
      const used = FULL ? batches : batches.slice(0, batches.length / row.result.length);
      for (const setting of FULL ? QUARTER_SETTINGS : someSettings(form))
        expect(await counterexamples(form, row, [setting], used)).toEqual([]);
    },
    TIMEOUT,
  );
});

describe('f16 and 16-bit integers: every code in every element', () => {
  it.each(ofSource('f16', 'u16').filter(([, row]) => row.scales !== true))(
    '%s',
    async (form, row) => {
      const settings = [PLAIN, CONTROLS[5]];
      expect(await counterexamples(form, row, settings, everywhere(form, row, allCodes(row)))).toEqual([]);
    },
    TIMEOUT,
  );
});

describe('f32 to f16: at, beside and between the numbers of f16, every rounding', () => {
  const narrowing = ofSource('f32').filter(([, row]) => row.result[0].bits === 16);
  it.each(narrowing)(
    '%s',
    async (form, row) => {
      const codes = aroundHalves(FULL ? 1 : 61);
      expect(await counterexamples(form, row, CONTROLS, everywhere(form, row, codes))).toEqual([]);
    },
    TIMEOUT,
  );
});

describe('f16 neighbours over pairs of the lattice', () => {
  const words = wordsFor('neighbours');
  const patterns = (count: number) =>
    FULL ? [...LATTICE] : Array.from({ length: count }, (_, at) => LATTICE[words(at) % LATTICE.length]);
  const horizontal = unary.filter(([, row]) => row.result[0].operands.length === 2);
  it.each(horizontal)(
    '%s',
    async (form, row) => {
      const settings = row.rounds ? CONTROLS : [PLAIN, CONTROLS[5]];
      for (const [index, setting] of settings.entries()) {
        const rows = patterns(index === 0 ? 64 : 4);
        for (let from = 0; from < rows.length; from += BLOCK) {
          const batches = neighbourPairs(form, rows.slice(from, from + BLOCK));
          expect(await counterexamples(form, row, [setting], batches)).toEqual([]);
        }
      }
    },
    TIMEOUT,
  );
});

it('every form of one source is proven over patterns, or over samples for 32-bit elements', () => {
  const here = [
    ...ofSource('f8', 'f16', 'u16'),
    ...unary.filter(([, row]) => row.result[0].operands.length === 2),
  ].map(([form]) => form);
  const wide = unary.filter(([, row]) => ['f32', 'u32'].includes(row.sources[0])).map(([form]) => form);
  expect([...here, ...wide].sort()).toEqual(unary.map(([form]) => form).sort());
  expect(
    unary.every(([, row]) =>
      row.result.every(({ operands }) => operands.every(([source]) => source !== BEFORE)),
    ),
  ).toBe(true);
});
