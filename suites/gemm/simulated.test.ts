import { afterAll, describe, expect, test } from 'vitest';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { attempt } from '../attempt.ts';
import { gemm } from './operation.ts';
import { gemmGrammar } from './problem.ts';

const device = new SimulatedIpu21({ threads: 2 });
afterAll(() => device.close());

const onWholeChip = (line: string) => gemmGrammar.parse(line).tiles === 1472;

/** Everything but `passed`, in words. */
async function failures(lines: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const line of lines) {
    const said = await attempt(gemm.prepare(line), device).then(
      ({ judgement, outcome }) =>
        judgement.verdict === 'passed' && outcome.cycles > 0
          ? undefined
          : `${judgement.verdict} after ${outcome.cycles} cycles: ${judgement.reasons.join('; ')}`,
      (error: Error) => `${error.name}: ${error.message}`,
    );
    if (said !== undefined) found.push(`${line}: ${said}`);
  }
  return found;
}

describe('GEMM cases, compiled, simulated and judged', () => {
  test('the whole smoke tier passes', async () => {
    const lines = gemm.tier('smoke');
    expect(lines.length).toBeGreaterThanOrEqual(100);
    expect(await failures(lines)).toEqual([]);
  });

  test('the ci tier below the whole chip passes', async () => {
    const smoke = new Set(gemm.tier('smoke'));
    const lines = gemm.tier('ci').filter((line) => !smoke.has(line) && !onWholeChip(line));
    expect(lines.length).toBeGreaterThanOrEqual(800);
    expect(await failures(lines)).toEqual([]);
  });

  test('a SigLIP projection on the whole chip passes', async () => {
    const lines = gemm.tier('ci').filter((line) => line.includes('m=729,k=1152,n=1152'));
    expect(lines.map((line) => gemmGrammar.parse(line).fill)).toEqual(['int', 'normal']);
    expect(await failures(lines)).toEqual([]);
  });
});

describe('smoke and ci corpora', () => {
  const problems = [...new Set([...gemm.tier('smoke'), ...gemm.tier('ci')])].map((line) =>
    gemmGrammar.parse(line),
  );
  const grids = problems.flatMap(({ plan, tiles }) =>
    plan === undefined ? [] : [{ split: plan.split('x').map(Number), tiles }],
  );

  test('pin grids that split every subset of the three dimensions', () => {
    const subsets = new Set(grids.map(({ split }) => split.map((parts) => (parts > 1 ? 1 : 0)).join('')));
    expect(subsets.size).toBe(8);
  });

  test('leave tiles idle and use all of them', () => {
    const idle = grids.map(({ split, tiles }) => tiles - split[0] * split[1] * split[2]);
    expect(idle.filter((count) => count > 0).length).toBeGreaterThan(100);
    expect(idle.filter((count) => count === 0).length).toBeGreaterThan(10);
  });

  test('use every number of tiles up to 64, and the whole chip several times', () => {
    const counts = new Set(problems.map(({ tiles }) => tiles));
    for (let tiles = 1; tiles <= 64; tiles++) expect(counts).toContain(tiles);
    expect(problems.filter(({ tiles }) => tiles === 1472).length).toBeGreaterThanOrEqual(10);
  });
});
