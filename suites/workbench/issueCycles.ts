import type { Form, Instruction, Operand, ProgramLine } from '../../device/ipu21/index.ts';
import { CSR } from '../../device/ipu21/index.ts';
import { CHOICES } from '../../device/simulator/index.ts';

/** Worker cycles of instructions that take more than one; all others take one [SDK]. */
const WORKER_CYCLES: ReadonlyMap<string, number> = new Map([
  ['f32exp', CHOICES.EXP_CYCLES.value],
  ['f32exp2', CHOICES.EXP_CYCLES.value],
  ['f32ln', CHOICES.LOG_CYCLES.value],
  ['f32log2', CHOICES.LOG_CYCLES.value],
  ['f32tanh', CHOICES.TANH_CYCLES.value],
  ['f32sigm', CHOICES.SIGMOID_CYCLES.value],
  ['f32oox', CHOICES.RECIPROCAL_CYCLES.value],
  ['f32oorx', CHOICES.RECIPROCAL_ROOT_CYCLES.value],
  ['f32sqrt', CHOICES.ROOT_CYCLES.value],
  ['f32div', CHOICES.DIVIDE_CYCLES.value],
  ...['f16v2exp', 'f16v2exp2', 'f16v2ln', 'f16v2log2', 'f16v2sigm'].map(
    (name) => [name, CHOICES.HALF_ELEMENTARY_CYCLES.value] as const,
  ),
  ['f16v2tanh', CHOICES.HALF_TANH_CYCLES.value],
]);

/** Worker cycles of one instruction or bundle: the slowest of its parts. */
export const workerCycles = (line: ProgramLine): number =>
  Math.max(1, ...line.instructions.map(({ form }) => WORKER_CYCLES.get(form.mnemonic) ?? 1));

export interface SupervisorCycles {
  /** Tile cycles from the issue of the first instruction until the next block's first may issue. */
  readonly cycles: number;
  /** Cycles more when the last branch is taken. */
  readonly taken: number;
}

const CONDITIONAL = new Set(['brz', 'brnz', 'brneg', 'brpos', 'brnzdec']);
const ALWAYS = new Set(['br', 'bri', 'call']);
const LAUNCHES = new Set(['run', 'runall']);

function issueCost({ form, operands }: Instruction): number {
  const { mnemonic } = form;
  if (ALWAYS.has(mnemonic)) return CHOICES.BRANCH_CYCLES.value;
  if (LAUNCHES.has(mnemonic)) return CHOICES.LAUNCH_CYCLES.value;
  if (mnemonic === 'put' && operands[0] === CSR.CCCSLOAD) return CHOICES.CCCSLOAD_CYCLES.value;
  if (mnemonic === 'sync') return operands[0] === 2 ? CHOICES.LOCAL_SYNC_CYCLES.value : 1;
  if (/^(delay|send)/.test(mnemonic)) return Number(operands[0]) + 1;
  return 1;
}

function registers(form: Form, operands: readonly Operand[], access: 'read' | 'write'): number[] {
  return form.operands.flatMap((slot, index) => {
    const operand = operands[index];
    if (slot.kind !== 'register' || typeof operand === 'number') return [];
    if (slot.access !== access && slot.access !== 'readwrite') return [];
    return Array.from({ length: slot.span }, (_, offset) => operand.index + offset).filter(
      (number) => number < 15,
    );
  });
}

/**
 * Cycles of supervisor code without jumps into its middle: an instruction waits until its operands are ready,
 * six cycles after their issue [SDK]. Waiting for workers or other tiles is not counted.
 */
export function supervisorCycles(lines: readonly ProgramLine[]): SupervisorCycles {
  const ready = new Map<number, number>();
  let free = 0;
  let taken = 0;
  for (const { instructions } of lines) {
    for (const instruction of instructions) {
      const { form, operands } = instruction;
      const operandsReady = registers(form, operands, 'read').map((number) => ready.get(number) ?? 0);
      const issue = Math.max(free, ...operandsReady);
      free = issue + issueCost(instruction);
      taken = CONDITIONAL.has(form.mnemonic) ? CHOICES.BRANCH_CYCLES.value - 1 : 0;
      for (const number of registers(form, operands, 'write'))
        ready.set(number, issue + CHOICES.RESULT_LATENCY.value);
    }
  }
  return { cycles: free, taken };
}
