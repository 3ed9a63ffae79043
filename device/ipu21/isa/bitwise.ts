import { aux, DERIVED } from './form.ts';
import { A2A2, A2A2A2, AA, AAA } from './format.ts';
import { dst, immz, presumed, src0, zimm } from './slot.ts';

/** Logic and constants of the auxiliary pipe. */
export const BITWISE = [
  aux('and.aaa', 0x58000600, AAA),
  aux('and.aaz12', 0x52008000, [dst.a(16), src0.a(20), presumed(zimm(12))]),
  aux('and.aai12', 0x5200c000, [dst.a(16), src0.a(20), presumed(immz(12))]),
  aux('and64.a2a2a2', 0x58000602, A2A2A2),
  aux('andc.aaa', 0x58000601, AAA),
  aux('andc.aaz12', 0x5200b000, [dst.a(16), src0.a(20), zimm(12)], DERIVED),
  aux('andc.aai12', 0x5200f000, [dst.a(16), src0.a(20), presumed(immz(12))]),
  aux('andc64.a2a2a2', 0x58000603, A2A2A2),
  aux('fnop', 0x1ad00000, []),
  aux('not.aa', 0x52007800, AA),
  aux('not64.a2a2', 0x52007900, A2A2),
  aux('or.aaa', 0x58000e00, AAA),
  aux('or.aaz12', 0x52009000, [dst.a(16), src0.a(20), presumed(zimm(12))]),
  aux('or.aai12', 0x5200d000, [dst.a(16), src0.a(20), presumed(immz(12))]),
  aux('or64.a2a2a2', 0x58000e01, A2A2A2),
  aux('setzi.az20', 0x1a000000, [dst.a(20), presumed(zimm(20))]),
] as const;
