import { describe, expect, test } from 'vitest';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { gemm } from '../gemm/operation.ts';

const CASES = [
  'gemm/m=21,k=80,n=38',
  'gemm/m=37,k=100,n=69,tiles=13,plan=3x2x2',
  'gemm/m=24,k=208,n=40,tiles=4,plan=1x1x4,fill=large',
  'gemm/m=67,k=50,n=83,tiles=46,fill=onehot',
  'gemm/m=368,k=48,n=80,tiles=1472',
];

/** Outputs, cycles and instructions of two calls after one load. */
async function twoCalls(line: string, threads: number) {
  const prepared = gemm.prepare(line);
  const compiled = prepared.compile();
  const device = new SimulatedIpu21({ threads });
  await device.load(compiled.packageBytes);
  const inputs = compiled.pack(prepared.inputs);
  const calls = [await device.call('run', inputs), await device.call('run', inputs)];
  await device.close();
  return calls.map(({ outputs, cycles, instructions, tiles }) => ({
    // The profile words are samples of a running counter; only their differences repeat.
    c: outputs.get('c'),
    cycles,
    instructions,
    tiles: tiles.map((times) => ({
      ...times,
      startCycle: 0,
      endCycle: times.endCycle - times.startCycle,
    })),
  }));
}

describe.each(CASES)('%s', (line) => {
  test('compiles to the same bytes every time', () => {
    const [first, second] = [gemm.prepare(line).compile(), gemm.prepare(line).compile()];
    expect(second.digest).toBe(first.digest);
    expect(Buffer.compare(second.packageBytes, first.packageBytes)).toBe(0);
    expect(second.report).toEqual(first.report);
  });

  test('has the same outputs and cycles in every call, on one thread and on two', async () => {
    const [alone, shared] = [await twoCalls(line, 1), await twoCalls(line, 2)];
    expect(alone[0].cycles).toBeGreaterThan(0);
    expect(shared).toEqual(alone);
    expect(alone[1]).toEqual(alone[0]);
  });
});

test('inputs are a function of the canonical case line', () => {
  for (const line of CASES)
    expect(gemm.prepare(gemm.canonical(line)).inputs).toEqual(gemm.prepare(line).inputs);
});
