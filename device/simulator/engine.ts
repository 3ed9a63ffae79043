import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FORMS, type Form, type Slot } from '../ipu21/index.ts';
import { opcodeOf } from './opcodes.ts';

/** What the engine exports. Addresses are byte offsets in the shared memory. */
export interface EngineExports {
  setup(halfTable: number, rowTable: number, rows: number, cache: number, build: boolean): void;
  /** Runs one tile until it waits, faults or passes the cycle limit; returns a status code. */
  run(tile: number, limit: bigint): number;
  /** Lets a tile issue at most one instruction or bundle; returns a status code. */
  step(tile: number): number;
  /** Opcode number that the decoder gives a word, 0 for no instruction. */
  opcodeAt(word: number): number;
  /** Fills memory with a 32-bit pattern; `bytes` is a multiple of 16. */
  poison(address: number, bytes: number, pattern: number): void;
}

export const WASM_PAGE = 65_536;
const ROW_BYTES = 96;
/** Word cache and bundle cache of one thread. */
const CACHE_BYTES = 16_384 * 48 + 4096 * 136;
/** Leaves the engine's own statics alone. */
const TABLES_START = WASM_PAGE;
export const MAXIMUM_THREADS = 16;

const HALF_BYTES = 65_536 * 8;
const ROW_TABLE_BYTES = 512 * ROW_BYTES;
const CONTROL_BYTES = 8192;

/** Fixed part of the memory: thread control, number tables, instruction rows, one decode cache per thread. */
export const TABLES = {
  control: TABLES_START,
  half: TABLES_START + CONTROL_BYTES,
  rows: TABLES_START + CONTROL_BYTES + HALF_BYTES,
  caches: TABLES_START + CONTROL_BYTES + HALF_BYTES + ROW_TABLE_BYTES,
  end: TABLES_START + CONTROL_BYTES + HALF_BYTES + ROW_TABLE_BYTES + MAXIMUM_THREADS * CACHE_BYTES,
} as const;

const fixedBits = (form: Form) => form.mask.toString(2).replaceAll('0', '').length;

/** Most specific first, as the disassembler decodes: nop before setzi. */
const ROWS = FORMS.filter((form) => form.words === 1).sort((x, y) => fixedBits(y) - fixedBits(x));

/** Arguments of the engine's set-up for a thread; thread 0 builds the tables. */
export const threadSetup = (thread: number) =>
  [TABLES.half, TABLES.rows, ROWS.length, TABLES.caches + thread * CACHE_BYTES, thread === 0] as const;

/** Engine binary, next to the built sources or, when run from sources, in the build folder. */
export function enginePath(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = join(here, '../..');
  return here.includes(`${join('build', 'device')}`)
    ? join(root, 'engine/engine.wasm')
    : join(root, 'build/engine/engine.wasm');
}

let compiled: WebAssembly.Module | undefined;

export function engineModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(enginePath()));
  return compiled;
}

/** Instance for one thread. The first one of a memory builds the tables. */
export function instantiate(
  memory: WebAssembly.Memory,
  module: WebAssembly.Module,
  thread: number,
): EngineExports {
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const engine = instance.exports as unknown as EngineExports;
  if (thread === 0) writeRows(memory);
  engine.setup(...threadSetup(thread));
  return engine;
}

const BROADCASTS = { B: 1, BL: 2, BU: 4 } as const;

/** What a repeat body may not hold. */
const CONTROL_FLOW = /^(br|bri|br[a-z]+|call|rpt|exit[a-z]+|trap)$/;

/** Instruction rows in the engine's format: the only decoder it has. */
function writeRows(memory: WebAssembly.Memory): void {
  const view = new DataView(memory.buffer);
  ROWS.forEach((form, index) => {
    const row = TABLES.rows + index * ROW_BYTES;
    view.setUint32(row, form.mask, true);
    view.setUint32(row + 4, form.match, true);
    view.setUint16(row + 8, opcodeOf(form), true);
    const flags =
      (form.pipe === 'aux' ? 1 : 0) |
      (form.solo ? 2 : 0) |
      (form.mode === 'supervisor' ? 4 : 0) |
      (form.mode === 'worker' ? 8 : 0) |
      (CONTROL_FLOW.test(form.mnemonic) ? 16 : 0);
    view.setUint8(row + 10, flags);
    view.setUint8(row + 11, form.operands.length);
    form.operands.forEach((slot, operand) => {
      writeSlot(view, row + 12 + operand * 16, slot);
    });
  });
}

function writeSlot(view: DataView, place: number, slot: Slot): void {
  const register = slot.kind === 'register';
  view.setUint8(place, register ? (slot.file === 'm' ? 0 : 1) : 2);
  view.setUint8(place + 1, register ? slot.span : 1);
  view.setUint8(place + 2, register ? { read: 1, write: 2, readwrite: 3 }[slot.access] : 0);
  view.setUint8(place + 3, register ? 0 : Number(slot.type === 'simm'));
  view.setUint8(place + 4, register ? 0 : slot.shift);
  const pieces = register ? ([[slot.at, 4]] as const) : slot.pieces;
  view.setUint8(place + 5, pieces.length);
  pieces.forEach(([at, bits], piece) => {
    view.setUint8(place + 6 + piece * 2, at);
    view.setUint8(place + 7 + piece * 2, bits);
  });
  view.setUint8(place + 13, register ? slot.last : 255);
  view.setUint8(place + 12, register && slot.broadcast !== undefined ? BROADCASTS[slot.broadcast] : 0);
}
