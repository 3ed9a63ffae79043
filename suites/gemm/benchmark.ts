import { Bench } from 'tinybench';
import type { Device } from '../../device/device.ts';
import { attempt } from '../attempt.ts';
import { gemm } from './operation.ts';
import { gemmGrammar } from './problem.ts';

/** Throughput of the plain life of a case: inputs, compile, simulate, judge. */
export interface GemmThroughput {
  readonly tier: string;
  readonly cases: number;
  readonly deviceCycles: number;
  readonly casesPerSecond: number;
}

/** Runs the cases of at most 64 tiles of the given tiers, a few rounds each, on a device. Wall time: for people. */
export async function benchmarkGemm(
  device: Device,
  tiers: readonly string[] = ['smoke', 'ci'],
  rounds = 3,
): Promise<readonly GemmThroughput[]> {
  const rows: GemmThroughput[] = [];
  for (const tier of tiers) {
    const lines = gemm.tier(tier).filter((line) => gemmGrammar.parse(line).tiles <= 64);
    let deviceCycles = 0;
    const round = async () => {
      deviceCycles = 0;
      for (const line of lines) deviceCycles += (await attempt(gemm.prepare(line), device)).outcome.cycles;
    };
    const bench = new Bench({
      iterations: rounds,
      time: 0,
      warmupIterations: 1,
      warmupTime: 0,
      throws: true,
    });
    bench.add(tier, round);
    await bench.run();
    const { result } = bench.tasks[0];
    if (result.state !== 'completed') throw new Error(`benchmark of ${tier} ended as ${result.state}`);
    rows.push({
      tier,
      cases: lines.length,
      deviceCycles,
      casesPerSecond: (1000 * lines.length) / result.latency.mean,
    });
  }
  return rows;
}
