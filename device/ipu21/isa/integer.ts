import { DERIVED, main } from './form.ts';
import { MM, MMM } from './format.ts';
import { dst, immz, presumed, simm, src0, src1, srcDst, zimm } from './slot.ts';

/**
 * Integer arithmetic, logic and moves of the main pipe. Where one mnemonic has several immediate forms the
 * assembler takes the first row that fits, so signed immediates stand before unsigned ones.
 */
export const INTEGER = [
  // Arithmetic. `sub` computes the second operand minus the third; an immediate is only possible as the second.
  // The register forms of min and max follow from the alphabetical opcode table, see permute.ts.
  main('add.mmm', 0x44000001, MMM),
  main('add.mms16', 0x22000000, [dst.m(16), src0.m(20), simm(16)]),
  main('add.mmz16', 0x20000000, [dst.m(16), src0.m(20), zimm(16)]),
  main('sub.mmm', 0x44000602, [dst.m(4), src1.m(12), src0.m(20)]),
  main('sub.ms16m', 0x39000000, [dst.m(16), simm(16), src0.m(20)]),
  main('sub.mz16m', 0x37000000, [dst.m(16), presumed(zimm(16)), src0.m(20)]),
  main('mul.mmm', 0x44000300, MMM),
  main('mul.mms16', 0x36000000, [dst.m(16), src0.m(20), presumed(simm(16))]),
  main('abs.mm', 0x42007000, MM),
  main('min.mmm', 0x44000203, MMM, DERIVED),
  main('min.mms16', 0x33000000, [dst.m(16), src0.m(20), simm(16)]),
  main('min.mmz16', 0x31000000, [dst.m(16), src0.m(20), presumed(zimm(16))]),
  main('max.mmm', 0x44000202, MMM, DERIVED),
  main('max.mms16', 0x30000000, [dst.m(16), src0.m(20), simm(16)]),
  main('max.mmz16', 0x2e000000, [dst.m(16), src0.m(20), presumed(zimm(16))]),
  // Comparisons: 1 when true, else 0.
  main('cmpeq.mmm', 0x44000102, MMM),
  main('cmpeq.mms16', 0x28000000, [dst.m(16), src0.m(20), simm(16)]),
  main('cmpeq.mmz16', 0x26000000, [dst.m(16), src0.m(20), zimm(16)]),
  main('cmpne.mmm', 0x44000103, MMM),
  main('cmpslt.mmm', 0x44000200, MMM),
  main('cmpslt.mms16', 0x29000000, [dst.m(16), src0.m(20), presumed(simm(16))]),
  main('cmpult.mmm', 0x44000201, MMM),
  main('cmpult.mmz16', 0x2a000000, [dst.m(16), src0.m(20), zimm(16)]),
  // Logic. The 12-bit immediate stands at bit 0 (z) or at bits 31:20 (i).
  main('and.mmm', 0x44000003, MMM),
  main('and.mmz12', 0x42008000, [dst.m(16), src0.m(20), presumed(zimm(12))]),
  main('andc.mmm', 0x44000100, MMM),
  main('andc.mmz12', 0x4200b000, [dst.m(16), src0.m(20), presumed(zimm(12))]),
  main('or.mmm', 0x44000301, MMM),
  main('or.mmz12', 0x42009000, [dst.m(16), src0.m(20), zimm(12)]),
  main('or.mmi12', 0x4200c000, [dst.m(16), src0.m(20), immz(12)]),
  main('xor.mmm', 0x44000701, MMM),
  main('xnor.mmm', 0x44000700, MMM),
  // Shifts and counts.
  main('shl.mmm', 0x44000401, MMM),
  main('shl.mmz12', 0x4200a000, [dst.m(16), src0.m(20), zimm(12)]),
  main('shr.mmm', 0x44000402, MMM),
  main('shr.mmz12', 0x4200d000, [dst.m(16), src0.m(20), zimm(12)]),
  main('shrs.mmm', 0x44000403, MMM),
  main('shrs.mmz12', 0x4200e000, [dst.m(16), src0.m(20), presumed(zimm(12))]),
  main('clz.mm', 0x42002000, MM),
  main('cms.mm', 0x42001000, MM),
  main('popc.mm', 0x42003000, MM),
  // Moves. movnz copies Src1 when Src0 is not zero, as compiler output uses it [SDK]; the public instruction
  // page lists the same word as movz, but every recorded word prints as movnz.
  // nop is setzi to m14, which programs never read; it fills the main half of a bundle.
  main('setzi.mz20', 0x19000000, [dst.m(20), zimm(20)]),
  main('nop', 0x19e00000, []),
  main('movnz.mmm', 0x47000a00, [srcDst.m(12), src0.m(20), src1.m(16)]),
  main('atom.ma', 0x5d000000, [dst.m(16), src0.a(4)]),
] as const;
