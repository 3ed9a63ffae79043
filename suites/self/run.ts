import { readPackage, writePackage } from '../../device/package/index.ts';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { type CaseJudgement, judgeCase } from '../../harness/judge/index.ts';
import { SIMULATOR_CANARIES } from '../attempt.ts';
import { gemm } from '../gemm/operation.ts';
import type { Files, PlantedDefect } from './defect.ts';

/** How the suite answered a planted defect in one case. */
export interface Finding {
  readonly defect: string;
  readonly line: string;
  readonly caught: boolean;
  /** Verdict, or the error that stopped the case. */
  readonly by: string;
  readonly reason: string;
  /** Patterns the judge named, most telling first. */
  readonly patterns: readonly string[];
  /** Undefined when the defect asks for no pattern. */
  readonly localised: boolean | undefined;
}

/** Inputs of another seed, so that a stale result differs from the right one. */
const reseeded = (line: string) => line.replace('seed=1', 'seed=2');

/** Plants a defect in one case and runs it through the same stages as any other case. */
export async function runPlantedDefect(defect: PlantedDefect, line: string): Promise<Finding> {
  const device = new SimulatedIpu21({ cycleLimit: 2_000_000 });
  const { sabotage } = defect;
  try {
    const prepared = gemm.prepare(line);
    const compiled = prepared.compile();
    const application = readPackage(compiled.packageBytes);
    const damaged = sabotage.application?.(application) ?? application;
    const written = sabotage.application === undefined ? compiled.packageBytes : writePackage(damaged);
    await device.load(sabotage.bytes?.(written) ?? written);
    const stale: Files = new Map();
    if (sabotage.outputs !== undefined) {
      const other = await device.call('run', compiled.pack(gemm.prepare(reseeded(line)).inputs));
      for (const [name, bytes] of other.outputs) stale.set(name, bytes.slice());
    }
    sabotage.sram?.(device, damaged);
    const inputs: Files = new Map(compiled.pack(prepared.inputs));
    sabotage.inputs?.(inputs);
    const outcome = await device.call('run', inputs);
    const outputs: Files = new Map(outcome.outputs);
    sabotage.outputs?.(outputs, stale);
    const judgement = judgeCase(prepared.reference(compiled), compiled.unpack(outputs), {
      canaries: SIMULATOR_CANARIES,
      locate: (tensor, index) => compiled.locate(tensor, index),
    });
    return judged(defect, line, judgement);
  } catch (error) {
    return stopped(defect, line, error);
  } finally {
    await device.close();
  }
}

function judged(defect: PlantedDefect, line: string, judgement: CaseJudgement): Finding {
  const patterns = judgement.outputs.flatMap((output) => output.patterns.map((pattern) => pattern.kind));
  return {
    defect: defect.name,
    line,
    caught: judgement.verdict !== 'passed',
    by: judgement.verdict,
    reason: judgement.reasons[0] ?? '',
    patterns,
    localised: defect.pattern && patterns.some((pattern) => defect.pattern?.test(pattern)),
  };
}

/** A typed error of device or package catches a defect; anything else is a defect of the suite. */
function stopped(defect: PlantedDefect, line: string, error: unknown): Finding {
  const known = error as { verdict?: string; message?: string };
  if (typeof known.verdict !== 'string') throw error;
  return {
    defect: defect.name,
    line,
    caught: true,
    by: known.verdict,
    reason: known.message ?? '',
    patterns: [],
    localised: undefined,
  };
}
