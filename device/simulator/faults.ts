import { DeviceError } from '../device.ts';
import {
  COISSUE_BIT,
  disassemble,
  exceptionName,
  inSram,
  isExecutable,
  logicalTileOf,
  type PhysicalTile,
} from '../ipu21/index.ts';
import { opcodeText } from './opcodes.ts';
import type { ChipMemory } from './tileMemory.ts';
import { STATE } from './tileState.ts';
import type { ExchangeFault } from './timeline.ts';

/** Codes of the engine that are not exceptions of the chip. */
export const NOT_MODELLED = 100;
const RUNALL_ERROR = 101;

const hex = (value: number) => `0x${(value >>> 0).toString(16)}`;

/** The exception of a stopped tile, with code, place, instruction and registers. */
export function tileFault(memory: ChipMemory, tile: number): DeviceError {
  const code = memory.u32(tile, STATE.faultCode);
  const context = memory.u32(tile, STATE.faultContext);
  const detail = memory.u32(tile, STATE.faultDetail);
  const pc = memory.u32(tile, STATE.faultPc);
  const who = context === 0 ? 'supervisor' : `worker ${context - 1}`;
  const logical = logicalTileOf(tile as PhysicalTile);
  const instruction = isExecutable(pc) ? instructionAt(memory, tile, pc) : 'outside executable memory';
  const name =
    code === NOT_MODELLED
      ? `not modelled (${opcodeText(detail)})`
      : code === RUNALL_ERROR
        ? 'launch while workers are active (RAERR)'
        : (exceptionName(code) ?? `code ${code}`);
  return new DeviceError(
    'device-fault',
    'run',
    `tile ${logical} (physical ${tile}) ${who}: ${name} at pc ${hex(pc)}: ${instruction}`,
    {
      code,
      exception: name,
      physicalTile: tile,
      context: who,
      pc: hex(pc),
      instruction,
      detail: hex(detail),
      cycle: memory.u64(tile, STATE.time),
      registers: registers(memory, tile, context),
    },
    code === NOT_MODELLED
      ? 'The simulator does not model this yet; the program may still be right.'
      : 'Look at the listing around the pc and at the registers.',
    logical,
  );
}

/** Instruction or bundle at a pc, as text. */
export function instructionAt(memory: ChipMemory, tile: number, pc: number): string {
  const word = (address: number) =>
    new DataView(memory.sram(tile, address, 4).slice().buffer).getUint32(0, true);
  if (pc % 4 !== 0) return 'misaligned';
  const first = word(pc);
  if ((first & COISSUE_BIT) === 0 || !inSram(pc + 4, 4)) return disassemble(first);
  return `{ ${disassemble((first & ~COISSUE_BIT) >>> 0)} ; ${disassemble(word(pc + 4))} }`;
}

function registers(memory: ChipMemory, tile: number, context: number): string {
  const base = context === 0 ? STATE.supervisor : STATE.workers + (context - 1) * STATE.workerBytes;
  const read = (offset: number, index: number) => hex(memory.u32(tile, base + offset + index * 4));
  const main = Array.from({ length: 16 }, (_, index) => `m${index}=${read(16, index)}`);
  const aux = context === 0 ? [] : Array.from({ length: 8 }, (_, index) => `a${index}=${read(80, index)}`);
  return [...main, ...aux].join(' ');
}

const RECEIVE_CODES: Readonly<Record<string, number>> = {
  'memory access': 1,
  'instruction fetch': 2,
  'bad address': 3,
  'workers active': 4,
  'memory conflict': 6,
  'format change': 7,
};

/** A receive error (EXERR) of a tile. */
export function exchangeFault(
  fault: Omit<ExchangeFault, 'error'> & { readonly error: ExchangeFault['error'] | 'workers active' },
): DeviceError {
  const logical = logicalTileOf(fault.tile as PhysicalTile);
  return new DeviceError(
    'device-fault',
    'exchange',
    `tile ${logical} (physical ${fault.tile}) exchange: ${fault.error} at event ${fault.event}, address ${hex(fault.address)}: ${fault.detail}`,
    {
      code: 13,
      exception: fault.error === 'not modelled' ? 'not modelled' : 'EXERR',
      receiveError: RECEIVE_CODES[fault.error] ?? 0,
      physicalTile: fault.tile,
      event: fault.event,
      address: hex(fault.address),
    },
    'Compare the exchange row of this tile with its senders.',
    logical,
  );
}
