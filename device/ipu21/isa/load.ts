import { DERIVED, main, PRESUMED } from './form.ts';
import {
  LOAD_A_IMMEDIATE,
  LOAD_A_OFFSET,
  LOAD_A2_IMMEDIATE,
  LOAD_A2_OFFSET,
  LOAD_A4_IMMEDIATE,
  LOAD_A4_OFFSET,
  LOAD_M_IMMEDIATE,
  LOAD_M_OFFSET,
  STEP_A_IMMEDIATE,
  STEP_A_STRIDE,
  STEP_A2_IMMEDIATE,
  STEP_A2_STRIDE,
  STEP_A4_IMMEDIATE,
  STEP_A4_STRIDE,
  STEP_M_IMMEDIATE,
  STEP_M_STRIDE,
} from './format.ts';
import { base, delta, dst, presumed, zimm } from './slot.ts';

/**
 * Loads with one address, and the coefficient loads of the supervisor.
 */
export const LOAD = [
  // 32 bits. The forms with an auxiliary destination were never recorded; they continue the family.
  main('ld32.ammm', 0x4d000800, LOAD_A_OFFSET, { ...PRESUMED, unit: 4 }),
  main('ld32.mmmm', 0x4d000000, LOAD_M_OFFSET, { unit: 4 }),
  main('ld32.ammz12', 0x08000000, LOAD_A_IMMEDIATE, { ...PRESUMED, unit: 4 }),
  main('ld32.mmmz12', 0x01000000, [dst.m(16), base.m(20), delta.m(12), zimm(12)], { unit: 4 }),
  main('ld32step.ammm', 0x47000001, STEP_A_STRIDE, { ...PRESUMED, unit: 4 }),
  main('ld32step.mmmm', 0x47000000, STEP_M_STRIDE, { ...PRESUMED, unit: 4 }),
  main('ld32step.amms8', 0x1e000000, STEP_A_IMMEDIATE, { ...PRESUMED, unit: 4 }),
  main('ld32step.mmms8', 0x1c000000, STEP_M_IMMEDIATE, { ...PRESUMED, unit: 4 }),
  // 64 and 128 bits; 128-bit loads reach the interleaved region only.
  main('ld128.a4mmm', 0x4d000805, LOAD_A4_OFFSET, { unit: 16 }),
  main('ld128.a4mmz12', 0x0b000000, LOAD_A4_IMMEDIATE, { unit: 16 }),
  main('ld128step.a4mmm', 0x47000203, STEP_A4_STRIDE, { unit: 16 }),
  main('ld128step.a4mms8', 0x1e000a00, STEP_A4_IMMEDIATE, { unit: 16 }),
  main('ld64.a2mmm', 0x4d000801, LOAD_A2_OFFSET, { unit: 8 }),
  main('ld64.a2mmz12', 0x09000000, LOAD_A2_IMMEDIATE, { unit: 8 }),
  main('ld64step.a2mmm', 0x47000201, STEP_A2_STRIDE, { unit: 8 }),
  main('ld64step.a2mms8', 0x1e000200, STEP_A2_IMMEDIATE, { unit: 8 }),
  // 16 and 8 bits, zero- or sign-extended into a main register.
  main('lds16.mmmm', 0x4d000100, LOAD_M_OFFSET, { unit: 2 }),
  main('lds16.mmmz12', 0x04000000, LOAD_M_IMMEDIATE, { unit: 2 }),
  main('lds16step.mmmm', 0x47000400, STEP_M_STRIDE, { unit: 2 }),
  main('lds16step.mmms8', 0x1c000400, STEP_M_IMMEDIATE, { unit: 2 }),
  main('lds8.mmmm', 0x4d000101, LOAD_M_OFFSET, DERIVED),
  main('lds8.mmmz12', 0x05000000, LOAD_M_IMMEDIATE),
  main('lds8step.mmmm', 0x47000500, STEP_M_STRIDE),
  main('lds8step.mmms8', 0x1c000500, STEP_M_IMMEDIATE, DERIVED),
  main('ldz16.mmmm', 0x4d000104, LOAD_M_OFFSET, { ...DERIVED, unit: 2 }),
  main('ldz16.mmmz12', 0x06000000, LOAD_M_IMMEDIATE, { unit: 2 }),
  main('ldz16step.mmmm', 0x47000600, STEP_M_STRIDE, { unit: 2 }),
  main('ldz16step.mmms8', 0x1c000600, STEP_M_IMMEDIATE, { ...DERIVED, unit: 2 }),
  main('ldz8.mmmm', 0x4d000105, LOAD_M_OFFSET),
  main('ldz8.mmmz12', 0x07000000, LOAD_M_IMMEDIATE),
  main('ldz8step.mmmm', 0x47000700, STEP_M_STRIDE),
  main('ldz8step.mmms8', 0x1c000700, STEP_M_IMMEDIATE, DERIVED),
  // 16 and 8 bits, repeated over an auxiliary register.
  main('ldb16.ammm', 0x4d000904, LOAD_A_OFFSET, { unit: 2 }),
  main('ldb16.ammz12', 0x0e000000, LOAD_A_IMMEDIATE, { unit: 2 }),
  main('ldb16step.ammm', 0x47000601, STEP_A_STRIDE, { unit: 2 }),
  main('ldb16step.amms8', 0x1e000600, STEP_A_IMMEDIATE, { unit: 2 }),
  main('ldb8.ammm', 0x4d000905, LOAD_A_OFFSET, DERIVED),
  main('ldb8.ammz12', 0x02000000, LOAD_A_IMMEDIATE),
  main('ldb8step.ammm', 0x47000701, STEP_A_STRIDE),
  main('ldb8step.amms8', 0x1e000700, STEP_A_IMMEDIATE, DERIVED),
  // Matrix coefficients: memory at CCCSLOAD to the entry named by the immediate.
  main('ld128putcs.z8', 0x4100d000, [presumed(zimm(8))], { mode: 'supervisor' }),
  main('ld64putcs.z8', 0x4100c000, [presumed(zimm(8))], { mode: 'supervisor' }),
] as const;
