import { readPackage, writePackage } from '../../device/package/index.ts';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { simulatorLoops } from '../../device/simulator/simulator.bench.ts';
import { attempt, judgeOutcome } from '../attempt.ts';
import { gemm } from '../gemm/operation.ts';

/** One measured task: what a call does, and how much work it is in which unit. */
export interface BenchTask {
  readonly name: string;
  /** Unit of the rate, e.g. `cases/s`; with `s` the time of one call is reported instead. */
  readonly unit: string;
  /** Amount of work per call, in the unit. */
  readonly work: number;
  /** Floor (rates) or ceiling (times) the project wants to keep on 2 cores. */
  readonly target: number;
  readonly iterations: number;
  run(): Promise<void>;
}

const FULL_CHIP = 'gemm/m=729,k=1152,n=1152,tiles=1472,fill=normal,seed=1';
/** Floors in millions of instructions a second: matrix loops on one core, and everything else. */
const MATRIX_FLOOR = 50;
const MIXED_FLOOR = 25;

/** Every benchmark of the project. Preparation is outside the measured calls. */
export async function benchTasks(): Promise<readonly BenchTask[]> {
  const small = gemm.tier('smoke').filter((line) => !line.includes('tiles=1472'));
  const device = new SimulatedIpu21();
  const loops = (await simulatorLoops()).map(
    ({ name, instructions, call }): BenchTask => ({
      name: `simulator: ${name}`,
      unit: 'M bundles/s',
      work: instructions / 1e6,
      target: name.startsWith('matrix') ? MATRIX_FLOOR : MIXED_FLOOR,
      iterations: 8,
      run: async () => {
        await call();
      },
    }),
  );
  const chip = await loaded(FULL_CHIP, 1);
  const chipTwo = await loaded(FULL_CHIP, 2);
  const prepared = gemm.prepare(FULL_CHIP);
  const application = readPackage(chip.compiled.packageBytes);
  return [
    {
      name: `small cases: compile, simulate, judge (${small.length} of the smoke tier)`,
      unit: 'cases/s',
      work: small.length,
      target: 10,
      iterations: 3,
      run: async () => {
        for (const line of small) {
          const { judgement } = await attempt(gemm.prepare(line), device);
          if (judgement.verdict !== 'passed') throw new Error(`${line}: ${judgement.reasons.join('; ')}`);
        }
      },
    },
    ...loops,
    {
      name: 'compile 729x1152x1152 for 1472 tiles, cold',
      unit: 's',
      work: 1,
      target: 30,
      iterations: 4,
      run: async () => {
        prepared.compile();
      },
    },
    {
      name: 'simulate 729x1152x1152 on 1472 tiles, one thread',
      unit: 's',
      work: 1,
      target: 30,
      iterations: 4,
      run: chip.call,
    },
    {
      name: 'simulate 729x1152x1152 on 1472 tiles, two threads',
      unit: 's',
      work: 1,
      target: 30,
      iterations: 4,
      run: chipTwo.call,
    },
    {
      name: 'reference and judge 729x1152x1152, normal fill',
      unit: 's',
      work: 1,
      target: 5,
      iterations: 2,
      run: async () => {
        judgeOutcome(prepared, chip.compiled, chip.outcome);
      },
    },
    {
      name: 'write the full-chip package',
      unit: 's',
      work: 1,
      target: 1,
      iterations: 4,
      run: async () => {
        writePackage(application);
      },
    },
    {
      name: 'read the full-chip package',
      unit: 's',
      work: 1,
      target: 0.3,
      iterations: 4,
      run: async () => {
        readPackage(chip.compiled.packageBytes);
      },
    },
  ];
}

/** A case loaded on a device of its own, ready to be called again and again. */
async function loaded(line: string, threads: number) {
  const prepared = gemm.prepare(line);
  const compiled = prepared.compile();
  const device = new SimulatedIpu21({ threads });
  await device.load(compiled.packageBytes);
  const inputs = compiled.pack(prepared.inputs);
  const outcome = await device.call('run', inputs);
  return {
    compiled,
    outcome,
    call: async () => {
      await device.call('run', inputs);
    },
  };
}
