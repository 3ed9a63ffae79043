import type { Device } from '../../device/device.ts';
import { attempt } from '../attempt.ts';
import { gemm } from '../gemm/operation.ts';
import { callsOf } from '../self/calls.ts';
import { Surgery } from '../self/surgery.ts';

/** Modelled and executed tile cycles of one kernel. */
export interface KernelCycles {
  readonly model: number;
  readonly device: number;
}

/**
 * The matrix kernel on one tile: `rows` rows, `panels` panels of 16 columns, `groups` groups of 16 inner
 * values. Device cycles lie between the tile's own two samples. Throws when the result is not right.
 */
export async function gemmCycles(
  device: Device,
  rows: number,
  panels: number,
  groups: number,
): Promise<KernelCycles> {
  const { compiled, outcome, judgement } = await attempt(
    gemm.prepare(`gemm/m=${rows},k=${16 * groups},n=${16 * panels}`),
    device,
  );
  if (judgement.verdict !== 'passed') throw new Error(judgement.reasons.join('; '));
  return { model: stepModel(compiled.report.steps, 'gemm'), device: outcome.cycles };
}

/**
 * The reduction kernel: `rows` x 16 `panels` results, each the sum of `pieces` partials on as many tiles.
 * Device cycles are those of the whole call less those of a call whose reduction is patched out.
 */
export async function reduceCycles(
  device: Device,
  rows: number,
  panels: number,
  pieces: number,
): Promise<KernelCycles> {
  const line = `gemm/m=${rows},k=${16 * pieces},n=${16 * panels},tiles=${pieces},plan=1x1x${pieces}`;
  const prepared = gemm.prepare(line);
  const { compiled, outcome, judgement } = await attempt(prepared, device);
  if (judgement.verdict !== 'passed') throw new Error(judgement.reasons.join('; '));
  const surgery = new Surgery(compiled.packageBytes);
  for (const tile of surgery.tiles)
    for (const call of callsOf(surgery, tile, 'reduce')) surgery.replace(call, 'nop');
  await device.load(surgery.bytes());
  const rest = await device.call('run', compiled.pack(prepared.inputs));
  return { model: stepModel(compiled.report.steps, 'reduce'), device: outcome.cycles - rest.cycles };
}

function stepModel(steps: readonly { name: string; modelCycles: number }[], name: string): number {
  const found = steps.find((step) => step.name === name);
  if (found === undefined) throw new RangeError(`the program has no step ${name}`);
  return found.modelCycles;
}
