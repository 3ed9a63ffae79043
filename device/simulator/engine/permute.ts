// Permutations of bits, bytes and halfwords, the same in both register files.
import { raise } from './memory';
import * as op from './opcodes.generated';
import { NOT_MODELLED } from './state';

export function reverseBytes(x: u32): u32 {
  x = ((x & 0x55555555) << 1) | ((x >> 1) & 0x55555555);
  x = ((x & 0x33333333) << 2) | ((x >> 2) & 0x33333333);
  return ((x & 0x0f0f0f0f) << 4) | ((x >> 4) & 0x0f0f0f0f);
}

// @ts-ignore: decorator
@inline
export function byteOf(x: u32, index: i32): u32 {
  return (x >> (8 * index)) & 0xff;
}

export function bytes(b0: u32, b1: u32, b2: u32, b3: u32): u32 {
  return b0 | (b1 << 8) | (b2 << 16) | (b3 << 24);
}


export function swapBytes(x: u32): u32 {
  return ((x & 0x00ff00ff) << 8) | ((x >> 8) & 0x00ff00ff);
}

export function sortBytes(x: u32): u32 {
  return bytes(byteOf(x, 0), byteOf(x, 2), byteOf(x, 1), byteOf(x, 3));
}

/** Byte and halfword permutations, the same in both register files. */
export function permute(operation: u16, x: u32, y: u32): u32 {
  switch (operation) {
    case op.ROLL16:
      return (x >> 16) | (y << 16);
    case op.ROLL8L:
      return bytes(byteOf(x, 3), byteOf(y, 0), byteOf(y, 1), byteOf(y, 2));
    case op.ROLL8R:
      return bytes(byteOf(x, 1), byteOf(x, 2), byteOf(x, 3), byteOf(y, 0));
    case op.SHUF8X8LO:
      return bytes(byteOf(x, 0), byteOf(y, 0), byteOf(x, 1), byteOf(y, 1));
    case op.SHUF8X8HI:
      return bytes(byteOf(x, 2), byteOf(y, 2), byteOf(x, 3), byteOf(y, 3));
    case op.SORT4X16LO:
      return (x & 0xffff) | (y << 16);
    case op.SORT4X16HI:
      return (x >> 16) | (y & 0xffff0000);
    case op.SORT8X8LO:
      return bytes(byteOf(x, 0), byteOf(x, 2), byteOf(y, 0), byteOf(y, 2));
    case op.SORT8X8HI:
      return bytes(byteOf(x, 1), byteOf(x, 3), byteOf(y, 1), byteOf(y, 3));
    default:
      raise(NOT_MODELLED, operation);
      return 0;
  }
}
