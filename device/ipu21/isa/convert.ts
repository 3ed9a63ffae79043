import { aux } from './form.ts';
import { A2A, A2A2, A2A4, AA, AA2 } from './format.ts';
import { dst, flags, presumed, src1 } from './slot.ts';

/** Conversions between number formats. */
export const CONVERT = [
  aux('f16tof32.aa', 0x52000400, AA),
  aux('f16v2sufromui.aa', 0x52004a00, AA),
  aux('f16v2tof32.a2a', 0x52001400, A2A),
  aux('f16v2tof8.aa', 0x52006d00, AA),
  aux('f16v4sufromui.a2a2', 0x52004e00, A2A2),
  aux('f16v8tof8.a2a4', 0x52006600, A2A4),
  aux('f32fromi32.aa', 0x52007000, AA),
  aux('f32fromui32.aa', 0x52000000, AA),
  aux('f32int.aae3', 0x51000000, [dst.a(16), src1.a(20), presumed(flags(3))]),
  aux('f32sufromui.aa', 0x52004900, AA),
  aux('f32tof16.aa', 0x52003500, AA),
  aux('f32toi32.aa', 0x52004000, AA),
  aux('f32toui32.aa', 0x52005000, AA),
  aux('f32v2sufromui.a2a2', 0x52004b00, A2A2),
  aux('f32v2tof16.aa2', 0x52006700, AA2),
  aux('f32v4tof16.a2a4', 0x52006500, A2A4),
  aux('f8v2tof16.aa', 0x52006c00, AA),
  aux('f8v4tof16.a2a', 0x52006800, A2A),
] as const;
