import {
  CSR,
  type LogicalTile,
  m,
  NEUTRAL_SOURCE,
  PHASE_DCOUNT,
  SENDPIC_SELECTOR,
  SYNC,
  WORKER_COUNT,
} from '../../device/ipu21/index.ts';
import { Assembler, type MachineCode } from '../assembler/assembler.ts';
import { encodeRow, type RowInstruction } from '../exchange/row.ts';
import type { PhaseSchedule } from '../exchange/schedule.ts';
import { emitAdd } from '../kernels/add.ts';
import { castLabel, emitCast } from '../kernels/cast.ts';
import { emitEpilogue, epilogueLabel } from '../kernels/epilogue.ts';
import { emitGemmSupervisor, emitGemmWorkers } from '../kernels/gemm.ts';
import { emitNorm } from '../kernels/layerNorm.ts';
import { emitMerge } from '../kernels/merge.ts';
import { emitReduceSupervisor, emitReduceWorkers } from '../kernels/reduce.ts';
import { emitSoftmax } from '../kernels/softmax.ts';
import type { ExchangeStep, GemmStep, LoweredProgram, OperandType, Step } from '../lower/stages.ts';
import {
  COMPLETION_ADDRESS,
  END_CYCLE_ADDRESS,
  START_CYCLE_ADDRESS,
  WORKER_STACK_ADDRESS,
  WORKER_STACK_BYTES,
} from '../place/memoryMap.ts';
import type { Placement } from '../place/place.ts';

const SCRATCH = m(0);
const ZERO = m(15);

/** Coefficients and inputs of the matrix unit in F143 [SDK]. */
const F143_OPERANDS = 3;

/** All GEMMs of a program take operands of one type. */
const gemmOperands = ({ steps }: LoweredProgram): OperandType =>
  steps.some((step) => step.kind === 'gemm' && step.operands === 'f8f143') ? 'f8f143' : 'f16';

/** Kernel code, the same on every tile of a program. */
export function assembleKernels(program: LoweredProgram, address: number): MachineCode {
  const asm = new Assembler(address);
  const kinds = new Set(program.steps.map((step) => step.kind));
  if (kinds.has('gemm')) {
    const idleWorkers = program.steps.some(
      (step) =>
        step.kind === 'gemm' && step.tiles.some((args) => args !== undefined && args.rows < WORKER_COUNT),
    );
    emitGemmWorkers(asm, idleWorkers, gemmOperands(program));
    emitGemmSupervisor(asm);
  }
  if (kinds.has('reduce')) {
    emitReduceWorkers(asm);
    emitReduceSupervisor(asm);
  }
  const epilogues = new Map(
    program.steps.flatMap((step) =>
      step.kind === 'epilogue' ? [[epilogueLabel(step.work), step.work]] : [],
    ),
  );
  for (const work of epilogues.values()) emitEpilogue(asm, work);
  const scales = new Set(program.steps.flatMap((step) => (step.kind === 'cast' ? [step.scale] : [])));
  for (const scale of scales) emitCast(asm, scale);
  if (kinds.has('softmax')) emitSoftmax(asm);
  if (kinds.has('merge')) emitMerge(asm);
  if (kinds.has('add')) emitAdd(asm);
  if (kinds.has('norm')) emitNorm(asm);
  asm.align(8);
  return asm.finish();
}

/**
 * Supervisor program of one tile: set-up once, then per call a host barrier, the steps between two cycle
 * samples, and the completion word. Runs forever; the host barrier is where it rests.
 */
export function assembleTile(
  program: LoweredProgram,
  placement: Placement,
  phases: readonly (PhaseSchedule | undefined)[],
  kernels: MachineCode,
  tile: LogicalTile,
  physicalTile: number,
): MachineCode {
  const asm = new Assembler(kernels.address + kernels.words.byteLength, kernels.symbols);
  const set = (register: number, value: number) => asm.op('setzi', m(register), value);
  const addressOf = (name: string) => {
    for (const [buffer, placed] of placement.buffers) if (buffer === name) return placed.address;
    throw new RangeError(`buffer ${name} is not placed`);
  };
  const sample = (address: number) => {
    asm.op('get', SCRATCH, CSR.SCOUNT_L);
    asm.op('setzi', m(1), address);
    asm.op('st32', SCRATCH, m(1), ZERO, 0);
  };

  asm.label('start');
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    set(0, WORKER_STACK_ADDRESS + worker * WORKER_STACK_BYTES);
    asm.op('put', CSR.WORKER0_BASE + worker, SCRATCH);
  }
  asm.op('put', CSR.FP_ICTL, ZERO);
  if (gemmOperands(program) === 'f8f143') {
    set(0, F143_OPERANDS);
    asm.op('put', CSR.FP_INFMT, SCRATCH);
  }
  set(0, NEUTRAL_SOURCE);
  asm.op('put', CSR.INCOMING_MUX, SCRATCH);
  asm.label('invocation');
  asm.op('sync', SYNC.gs2Host);
  sample(START_CYCLE_ADDRESS);
  let inRow = false;
  program.steps.forEach((step, index) => {
    if (step.kind === 'exchange') {
      inRow = emitPhase(asm, phases[index], physicalTile, inRow);
      return;
    }
    if (step.tiles[tile] !== undefined) inRow = false;
    switch (step.kind) {
      case 'gemm': {
        const args = step.tiles[tile];
        if (args === undefined) break;
        if (step.operands === 'f8f143') {
          set(0, step.scale & 63);
          asm.op('put', CSR.FP_ISCL, SCRATCH);
        }
        set(2, addressOf(step.right));
        set(3, addressOf(step.table));
        set(4, args.panels - 1);
        if (args.groups > 1) set(5, args.groups - 2);
        else asm.op('add', m(5), ZERO, -1);
        asm.op('call', m(10), asm.at('gemm'));
        break;
      }
      default:
        if (step.tiles[tile] === undefined) break;
        set(3, addressOf(step.table));
        asm.op('call', m(10), asm.at(routineOf(step)));
    }
  });
  sample(END_CYCLE_ADDRESS);
  set(0, 1);
  set(1, COMPLETION_ADDRESS);
  asm.op('st32', SCRATCH, m(1), ZERO, 0);
  asm.op('bri', asm.at('invocation'));
  return asm.finish();
}

/** The routine of a step whose arguments are all in its table. */
function routineOf(step: Exclude<Step, ExchangeStep | GemmStep>): string {
  if (step.kind === 'cast') return castLabel(step.scale);
  return step.kind === 'epilogue' ? epilogueLabel(step.work) : step.kind;
}

/**
 * Barrier and row of a phase. `inRow` says that the code before is the row of another phase, whose receives must be
 * over before their registers change. Gives whether the code ends with a row.
 */
function emitPhase(
  asm: Assembler,
  phase: PhaseSchedule | undefined,
  physicalTile: number,
  inRow: boolean,
): boolean {
  const schedule = phase?.tiles.get(physicalTile);
  if (schedule === undefined) {
    asm.op('sans', 0);
    asm.op('sync', SYNC.nonParticipation);
    return false;
  }
  if (inRow) asm.op('sync', SYNC.local);
  for (const csr of [CSR.INCOMING_BASE, CSR.OUTGOING_BASE, CSR.INCOMING_FORMAT]) asm.op('put', csr, ZERO);
  asm.op('setzi', SCRATCH, NEUTRAL_SOURCE);
  asm.op('put', CSR.INCOMING_MUX, SCRATCH);
  asm.op('setzi', SCRATCH, PHASE_DCOUNT);
  asm.op('put', CSR.INCOMING_DCOUNT, SCRATCH);
  asm.op('sync', SYNC.local);
  asm.op('sync', SYNC.internal);
  for (const instruction of encodeRow(schedule)) emitRowInstruction(asm, instruction);
  return true;
}

function emitRowInstruction(asm: Assembler, instruction: RowInstruction): void {
  const field = instruction.events - 1;
  switch (instruction.kind) {
    case 'delay':
      asm.op('delay', field);
      break;
    case 'delayControl':
      asm.op(
        instruction.control.kind === 'source' ? 'delayxpic' : 'delaypic',
        field,
        0,
        instruction.control.value,
      );
      break;
    case 'send':
      asm.op('send', field, instruction.wordAddress, instruction.direction);
      break;
    case 'sendContinue':
      asm.op('sendoff', field, 0, instruction.direction);
      break;
    case 'sendControl':
      asm.op(
        'sendpic',
        field,
        instruction.control.kind === 'source' ? SENDPIC_SELECTOR.single : SENDPIC_SELECTOR.pointer,
        instruction.control.value,
      );
      break;
  }
}
