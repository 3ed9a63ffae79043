/**
 * Tile SRAM: addresses, regions, elements, widths. Region and element facts [SDK], alignment and faults [ISA].
 * Addresses are byte addresses.
 */

export const SRAM_BASE = 0x4c000;
export const SRAM_BYTES = 624 * 1024;
/** First address after the SRAM. */
export const SRAM_END = SRAM_BASE + SRAM_BYTES;
/** Width of a tile address. */
export const ADDRESS_BITS = 21;

/** First address of region 1, the interleaved one. Code executes below it, 128-bit loads work above it. */
export const REGION1_BASE = 0x80000;
export const EXECUTABLE_END = REGION1_BASE;

/** One SRAM bank: a 64-bit port that serves one access a cycle. */
export const ELEMENT_BYTES = 0x4000;
/** In region 1 two banks alternate every 8 bytes, so that they contend as one unit of this size. */
export const REGION1_CONTENTION_BYTES = 2 * ELEMENT_BYTES;
/** Bit of the address that names the bank inside a pair of region 1. */
export const REGION1_BANK_BYTES = 8;
export const ELEMENT_COUNT = SRAM_BYTES / ELEMENT_BYTES;

/** Where the boot loader starts to fill [SDK]. */
export const LOAD_ADDRESS = 0x4c010;
/** Frames of the boot loader and their size; what lies behind the last frame cannot be preloaded [HW]. */
export const LOADER_FRAMES = 643;
export const LOADER_FRAME_BYTES = 992;
export const LOADER_END = LOAD_ADDRESS + LOADER_FRAMES * LOADER_FRAME_BYTES;
/** Tiles that one loader batch serves: one physical row [SDK]. */
export const LOADER_BATCH_TILES = 64;

/** Bytes the supervisor may fetch ahead of the program counter [SW]/[HW]. */
export const FETCH_AHEAD_BYTES = 64;
/** Part of the SRAM that host-to-tile packets can address [SW]. */
export const HOST_WINDOW = { base: 0x50000, end: 0x54000 } as const;

export const INSTRUCTION_ALIGNMENT = 4;
export const BUNDLE_ALIGNMENT = 8;

export type AccessBytes = 1 | 2 | 4 | 8 | 16;

export const inSram = (address: number, bytes = 1): boolean =>
  address >= SRAM_BASE && address + bytes <= SRAM_END;

export const isExecutable = (address: number): boolean => address >= SRAM_BASE && address < EXECUTABLE_END;

/** Why an access raises INVALID_ADDR; undefined for a legal one. Widths are naturally aligned [ISA]. */
export function accessFault(
  address: number,
  bytes: AccessBytes,
): 'unmapped' | 'misaligned' | 'region' | undefined {
  if (!inSram(address, bytes)) return 'unmapped';
  if (address % bytes !== 0) return 'misaligned';
  return bytes === 16 && address < REGION1_BASE ? 'region' : undefined;
}

/**
 * Bank 0..38 that serves the 64-bit word at an address. Inside a pair of region 1 address bit 3 selects the bank.
 */
export function bankOf(address: number): number {
  if (address < REGION1_BASE) return Math.floor((address - SRAM_BASE) / ELEMENT_BYTES);
  const first = (REGION1_BASE - SRAM_BASE) / ELEMENT_BYTES;
  const unit = Math.floor((address - REGION1_BASE) / REGION1_CONTENTION_BYTES);
  return first + 2 * unit + (Math.floor(address / REGION1_BANK_BYTES) % 2);
}

const REGION0_UNITS = (REGION1_BASE - SRAM_BASE) / ELEMENT_BYTES;

/**
 * Contention unit of an address, counted from 0: a bank of region 0 or a pair of banks of region 1. Treating a
 * pair as one unit is stricter than the hardware [SW].
 */
export function elementOf(address: number): number {
  return address < REGION1_BASE
    ? Math.floor((address - SRAM_BASE) / ELEMENT_BYTES)
    : REGION0_UNITS + Math.floor((address - REGION1_BASE) / REGION1_CONTENTION_BYTES);
}

/** Contention units that a range of bytes touches, ascending; empty for no bytes. */
export function elementsOf(address: number, bytes: number): number[] {
  const units: number[] = [];
  if (bytes <= 0) return units;
  for (let unit = elementOf(address), last = elementOf(address + bytes - 1); unit <= last; unit++)
    units.push(unit);
  return units;
}

/** First address of a contention unit. */
export const elementStart = (unit: number): number =>
  unit < REGION0_UNITS
    ? SRAM_BASE + unit * ELEMENT_BYTES
    : REGION1_BASE + (unit - REGION0_UNITS) * REGION1_CONTENTION_BYTES;
