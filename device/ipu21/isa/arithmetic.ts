import { aux, DERIVED } from './form.ts';
import { A2A2A, A2A2A2, A2ABA2, A2ABLA2, A2ABUA2, AAA, AABLA, AABUA } from './format.ts';
import { dst, src0, src1 } from './slot.ts';

/**
 * Elementwise floating point arithmetic. The absmax forms and only they swap the source fields where shown.
 */
export const ARITHMETIC = [
  // One f32.
  aux('f32absadd.aaa', 0x58000008, AAA),
  aux('f32absmax.aaa', 0x58000208, AAA),
  aux('f32add.aaa', 0x58000000, AAA),
  aux('f32clamp.aaa2', 0x5800040c, [dst.a(4), src0.a(20), src1.a2(12)]),
  aux('f32max.aaa', 0x58000204, AAA),
  aux('f32min.aaa', 0x5800020c, AAA),
  aux('f32mul.aaa', 0x58000300, AAA),
  aux('f32sub.aaa', 0x58000304, AAA),
  // Two f32.
  aux('f32v2absadd.a2a2a2', 0x5800030f, A2A2A2),
  aux('f32v2absmax.a2a2a2', 0x5800020b, [dst.a2(4), src1.a2(12), src0.a2(20)]),
  aux('f32v2add.a2a2a2', 0x58000003, A2A2A2),
  aux('f32v2add.a2aBa2', 0x58080003, A2ABA2),
  aux('f32v2clamp.a2a2a2', 0x5800040f, A2A2A2),
  aux('f32v2max.a2a2a2', 0x58000207, A2A2A2),
  aux('f32v2min.a2a2a2', 0x5800020f, A2A2A2),
  aux('f32v2mul.a2a2a2', 0x58000303, A2A2A2, DERIVED),
  aux('f32v2mul.a2aBa2', 0x58080303, A2ABA2),
  aux('f32v2sub.a2a2a2', 0x58000307, A2A2A2, DERIVED),
  aux('f32v2sub.a2aBa2', 0x58080307, A2ABA2),
  // Two f16.
  aux('f16v2absadd.aaa', 0x5800030d, AAA),
  aux('f16v2absmax.aaa', 0x58000209, [dst.a(4), src0.a(12), src1.a(20)]),
  aux('f16v2add.aaa', 0x58000001, AAA),
  aux('f16v2add.aaBLa', 0x58080001, AABLA),
  aux('f16v2add.aaBUa', 0x580c0001, AABUA),
  aux('f16v2clamp.aaa', 0x5800040d, AAA),
  aux('f16v2max.aaa', 0x58000205, AAA),
  aux('f16v2min.aaa', 0x5800020d, AAA),
  aux('f16v2mul.aaa', 0x58000301, AAA),
  aux('f16v2mul.aaBLa', 0x58080301, AABLA),
  aux('f16v2mul.aaBUa', 0x580c0301, AABUA),
  aux('f16v2sub.aaa', 0x58000305, AAA, DERIVED),
  aux('f16v2sub.aaBLa', 0x58080305, AABLA, DERIVED),
  aux('f16v2sub.aaBUa', 0x580c0305, AABUA),
  // Four f16.
  aux('f16v4absadd.a2a2a2', 0x5800030e, A2A2A2),
  aux('f16v4absmax.a2a2a2', 0x5800020a, [dst.a2(4), src0.a2(12), src1.a2(20)]),
  aux('f16v4add.a2a2a2', 0x58000002, A2A2A2),
  aux('f16v4add.a2aBLa2', 0x58080002, A2ABLA2),
  aux('f16v4add.a2aBUa2', 0x580c0002, A2ABUA2),
  aux('f16v4clamp.a2a2a', 0x5800040e, A2A2A),
  aux('f16v4max.a2a2a2', 0x58000206, A2A2A2),
  aux('f16v4min.a2a2a2', 0x5800020e, A2A2A2),
  aux('f16v4mul.a2a2a2', 0x58000302, A2A2A2, DERIVED),
  aux('f16v4mul.a2aBLa2', 0x58080302, A2ABLA2, DERIVED),
  aux('f16v4mul.a2aBUa2', 0x580c0302, A2ABUA2),
  aux('f16v4sub.a2a2a2', 0x58000306, A2A2A2),
  aux('f16v4sub.a2aBLa2', 0x58080306, A2ABLA2),
  aux('f16v4sub.a2aBUa2', 0x580c0306, A2ABUA2),
] as const;
