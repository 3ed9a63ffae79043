import { DERIVED, main } from './form.ts';
import { base, delta, offset, presumed, simm, src0, stepped, stride, updatedBase, zimm } from './slot.ts';

/**
 * Stores with one address; there are no 8- and 16-bit stores [ISA]. The immediates of the auxiliary forms are split
 * around the register fields; the order of their pieces is a guess, because only 0 was recorded.
 */
const PLAIN = [base.m(20), delta.m(12)];
const STEP = [base.m(20), stepped(delta.m(12))];
const SPLIT_OFFSET = presumed(zimm(12, [0, 4], [8, 4], [16, 4]));
const SPLIT_STRIDE = presumed(simm(8, [0, 4], [16, 4]));

export const STORE = [
  // 32 bits.
  main('st32.ammm', 0x54000000, [src0.a(4), ...PLAIN, offset.m(16)], { unit: 4 }),
  main('st32.ammz12', 0x5e000000, [src0.a(4), ...PLAIN, SPLIT_OFFSET], { unit: 4 }),
  main('st32.mmmz12', 0x4f000000, [src0.m(16), ...PLAIN, zimm(12)], { unit: 4 }),
  main('st32step.ammm', 0x55000000, [src0.a(4), ...STEP, stride.m(16)], { unit: 4 }),
  main('st32step.amms8', 0x5c000000, [src0.a(4), ...STEP, SPLIT_STRIDE], { unit: 4 }),
  main('st32step.mmms8', 0x4e000000, [src0.m(16), ...STEP, simm(8)], { unit: 4 }),
  // 64 bits.
  main('st64.a2mmm', 0x54000100, [src0.a2(4), ...PLAIN, offset.m(16)], { ...DERIVED, unit: 8 }),
  main('st64.a2mmz12', 0x5f000000, [src0.a2(4), ...PLAIN, SPLIT_OFFSET], { unit: 8 }),
  main('st64step.a2mmm', 0x55000100, [src0.a2(4), ...STEP, stride.m(16)], { unit: 8 }),
  main('st64step.a2mms8', 0x5c000100, [src0.a2(4), ...STEP, SPLIT_STRIDE], { unit: 8 }),
  // Main register at base + 4 x offset, and at base with base += 4 x stride (printed without a mark).
  main('stm32.mmm', 0x4c000000, [src0.m(16), base.m(20), offset.m(12)], { unit: 4 }),
  main('stm32step.mmm', 0x47000900, [src0.m(16), updatedBase.m(12), stride.m(20)], { unit: 4 }),
] as const;
