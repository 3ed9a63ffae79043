import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { plantedDefects } from './catalogue.ts';
import { type DefectOutcome, runPlantedDefect, runTrial } from './run.ts';
import { defectTable } from './table.ts';

const device = new SimulatedIpu21({ cycleLimit: 1_000_000 });
afterAll(() => device.close());

const lines = [...new Set(plantedDefects.flatMap(({ trials }) => trials.map(({ line }) => line)))];

test.each(lines)('undamaged: %s passes', async (line) => {
  const { verdict, judgement } = await runTrial({ line, tile: 0 }, undefined, device);
  expect(verdict, judgement?.reasons.join('; ')).toBe('passed');
});

describe('planted defects', () => {
  const outcomes: DefectOutcome[] = [];

  test.each(plantedDefects)('$layer: $name', async (defect) => {
    const outcome = await runPlantedDefect(defect, device);
    outcomes.push(outcome);
    const seen = outcome.sightings.map(
      ({ line, verdict, failure, judgement }) =>
        `${line}: ${verdict}: ${failure?.message ?? judgement?.reasons[0] ?? ''}`,
    );
    expect(outcome.caught, seen.join('\n')).toBe(true);
    expect(outcome.localised, `not ${defect.location?.text}\n${seen.join('\n')}`).not.toBe(false);
  });

  test('are as many as promised, on every layer, each with a name of its own', () => {
    expect(plantedDefects.length).toBeGreaterThanOrEqual(50);
    expect(new Set(plantedDefects.map(({ name }) => name)).size).toBe(plantedDefects.length);
    expect(new Set(plantedDefects.map(({ layer }) => layer))).toEqual(
      new Set(['package', 'schedule', 'sram', 'result']),
    );
    const rated = plantedDefects.filter(({ location }) => location !== undefined);
    expect(rated.length / plantedDefects.length).toBeGreaterThan(0.95);
    for (const fill of ['int', 'normal', 'onehot'])
      expect(lines.some((line) => line.endsWith(`fill=${fill}`))).toBe(true);
  });

  test('stand in docs/planted-defects.md', () => {
    const file = new URL('../../docs/planted-defects.md', import.meta.url);
    const table = defectTable(plantedDefects, outcomes);
    if (process.env.BLESS === '1') writeFileSync(file, table);
    expect(table).toBe(readFileSync(file, 'utf8'));
  });
});

test('a plant that changes nothing is seen as passed, not as caught', async () => {
  const [trial] = plantedDefects[0].trials;
  const outcome = await runPlantedDefect(
    {
      name: 'nothing',
      layer: 'package',
      imitates: 'a sound program',
      trials: [trial],
      plant: { at: 'images', patch: () => {} },
      location: { text: 'anywhere', found: ({ judgement }) => judgement?.verdict !== 'passed' },
    },
    device,
  );
  expect(outcome).toMatchObject({ caught: false, verdict: 'passed', localised: false, by: 'judge' });
});
