import { DeviceError } from '../device.ts';
import { SRAM_BASE, SRAM_BYTES, SRAM_END } from '../ipu21/index.ts';
import { CHOICES } from './choices.ts';
import { TABLES } from './engine.ts';
import { EngineHost } from './host.ts';
import { STATE } from './tileState.ts';

/** Bytes of one tile's state; the engine's state.ts is the layout. */
const STATE_BYTES = 24_576;
const SLAB_BYTES = alignUp(STATE_BYTES + SRAM_BYTES, 64);
const FIRST_SLAB = alignUp(TABLES.end, 64);

/** The chip's memory: state and SRAM of every tile in use, behind the engine's tables. */
export class ChipMemory {
  readonly host: EngineHost;
  readonly tiles: readonly number[];
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  readonly view: DataView;
  readonly #bases = new Map<number, number>();

  /** Clears the state and poisons the SRAM of every tile. Throws DeviceError without tiles, RangeError when memory runs out. */
  constructor(physicalTiles: readonly number[]) {
    if (physicalTiles.length === 0) {
      throw new DeviceError(
        'infra-error',
        'load',
        'the package uses no tile',
        { tiles: 0 },
        'Give it at least one.',
      );
    }
    this.host = EngineHost.acquire(FIRST_SLAB + physicalTiles.length * SLAB_BYTES);
    this.tiles = physicalTiles;
    const { buffer } = this.host.memory;
    this.bytes = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer);
    this.view = new DataView(buffer);
    const pattern = CHOICES.SRAM_POISON.value * 0x10001;
    physicalTiles.forEach((tile, index) => {
      const base = FIRST_SLAB + index * SLAB_BYTES;
      this.#bases.set(tile, base);
      this.bytes.fill(0, base, base + STATE_BYTES);
      this.host.engine.poison(base + STATE_BYTES, SRAM_BYTES, pattern);
      this.view.setUint32(base + STATE.physical, tile, true);
      this.view.setUint32(base + STATE.sram, base + STATE_BYTES, true);
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
    const whole = Number.isInteger(address) && Number.isInteger(bytes);
    if (!whole || address < SRAM_BASE || bytes < 0 || address + bytes > SRAM_END)
      throw new RangeError(`address 0x${address.toString(16)} + ${bytes} is outside tile memory`);
    const start = this.base(tile) + STATE_BYTES + address - SRAM_BASE;
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

function alignUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
