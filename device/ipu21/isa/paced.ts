import { main } from './form.ts';
import {
  addr0,
  addr1,
  addr2,
  base,
  bumped,
  delta,
  dst,
  dst1,
  miniDelta,
  presumed,
  reloaded,
  shifted,
  src0,
  stepped,
  stride,
  strides,
  upTo11,
} from './slot.ts';

/**
 * Instructions that make several memory accesses at once, and the packing of their addresses. Stride selectors are
 * 2 bits per address: 0 = +8 bytes, 1..3 = 8 x a signed 10-bit field of the stride register [SDK].
 */
const PACK = [stepped(addr0.m2(12)), stride.m(20)];
const TWO = presumed(strides(4));
const BYTES8 = { unit: 8 } as const;

export const PACED = [
  // Address pack: three 21-bit addresses in a register pair.
  main('tapack.m2mmm', 0x4d000001, [upTo11(dst.m2(4)), addr0.m(20), addr1.m(12), addr2.m(16)]),
  // Accesses through an address pack: loads from addresses 0 and 1, stores to address 2.
  main('ld2x64pace.a2a2m2mt4', 0x46000000, [dst.a2(16), dst1.a2(4), ...PACK, TWO], BYTES8),
  main('ld64a32pace.a2am2mt4', 0x46000300, [dst.a2(16), dst1.a(4), ...PACK, TWO], BYTES8),
  main('ld64b16pace.a2am2mt4', 0x46000200, [dst.a2(16), dst1.a(4), ...PACK, TWO], BYTES8),
  main('ldst64pace.a2a2m2mt4', 0x56000100, [dst.a2(16), src0.a2(4), ...PACK, TWO], BYTES8),
  main(
    'ld2xst64pace.a4a2m2mt6',
    0x56000800,
    [dst.a4(16), src0.a2(4), ...PACK, presumed(strides(6, [0, 4], [8, 2]))],
    BYTES8,
  ),
  main('st64pace.a2m2mt2', 0x5c000200, [src0.a2(4), ...PACK, presumed(strides(2))], BYTES8),
  // Pointer and delta accesses. ld64a32 writes the upper three registers of the quad it names.
  main('ld64a32.a4mmm', 0x47000703, [dst.a4(4), bumped(addr0.m(12)), base.m(20), delta.m(16)]),
  main('ldb16b16.a2mmm', 0x45000900, [dst.a2(4), base.m(20), bumped(delta.m(16)), shifted(miniDelta.m(12))]),
  main('ldd16a32.ammm', 0x45000a00, [dst.a(4), bumped(addr0.m(12)), base.m(20), reloaded(delta.m(16))]),
  main('ldd16a64.a2mmm', 0x45000b00, [dst.a2(4), bumped(addr0.m(12)), base.m(20), reloaded(delta.m(16))]),
  main('ldd16b16.ammm', 0x45000c00, [dst.a(4), bumped(addr0.m(12)), base.m(20), reloaded(delta.m(16))]),
  main('ldd16v2a32.ammm', 0x45000800, [dst.a(4), bumped(addr0.m(12)), base.m(20), reloaded(delta.m(16))]),
] as const;
