import { describe, expect, it } from 'vitest';
import { AMP_FLAGS, FLAG_VALUES } from './flags.ts';
import { FORMS } from './forms.ts';

const amp = (type: string, engines: number, phases: number): number[] =>
  Array.from(
    { length: phases },
    (_, phase) => AMP_FLAGS[`TAMP_${type}_E${engines}_P${phase}` as keyof typeof AMP_FLAGS],
  );

describe('flag values', () => {
  it('fit the field of the instructions that take them', () => {
    const narrowest = Math.min(
      ...FORMS.filter((form) => /amp|slic|stacc/.test(form.mnemonic)).flatMap((form) =>
        form.operands.flatMap((slot) => (slot.kind === 'immediate' ? [slot.bits] : [])),
      ),
    );
    for (const [name, value] of FLAG_VALUES) expect([name, value < 2 ** narrowest]).toEqual([name, true]);
  });

  it('count phases from 0 with all engines, the same for f16 and f8', () => {
    expect(amp('F16V4', 4, 4)).toEqual([0, 1, 2, 3]);
    expect(amp('F8V8', 4, 4)).toEqual([0, 1, 2, 3]);
    expect(amp('F32', 4, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('tell apart all phases of one format', () => {
    for (const [type, phases] of [
      ['F16V4', [4, 2, 1]],
      ['F32', [8, 4, 2]],
    ] as const) {
      const values = [4, 2, 1].flatMap((engines, index) => amp(type, engines, phases[index]));
      expect(values.every(Number.isInteger)).toBe(true);
      expect(new Set(values).size).toBe(values.length);
    }
  });
});
