import { describe, expect, test } from 'vitest';
import { TIERS } from '../../harness/case/index.ts';
import { gemmOperation } from './index.ts';
import { type GemmCase, gemmGrammar } from './problem.ts';

const operation = gemmOperation(() => {
  throw new Error('listing compiles nothing');
});
const tier = (name: string) => operation.tier(name).map((line) => gemmGrammar.parse(line));
const macs = ({ m, k, n }: GemmCase) => m * k * n;

describe('gemm tiers', () => {
  test('have at least the promised number of cases', () => {
    expect(operation.tier('smoke').length).toBeGreaterThanOrEqual(60);
    expect(operation.tier('ci').length).toBeGreaterThanOrEqual(300);
    expect(operation.tier('nightly').length).toBeGreaterThanOrEqual(2000);
    expect(operation.tier('perf').length).toBeGreaterThanOrEqual(10);
  });

  test.each(TIERS)('%s: every line is canonical and unique', (name) => {
    const lines = operation.tier(name);
    expect(lines.map(operation.canonical)).toEqual(lines);
    expect(new Set(lines).size).toBe(lines.length);
  });

  test.each(['smoke', 'ci', 'nightly'])(
    '%s: every shape runs with exact integers and with Gaussian values',
    (name) => {
      const fills = new Map<string, Set<string>>();
      for (const { fill, ...rest } of tier(name)) {
        const key = JSON.stringify(rest);
        fills.set(key, (fills.get(key) ?? new Set()).add(fill));
      }
      const lacking = [...fills]
        .filter(([, seen]) => !seen.has('int') || !seen.has('normal'))
        .map(([key]) => key);
      expect(lacking).toEqual([]);
    },
  );

  test('dimensions differ, except where equality is asked for', () => {
    const equal = (cases: readonly GemmCase[]) => cases.filter(({ m, k, n }) => new Set([m, k, n]).size < 3);
    // the SigLIP projection is square in its weights
    expect(equal(tier('ci')).every(({ m, k, n }) => m === 729 && k === 1152 && n === 1152)).toBe(true);
    expect(equal(tier('nightly')).length).toBeLessThan(0.02 * tier('nightly').length);
  });

  test('smoke cases are small; the whole chip appears', () => {
    const cases = tier('smoke');
    const mean = cases.reduce((sum, problem) => sum + macs(problem), 0) / cases.length;
    expect(mean).toBeLessThan(300_000);
    expect(Math.max(...cases.map(macs))).toBeLessThan(2_000_000);
    expect(tier('ci').filter(({ tiles }) => tiles === 1472).length).toBeGreaterThanOrEqual(3);
  });

  test('operands and result fit the tiles they are given, with room for copies', () => {
    for (const problem of tier('nightly')) {
      const { m, k, n, tiles } = problem;
      const bytes = (2 * (m * k + k * n + m * n)) / tiles;
      expect(bytes, gemmGrammar.print(problem)).toBeLessThan(tiles === 1 ? 300_000 : 150_000);
    }
  });

  test('ci covers every residue of 16 in every dimension and all fills', () => {
    const cases = tier('ci');
    for (const axis of ['m', 'k', 'n'] as const) {
      expect(new Set(cases.map((problem) => problem[axis] % 16)).size).toBe(16);
    }
    expect(new Set(cases.map(({ fill }) => fill)).size).toBe(8);
    const tiles = new Set(cases.map((problem) => problem.tiles));
    for (const count of [1, 2, 3, 4, 7, 8, 16, 23, 46, 47, 64, 1472]) expect(tiles).toContain(count);
  });
});

test('flops are two per multiply-accumulate', () => {
  expect(operation.prepare('gemm/m=3,k=5,n=7').flops).toBe(2 * 3 * 5 * 7);
});
