import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { attempt } from '../attempt.ts';
import { gemm } from '../gemm/operation.ts';
import { gemmCycles, reduceCycles } from './measure.ts';

const device = new SimulatedIpu21();
afterAll(() => device.close());

/** Largest share by which the compiler's model of a kernel may miss the simulated cycles. */
const MODEL_ERROR = 0.05;

const product = <A, B, C>(as: readonly A[], bs: readonly B[], cs: readonly C[]) =>
  as.flatMap((a) => bs.flatMap((b) => cs.map((c) => [a, b, c] as const)));

describe('modelled kernel cycles', () => {
  const shapes = product([1, 5, 6, 7, 12, 25, 60, 121], [1, 3, 5], [1, 2, 3, 7]);
  test.each(shapes)('gemm: %i rows, %i panels, %i groups', async (rows, panels, groups) => {
    const { model, device: cycles } = await gemmCycles(device, rows, panels, groups);
    expect(Math.abs(model - cycles) / cycles, `${model} modelled, ${cycles} simulated`).toBeLessThan(
      MODEL_ERROR,
    );
  });

  const reductions = product([2, 6, 13, 24, 60, 110], [1, 3], [2, 3, 4, 7]);
  test.each(reductions)('reduction: %i rows, %i panels, %i pieces', async (rows, panels, pieces) => {
    const { model, device: cycles } = await reduceCycles(device, rows, panels, pieces);
    expect(Math.abs(model - cycles) / cycles, `${model} modelled, ${cycles} simulated`).toBeLessThan(
      MODEL_ERROR,
    );
  });
});

describe('simulated cycles', () => {
  const file = new URL('cycles.txt', import.meta.url);
  const kernels = [
    ['gemm', 1, 1, 1],
    ['gemm', 7, 3, 2],
    ['gemm', 12, 1, 7],
    ['gemm', 60, 5, 3],
    ['gemm', 146, 3, 6],
    ['reduce', 2, 1, 2],
    ['reduce', 13, 3, 4],
    ['reduce', 60, 1, 7],
    ['reduce', 110, 3, 3],
  ] as const;
  const cases = [
    'gemm/m=37,k=100,n=69,tiles=13,plan=3x2x2',
    'gemm/m=47,k=64,n=96,tiles=64',
    'gemm/m=67,k=50,n=83,tiles=46',
    'gemm/m=368,k=48,n=80,tiles=1472',
  ];

  test('are those on record', async () => {
    const lines = [
      '# Simulated tile cycles; exact. Rewrite with BLESS=1 npx vitest run suites/kernels.',
      '# Kernels: rows, panels of 16 columns, groups of 16 inner values (gemm) or partials (reduce).',
    ];
    for (const [kernel, rows, panels, depth] of kernels) {
      const measure = kernel === 'gemm' ? gemmCycles : reduceCycles;
      const { device: cycles } = await measure(device, rows, panels, depth);
      lines.push(`${kernel} ${rows} ${panels} ${depth}: ${cycles}`);
    }
    lines.push('# Whole calls.');
    for (const line of cases) {
      const { outcome } = await attempt(gemm.prepare(line), device);
      lines.push(`${gemm.canonical(line)}: ${outcome.cycles}`);
    }
    const text = `${lines.join('\n')}\n`;
    if (process.env.BLESS === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});
