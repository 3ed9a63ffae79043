import type { Device } from '../../device/device.ts';
import { encode } from '../../device/ipu21/index.ts';
import { readPackage, writePackage } from '../../device/package/index.ts';
import { attempt } from '../attempt.ts';
import { gemm } from '../gemm/operation.ts';
import { is, operandOf, patchCode, symbol } from '../self/patch.ts';

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
  const application = readPackage(compiled.packageBytes);
  const reduce = symbol(application, 'reduce');
  const nop = encode('nop', []);
  const without = patchCode(application, (site) =>
    is('call')(site) && operandOf(site, 1) === reduce ? nop : undefined,
  );
  await device.load(writePackage(without));
  const rest = await device.call('run', compiled.pack(prepared.inputs));
  return { model: stepModel(compiled.report.steps, 'reduce'), device: outcome.cycles - rest.cycles };
}

function stepModel(steps: readonly { name: string; modelCycles: number }[], name: string): number {
  const found = steps.find((step) => step.name === name);
  if (found === undefined) throw new RangeError(`the program has no step ${name}`);
  return found.modelCycles;
}
