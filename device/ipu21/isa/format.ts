/** Operand lists shared by many forms, named by the codes of their slots in text order. */
import {
  base,
  delta,
  dst,
  flags,
  offset,
  presumed,
  type Slot,
  simm,
  src0,
  src1,
  stepped,
  stride,
  zimm,
} from './slot.ts';

type Format = readonly Slot[];

export const MM: Format = [dst.m(4), src0.m(20)];
export const MMM: Format = [dst.m(4), src0.m(20), src1.m(12)];

export const AA: Format = [dst.a(4), src0.a(20)];
export const AA2: Format = [dst.a(4), src0.a2(20)];
export const A2A: Format = [dst.a2(4), src0.a(20)];
export const A2A2: Format = [dst.a2(4), src0.a2(20)];
export const A2A4: Format = [dst.a2(4), src0.a4(20)];

export const AAA: Format = [dst.a(4), src0.a(20), src1.a(12)];
export const AABLA: Format = [dst.a(4), src0.aBL(20), src1.a(12)];
export const AABUA: Format = [dst.a(4), src0.aBU(20), src1.a(12)];
export const A2A2A2: Format = [dst.a2(4), src0.a2(20), src1.a2(12)];
export const A2ABA2: Format = [dst.a2(4), src0.aB(20), src1.a2(12)];
export const A2ABLA2: Format = [dst.a2(4), src0.aBL(20), src1.a2(12)];
export const A2ABUA2: Format = [dst.a2(4), src0.aBU(20), src1.a2(12)];
export const A2A2A: Format = [dst.a2(4), src0.a2(20), src1.a(12)];

/** Matrix unit: input in Src0 at bit 12, partial sum in Src1 at bit 20, flags below. */
export const MATRIX_FLAGS = presumed(flags(6));
export const MATRIX_A2A2A2: Format = [dst.a2(16), src0.a2(12), src1.a2(20), MATRIX_FLAGS];
export const MATRIX_AA2A: Format = [dst.a(16), src0.a2(12), src1.a(20), MATRIX_FLAGS];
export const MATRIX_A2AA2: Format = [dst.a2(16), src0.a(12), src1.a2(20), MATRIX_FLAGS];

const BASE_DELTA = [base.m(20), delta.m(12)];
const BASE_STEP = [base.m(20), stepped(delta.m(12))];
/** Loads: address = base + delta + unit x offset, offset in a register or a 12-bit immediate [ISA]. */
export const LOAD_M_OFFSET: Format = [dst.m(4), ...BASE_DELTA, offset.m(16)];
export const LOAD_A_OFFSET: Format = [dst.a(4), ...BASE_DELTA, offset.m(16)];
export const LOAD_A2_OFFSET: Format = [dst.a2(4), ...BASE_DELTA, offset.m(16)];
export const LOAD_A4_OFFSET: Format = [dst.a4(4), ...BASE_DELTA, offset.m(16)];
const PRESUMED_OFFSET = presumed(zimm(12));
export const LOAD_M_IMMEDIATE: Format = [dst.m(16), ...BASE_DELTA, PRESUMED_OFFSET];
export const LOAD_A_IMMEDIATE: Format = [dst.a(16), ...BASE_DELTA, PRESUMED_OFFSET];
export const LOAD_A2_IMMEDIATE: Format = [dst.a2(16), ...BASE_DELTA, PRESUMED_OFFSET];
export const LOAD_A4_IMMEDIATE: Format = [dst.a4(16), ...BASE_DELTA, PRESUMED_OFFSET];
/** Step loads: address = base + delta, then delta += unit x stride [ISA]. */
export const STEP_M_STRIDE: Format = [dst.m(4), ...BASE_STEP, stride.m(16)];
export const STEP_A_STRIDE: Format = [dst.a(4), ...BASE_STEP, stride.m(16)];
export const STEP_A2_STRIDE: Format = [dst.a2(4), ...BASE_STEP, stride.m(16)];
export const STEP_A4_STRIDE: Format = [dst.a4(4), ...BASE_STEP, stride.m(16)];
const PRESUMED_STRIDE = presumed(simm(8));
export const STEP_M_IMMEDIATE: Format = [dst.m(16), ...BASE_STEP, PRESUMED_STRIDE];
export const STEP_A_IMMEDIATE: Format = [dst.a(16), ...BASE_STEP, PRESUMED_STRIDE];
export const STEP_A2_IMMEDIATE: Format = [dst.a2(16), ...BASE_STEP, PRESUMED_STRIDE];
export const STEP_A4_IMMEDIATE: Format = [dst.a4(16), ...BASE_STEP, PRESUMED_STRIDE];
