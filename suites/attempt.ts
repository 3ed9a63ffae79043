import { CHOICES } from '../device/simulator/index.ts';
import { type CaseJudgement, judgeCase } from '../harness/judge/index.ts';
import type { CallOutcome, CompiledCase, DevicePort, PreparedCase } from '../harness/ports.ts';

/** One case run and judged. */
export interface Attempt {
  readonly compiled: CompiledCase;
  readonly outcome: CallOutcome;
  readonly judgement: CaseJudgement;
}

/** What the judge should know of a simulated device: the pattern of SRAM that nobody wrote. */
export const SIMULATOR_CANARIES: readonly number[] = [CHOICES.SRAM_POISON.value];

/**
 * The plain life of a case: compile, load, call, unpack, judge. Errors of compiler and device pass through.
 */
export async function attempt(prepared: PreparedCase, device: DevicePort): Promise<Attempt> {
  const compiled = prepared.compile();
  await device.load(compiled.packageBytes);
  const outcome = await device.call('run', compiled.pack(prepared.inputs));
  return { compiled, outcome, judgement: judgeOutcome(prepared, compiled, outcome) };
}

/** Judges what a call returned. */
export function judgeOutcome(
  prepared: PreparedCase,
  compiled: CompiledCase,
  outcome: CallOutcome,
): CaseJudgement {
  return judgeCase(prepared.reference(compiled), compiled.unpack(outcome.outputs), {
    canaries: SIMULATOR_CANARIES,
    locate: (tensor, index) => compiled.locate(tensor, index),
  });
}
