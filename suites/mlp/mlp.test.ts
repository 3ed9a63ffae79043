import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it, test } from 'vitest';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { attempt, judgeOutcome } from '../attempt.ts';
import { compileMlp } from './build.ts';
import { mlp } from './operation.ts';
import { mlpGrammar } from './problem.ts';

const CYCLES = new URL('./cycles.txt', import.meta.url);
const device = new SimulatedIpu21({ threads: 2 });
afterAll(() => device.close());

describe('MLP cases, compiled, simulated and judged', () => {
  test('the whole smoke tier passes, and its bounds could fail', async () => {
    const lines = mlp.tier('smoke');
    expect(lines.length).toBeGreaterThanOrEqual(19);
    const ratios: number[] = [];
    const cycles: string[] = [];
    for (const line of lines) {
      const { judgement, outcome } = await attempt(mlp.prepare(line), device);
      expect(judgement.reasons, line).toEqual([]);
      cycles.push(`${line} | ${outcome.cycles}`);
      ratios.push(...judgement.outputs.map(({ metrics }) => metrics?.maxBoundRatio.value ?? 0));
    }
    expect(Math.max(...ratios)).toBeGreaterThan(0.1);
    const text = `# Simulated cycles of the smoke tier, exact. BLESS=1 writes this file; a change is a reviewed diff.\n${cycles.join('\n')}\n`;
    if (process.env.BLESS === '1') writeFileSync(CYCLES, text);
    expect(text).toBe(readFileSync(CYCLES, 'utf8'));
  });

  test('corpora have the promised sizes and sides', () => {
    const [ci, nightly] = [mlp.tier('ci'), mlp.tier('nightly')];
    expect(ci.length).toBeGreaterThanOrEqual(120);
    expect(nightly.length).toBeGreaterThanOrEqual(800);
    for (const side of [
      'in=f8',
      'in=f16',
      'weights=replicated',
      'weights=single',
      'bias=0',
      'tiles=1472',
      'blocks=4',
      'batch=3',
    ])
      expect(
        ci.some((line) => line.includes(side)),
        side,
      ).toBe(true);
    expect(nightly.filter((line) => /mlp\/.*siglip.*/.test(line))).toHaveLength(4);
  });
});

describe('planted defects of an MLP', () => {
  const line = 'mlp/tokens=33,width=48,hidden=80,tiles=8,weights=replicated';
  type Inputs = ReturnType<typeof mlp.prepare>['inputs'];
  const changed = (inputs: Inputs, name: string, change: (codes: Uint16Array) => Uint16Array): Inputs =>
    inputs.map((tensor) =>
      tensor.name === name ? { ...tensor, data: change(tensor.data as Uint16Array) } : tensor,
    );
  /** The reference keeps its inputs while the device gets others, or runs another program. */
  const judged = async (problemLine: string, change: (inputs: Inputs) => Inputs) => {
    const prepared = mlp.prepare(line);
    const { fill: _f, seed: _s, model: _m, ...request } = mlpGrammar.parse(problemLine);
    const compiled = compileMlp(request);
    await device.load(compiled.packageBytes);
    const outcome = await device.call('run', compiled.pack(change(prepared.inputs)));
    return judgeOutcome(prepared, compiled, outcome).verdict;
  };

  it.each<[string, (inputs: Inputs) => Inputs]>([
    ['nothing', (inputs) => inputs],
    ['a dropped bias', (inputs) => changed(inputs, 'b1.0', (codes) => new Uint16Array(codes.length))],
    [
      'biases one feature on',
      (inputs) => changed(inputs, 'b1.0', (codes) => codes.map((_, at) => codes[(at + 1) % codes.length])),
    ],
    [
      'tokens one row on',
      (inputs) => changed(inputs, 'x', (codes) => codes.map((_, at) => codes[(at + 48) % codes.length])),
    ],
    [
      'weights of one inner block missing',
      (inputs) => changed(inputs, 'w2.0', (codes) => codes.map((code, at) => (at < 16 * 48 ? 0 : code))),
    ],
    [
      'weights transposed in a block',
      (inputs) =>
        changed(inputs, 'w1.0', (codes) =>
          codes.map((_, at) => codes[(at % 80) * 48 + Math.floor(at / 80)] ?? 0),
        ),
    ],
    [
      'weights twice as large',
      (inputs) => changed(inputs, 'w2.0', (codes) => codes.map((code) => code + 0x400)),
    ],
    [
      'a hidden value stuck',
      (inputs) => changed(inputs, 'b1.0', (codes) => codes.map((code, at) => (at === 7 ? 0x4500 : code))),
    ],
  ])('%s', async (name, change) => {
    expect(await judged(line, change)).toBe(name === 'nothing' ? 'passed' : 'failed-numerics');
  });
});

it('flops count both products, two per multiply-accumulate', () => {
  expect(mlp.prepare('mlp/tokens=3,width=5,hidden=7,blocks=2,batch=4,tiles=1').flops).toBe(
    2 * 2 * (4 * 3) * 5 * 7 * 2,
  );
});

it('equal requests give equal bytes, whatever was compiled between', () => {
  const problem = mlpGrammar.parse('mlp/tokens=33,width=48,hidden=80,tiles=8,in=f8');
  const first = compileMlp(problem).digest;
  compileMlp(mlpGrammar.parse('mlp/tokens=17,width=32,hidden=48,tiles=4'));
  expect(compileMlp(problem).digest).toBe(first);
});
