import { SRAM_BASE, SRAM_BYTES, SRAM_END } from '../ipu21/index.ts';
import { CHOICES } from './choices.ts';
import { TABLES, WASM_PAGE } from './engine.ts';

/** Byte offsets of a tile's state that the host reads and writes; the engine's state.ts is the layout. */
export const STATE = {
  physical: 0,
  sram: 4,
  time: 8,
  status: 16,
  faultCode: 20,
  faultContext: 24,
  faultPc: 28,
  phaseStart: 32,
  instructions: 40,
  active: 48,
  supervisorReady: 56,
  inRow: 64,
  sends: 68,
  controls: 72,
  syncOperand: 76,
  faultDetail: 80,
  sans: 84,
  csrs: 224,
  supervisor: 1248,
  workers: 1376,
  workerBytes: 512,
  sendList: 8192,
  controlList: 12_288,
} as const;

/** Status codes of a run. */
export const STATUS = {
  running: 0,
  barrier: 1,
  nonParticipation: 2,
  host: 3,
  rowEnded: 4,
  timelineFull: 5,
  faulted: 6,
  limit: 7,
} as const;

const GUARD = 16;

/** The chip's memory: engine tables, then state and SRAM of every tile in use, allocated once. */
export class ChipMemory {
  readonly memory: WebAssembly.Memory;
  readonly stateBytes: number;
  readonly tiles: readonly number[];
  bytes: Uint8Array;
  words: Uint32Array;
  view: DataView;
  readonly #bases = new Map<number, number>();

  /** Throws RangeError when the host cannot provide the memory. */
  constructor(physicalTiles: readonly number[], stateBytes: number) {
    const slab = alignUp(stateBytes + SRAM_BYTES + GUARD, 64);
    const total = TABLES.end + physicalTiles.length * slab;
    this.memory = new WebAssembly.Memory({
      initial: Math.ceil(total / WASM_PAGE) + 1,
      maximum: 65_536,
      shared: true,
    });
    this.stateBytes = stateBytes;
    this.tiles = physicalTiles;
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Uint32Array(this.memory.buffer);
    this.view = new DataView(this.memory.buffer);
    const halves = new Uint16Array(this.memory.buffer);
    physicalTiles.forEach((tile, index) => {
      const base = alignUp(TABLES.end, 64) + index * slab;
      this.#bases.set(tile, base);
      const sram = base + stateBytes;
      this.view.setUint32(base + STATE.physical, tile, true);
      this.view.setUint32(base + STATE.sram, sram, true);
      halves.fill(CHOICES.SRAM_POISON.value, sram / 2, (sram + SRAM_BYTES) / 2);
    });
  }

  /** Address of a tile's state in the shared memory. */
  base(tile: number): number {
    const base = this.#bases.get(tile);
    if (base === undefined) throw new RangeError(`physical tile ${tile} is not in the package`);
    return base;
  }

  has(tile: number): boolean {
    return this.#bases.has(tile);
  }

  /** View of a tile's SRAM. Throws RangeError outside it. */
  sram(tile: number, address: number, bytes: number): Uint8Array {
    if (address < SRAM_BASE || bytes < 0 || address + bytes > SRAM_END)
      throw new RangeError(`address 0x${address.toString(16)} + ${bytes} is outside tile memory`);
    const start = this.base(tile) + this.stateBytes + address - SRAM_BASE;
    return this.bytes.subarray(start, start + bytes);
  }

  u32(tile: number, offset: number): number {
    return this.view.getUint32(this.base(tile) + offset, true);
  }

  setU32(tile: number, offset: number, value: number): void {
    this.view.setUint32(this.base(tile) + offset, value, true);
  }

  u64(tile: number, offset: number): number {
    return Number(this.view.getBigUint64(this.base(tile) + offset, true));
  }

  setU64(tile: number, offset: number, value: number): void {
    this.view.setBigUint64(this.base(tile) + offset, BigInt(value), true);
  }
}

const alignUp = (value: number, unit: number) => Math.ceil(value / unit) * unit;
