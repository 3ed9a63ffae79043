import { describe, expect, it } from 'vitest';
import { LATTICE_GROUPS, latticeDifferences } from './lattice.ts';
import { FULL, LATTICE, wordsFor } from './operands.ts';
import { ROW_ENTRIES } from './rows.ts';
import { CONTROLS, PLAIN } from './setting.ts';

const TIMEOUT = 3_600_000;

/** Patterns held against the whole lattice: all of them, or seeded rows. */
function patterns(name: string, rows: number): readonly number[] {
  if (FULL) return [...LATTICE];
  const words = wordsFor(`lattice/${name}`);
  return Array.from({ length: rows }, (_, at) => LATTICE[words(at) % LATTICE.length]);
}

describe('the lattice', () => {
  it('has 4,096 different patterns, every exponent and sign alike', () => {
    expect(new Set(LATTICE).size).toBe(4096);
    const classes = new Map<number, number>();
    for (const code of LATTICE) classes.set(code >> 10, (classes.get(code >> 10) ?? 0) + 1);
    expect([...classes.values()]).toEqual(Array(64).fill(64));
  });

  it('is used by every form with two sources of f16 that leaves the accumulators alone', () => {
    const forms = ROW_ENTRIES.filter(
      ([, { sources, after }]) => after === undefined && sources.length === 2 && sources[0] === 'f16',
    );
    expect(LATTICE_GROUPS.flatMap((group) => group.forms).sort()).toEqual(forms.map(([form]) => form).sort());
  });
});

describe.each(LATTICE_GROUPS.map((group) => [group.name, group] as const))(
  'f16 %s over pairs of the lattice',
  (name, group) => {
    it(
      `every form: ${group.forms.length}`,
      async () => {
        expect(await latticeDifferences(group, group.forms, PLAIN, patterns(name, 64))).toEqual([]);
      },
      TIMEOUT,
    );

    // Bits of the others do not depend on the control word, which the strangest of them shows.
    const settings = group.rounds ? CONTROLS.slice(1) : [CONTROLS[5]];
    it.each(settings.map((setting) => [setting.mode, setting.overflow, setting] as const))(
      '%s, %s',
      async (_mode, _overflow, setting) => {
        const widest = group.forms.filter((form) => form.startsWith('f16v4')).slice(0, 1);
        expect(await latticeDifferences(group, widest, setting, patterns(name, 8))).toEqual([]);
      },
      TIMEOUT,
    );
  },
);
