import { main } from './form.ts';
import { addr, dst, presumed, src0, srcDst, zimm } from './slot.ts';

/** Branches, calls, hardware loop, and the end of a worker. Branch targets are absolute byte addresses. */
export const CONTROL = [
  // Branches. All recorded targets are 0; relocations and range checks of the assembler give the width.
  main('br.m', 0x43000000, [src0.m(20)]),
  main('bri.addr19', 0x40800000, [presumed(addr(19))]),
  main('brneg.maddr19', 0x10000000, [src0.m(20), presumed(addr(19))]),
  main('brnz.maddr19', 0x11000000, [src0.m(20), presumed(addr(19))]),
  main('brnzdec.maddr19', 0x13080000, [srcDst.m(20), presumed(addr(19))]),
  main('brpos.maddr19', 0x12000000, [src0.m(20), presumed(addr(19))]),
  main('brz.maddr19', 0x13000000, [src0.m(20), presumed(addr(19))]),
  main('call.maddr20', 0x18000000, [dst.m(20), presumed(addr(20))]),
  // Hardware loop: count, body length in bundles minus 1. The body holds whole bundles only.
  main('rpt.mz8', 0x4300a000, [src0.m(20), presumed(zimm(8))], { mode: 'worker' }),
  main('rpt.z12z8', 0x40000000, [presumed(zimm(12, [8, 12])), presumed(zimm(8))], { mode: 'worker' }),
  // End of a worker with a Boolean outcome.
  main('exitneg.m', 0x43001000, [src0.m(20)], { mode: 'worker' }),
  main('exitnz.m', 0x43002000, [src0.m(20)], { mode: 'worker' }),
  main('exitpos.m', 0x43003000, [src0.m(20)], { mode: 'worker' }),
  main('exitz.m', 0x43004000, [src0.m(20)], { mode: 'worker' }),
] as const;
