import { aux } from './form.ts';
import { A2A2A } from './format.ts';
import { dst } from './slot.ts';

/** Random numbers. */
export const RANDOM = [
  aux('f16v2grand.a', 0x50000200, [dst.a(4)]),
  aux('f16v4rmask.a2a2a', 0x5800050a, A2A2A),
  aux('f32v2grand.a2', 0x50000300, [dst.a2(4)]),
  aux('f32v2rmask.a2a2a', 0x5800050b, A2A2A),
  aux('urand32.a', 0x50000000, [dst.a(4)]),
  aux('urand64.a2', 0x50000100, [dst.a2(4)]),
] as const;
