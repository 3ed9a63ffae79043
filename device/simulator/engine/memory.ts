// SRAM access of one tile with the checks the chip makes.
import { CONFLICT, INVALID_ADDR, REGION1, SRAM, SRAM_BASE, SRAM_END } from './state';

/** Exception raised by the instruction in progress; 0 when none. */
export let fault: i32 = 0;
export let faultDetail: u32 = 0;

export function raise(code: i32, detail: u32 = 0): void {
  if (fault == 0) {
    fault = code;
    faultDetail = detail;
  }
}

export function clearFault(): void {
  fault = 0;
  faultDetail = 0;
}

/** Host address of a checked tile address, or 0 after raising INVALID_ADDR. */
// @ts-ignore: decorator
@inline
export function at(tile: usize, address: u32, bytes: u32): usize {
  if (address < SRAM_BASE || address > SRAM_END - bytes || (address & (bytes - 1)) != 0) {
    raise(INVALID_ADDR, address);
    return 0;
  }
  return <usize>load<u32>(tile, SRAM) + <usize>(address - SRAM_BASE);
}

/** The same for 128-bit accesses, which only region 1 serves. */
export function wide(tile: usize, address: u32): usize {
  if (address < REGION1) {
    raise(INVALID_ADDR, address);
    return 0;
  }
  return at(tile, address, 16);
}

/** Contention unit of one 64-bit access: 16 KiB in region 0, one of two banks of a 32 KiB pair in region 1. */
// @ts-ignore: decorator
@inline
export function bank(address: u32): u32 {
  return address < REGION1 ? address >> 14 : 64 + (((address - REGION1) >> 15) << 1) + ((address >> 3) & 1);
}

// @ts-ignore: decorator
@inline
export function apart(x: u32, y: u32): void {
  if (bank(x) == bank(y)) raise(CONFLICT, x);
}
