import { expect, it } from 'vitest';
import { FULL, wordsFor } from './operands.ts';
import { counterexamples, sampled } from './prove.ts';
import type { Row, Setting } from './row.ts';
import { type ArithmeticForm, ROW_ENTRIES } from './rows.ts';
import { CONTROLS, PLAIN } from './setting.ts';

/** Elements of the first form of an operation in plain nearest even; every other setting takes a share. */
const COUNT = FULL ? 1_000_000 : 100_000;
const SETTING_SHARE = FULL ? 1 : 1 / 25;
/** Share of the other forms of an operation: they differ in the lanes they take. */
const FORM_SHARE = 1 / 10;
const TIMEOUT = 600_000;

/** Settings beside the plain one: every rounding mode with NANOO clear and set where they matter, a strange one elsewhere. */
function settingsOf(form: ArithmeticForm, row: Row): Setting[] {
  const words = wordsFor(`settings/${form}`);
  const tas = (setting: Setting, index: number) => ({ ...setting, tas: words(index) });
  const controls = row.rounds ? CONTROLS : [PLAIN, CONTROLS[5]];
  return /axpy|mix/.test(form) ? controls.map(tas) : [...controls];
}

/** Operation of a form: f16v4add and f16v2add are one, f32add another. */
const operationOf = (form: string): string => form.split('.')[0].replace(/v\d/, '');
const firstForms = new Map<string, string>();
for (const [form] of ROW_ENTRIES)
  if (!firstForms.has(operationOf(form))) firstForms.set(operationOf(form), form);

it.each(ROW_ENTRIES)(
  '%s',
  async (form, row) => {
    const immediates = row.immediates ?? [{ value: 0, golden: undefined }];
    const whole = FULL ? COUNT : COUNT / immediates.length;
    const count = whole * (firstForms.get(operationOf(form)) === form ? 1 : FORM_SHARE);
    const [first, ...others] = settingsOf(form, row);
    const wrong: string[] = [];
    for (const { value, golden } of immediates) {
      const options = { immediate: value, ...(golden && { golden }) };
      const prove = (settings: Setting[], size: number) =>
        counterexamples(form, row, settings, sampled(form, row, size), options);
      wrong.push(...(await prove([first], count)), ...(await prove(others, count * SETTING_SHARE)));
    }
    expect(wrong).toEqual([]);
  },
  TIMEOUT,
);
