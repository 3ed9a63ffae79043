import { describe, expect, it } from 'vitest';
import { type Job, spansOf, TileBench } from './bench.ts';
import { differences } from './compare.ts';
import { DEFECTS, type PlantedDefect } from './defects.ts';
import { LATTICE_GROUPS, latticeDifferences } from './lattice.ts';
import { LATTICE } from './operands.ts';
import { allCodes, everywhere } from './patterns.ts';
import { codeOf, sampled } from './prove.ts';
import type { Row } from './row.ts';
import { ROWS } from './rows.ts';
import { controlOf, PLAIN, registersOf } from './setting.ts';

/** Elements a defect is looked for in: the short proofs have more. */
const COUNT = 16_000;

async function judged({
  form,
  setting,
  plant,
}: PlantedDefect): Promise<{ right: string[]; wrong: string[] }> {
  const row: Row = ROWS[form];
  const patterns =
    row.sources.length === 1 && ['f8', 'f16', 'u16'].includes(row.sources[0]) && row.after === undefined;
  const batches = patterns ? everywhere(form, row, allCodes(row)) : sampled(form, row, COUNT);
  const bench = await TileBench.open(codeOf(form, row));
  const jobs = batches.map(
    (batch): Job => ({ ...batch, control: controlOf(setting), registers: registersOf(setting) }),
  );
  const results = await bench.run(jobs);
  await bench.close();
  const planted: Row = {
    ...row,
    result: row.result.map(plant),
    ...(row.after && { after: row.after.map(plant) }),
  };
  const spans = spansOf(form).sources;
  const against = (model: Row) =>
    batches.flatMap((batch, at) =>
      differences(form, model, setting, { ...batch, spans }, results[at], { limit: 1 }),
    );
  return { right: against(row), wrong: against(planted) };
}

describe('a wrong model of a form differs from the simulated one', () => {
  it.each(DEFECTS.map((defect) => [defect.name, defect] as const))('%s', async (_name, defect) => {
    const { right, wrong } = await judged(defect);
    expect(right).toEqual([]);
    expect(wrong[0]).toContain(defect.form);
  });

  it('names are unique', () => {
    expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
  });
});

describe('the comparison over the lattice', () => {
  it.each(LATTICE_GROUPS.map((group) => [group.name, group] as const))(
    '%s: sees a single wrong pair',
    async (_name, group) => {
      const patterns = [LATTICE[77], LATTICE[2048], LATTICE[4000]];
      const wrongAt = (held: number, running: number) => held === patterns[1] && running === LATTICE[1234];
      const found = await latticeDifferences(
        group,
        group.forms,
        PLAIN,
        patterns,
        (held, running, setting) => {
          const code = group.golden(held, running, setting);
          return wrongAt(held, running) ? code ^ 1 : code;
        },
      );
      expect(found.length).toBe(Math.min(5, group.forms.length));
      for (const text of found) expect(text).toContain(`0x${patterns[1].toString(16)} with`);
    },
  );
});
