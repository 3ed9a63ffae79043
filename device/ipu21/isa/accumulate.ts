import { aux } from './form.ts';
import { A2A2A2, MATRIX_A2A2A2 } from './format.ts';
import { dst, flags, presumed, src0, src1, zimm } from './slot.ts';

/** Instructions on the accumulators of a worker. */
export const ACCUMULATE = [
  // Sums, sums of absolute values, sums of squares.
  aux('f16v4absacc.a2', 0x59008400, [src0.a2(20)]),
  aux('f16v4acc.a2', 0x59008000, [src0.a2(20)]),
  aux('f16v8absacc.a4', 0x59008500, [src0.a4(20)]),
  aux('f16v8acc.a4', 0x59008100, [src0.a4(20)]),
  aux('f16v8sqacc.a4', 0x59008900, [src0.a4(20)]),
  aux('f32v4absacc.a4', 0x59008600, [src0.a4(20)]),
  aux('f32v4acc.a4', 0x59008200, [src0.a4(20)]),
  aux('f32v4sqacc.a4', 0x59008a00, [src0.a4(20)]),
  // Products.
  aux('f16v2cmac.aa', 0x5a000300, [src0.a(20), src1.a(12)]),
  aux('f16v4cmac.a2a2', 0x5a000200, [src0.a2(20), src1.a2(12)]),
  aux('f32mac.aa', 0x5a000180, [src0.a(20), src1.a(12)]),
  aux('f32v2aop.a2a2e8', 0x5a000c00, [src0.a2(20), src1.a2(12), presumed(flags(8))]),
  aux('f32v2mac.a2a2', 0x5a000080, [src0.a2(20), src1.a2(12)]),
  // Scaled sums that return the previous accumulators.
  aux('f16v4mix.a2a2a2', 0x5800000a, A2A2A2),
  aux('f32v2axpy.a2a2a2', 0x5800000b, [dst.a2(4), src0.a2(12), src1.a2(20)]),
  // Reading and shifting. The immediate of gina selects the chain.
  aux('f16v2gina.aaz12', 0x59005000, [dst.a(16), src0.a(20), presumed(zimm(12))]),
  aux('f16v4gacc.a2', 0x50000400, [dst.a2(4)]),
  aux('f16v4istacc.a2a2a2e6', 0x5b000800, MATRIX_A2A2A2),
  aux('f16v4stacc.a2e6', 0x51000900, [dst.a2(16), presumed(flags(6))]),
  aux('f32v2gina.a2a2z12', 0x59004000, [dst.a2(16), src0.a2(20), presumed(zimm(12))]),
] as const;
