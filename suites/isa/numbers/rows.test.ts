import { describe, expect, it } from 'vitest';
import { FORMS } from '../../../device/ipu21/index.ts';
import { spansOf } from './bench.ts';
import { ELEMENT_BITS } from './row.ts';
import { ROW_ENTRIES, ROWS, uncovered } from './rows.ts';

describe('the table of arithmetic forms', () => {
  it('covers every form that calculates with numbers', () => {
    expect(uncovered(FORMS, ROWS)).toEqual([]);
  });

  it('names any form that is missing, and new ones', () => {
    for (const [form] of ROW_ENTRIES) {
      const { [form]: _gone, ...rest } = ROWS;
      expect(uncovered(FORMS, rest)).toEqual([form]);
    }
    expect(uncovered([...FORMS, { id: 'f64add.a2a2a2' }], ROWS)).toEqual(['f64add.a2a2a2']);
  });

  it('leaves out the matrix unit, elementary functions, random numbers and nothing else', () => {
    const outside = FORMS.filter(({ id }) => id.startsWith('f') && !(id in ROWS));
    expect([...new Set(outside.map(({ mnemonic }) => mnemonic))].sort()).toEqual(
      [
        'fnop',
        ...['exp', 'exp2', 'ln', 'log2', 'oorx', 'oox', 'sigm', 'tanh'].map((name) => `f32${name}`),
        ...['exp', 'exp2', 'ln', 'log2', 'sigm', 'tanh'].map((name) => `f16v2${name}`),
        ...['hihoamp', 'hihov4amp', 'sisoamp', 'hihoslic', 'hihov4slic', 'sisoslic'].map(
          (name) => `f16v4${name}`,
        ),
        ...['sisoamp', 'sisov2amp', 'sisoslic'].map((name) => `f32${name}`),
        ...['hihov4amp', 'hihov4slic'].map((name) => `f8v8${name}`),
        ...['istacc', 'stacc', 'rmask'].map((name) => `f16v4${name}`),
        ...['f16v2grand', 'f32v2grand', 'f32v2rmask'],
      ].sort(),
    );
  });

  it.each(ROW_ENTRIES)('%s reads and writes registers of the sizes of its form', (form, row) => {
    const { sources, result } = spansOf(form);
    expect(row.sources.length).toBe(sources.length);
    const bits = row.result.reduce((total, output) => total + output.bits, 0);
    expect(Math.ceil(bits / 32)).toBe(result);
    // Every element of every source decides about something, but for broadcasts, which leave elements out.
    const used = new Set(
      [...row.result, ...(row.after ?? [])].flatMap((output) => output.operands.map(String)),
    );
    const broadcast = /B[LU]?/.test(form);
    row.sources.forEach((kind, source) => {
      const lanes = (32 * sources[source]) / ELEMENT_BITS[kind];
      const read = Array.from({ length: lanes }, (_, lane) => used.has(`${source},${lane}`)).filter(
        Boolean,
      ).length;
      if (source === 0 && (broadcast || /^(f16tof32|f8v2tof16)/.test(form)))
        expect(read).toBeLessThanOrEqual(lanes);
      else expect(read).toBe(lanes);
    });
  });
});
