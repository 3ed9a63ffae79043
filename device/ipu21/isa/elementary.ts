import { aux } from './form.ts';
import { A2A2, AA, AA2, AAA } from './format.ts';

/** Elementary functions, division, and sums across lanes. */
export const ELEMENTARY = [
  // One f32.
  aux('f32div.aaa', 0x58000500, AAA),
  aux('f32exp.aa', 0x52003100, AA),
  aux('f32exp2.aa', 0x52002100, AA),
  aux('f32ln.aa', 0x52001100, AA),
  aux('f32log2.aa', 0x52000100, AA),
  aux('f32oorx.aa', 0x52000a00, AA),
  aux('f32oox.aa', 0x52000b00, AA),
  aux('f32sigm.aa', 0x52005900, AA),
  aux('f32sqrt.aa', 0x52006100, AA),
  aux('f32tanh.aa', 0x52005100, AA),
  // Two f16.
  aux('f16v2exp.aa', 0x52003200, AA),
  aux('f16v2exp2.aa', 0x52002200, AA),
  aux('f16v2ln.aa', 0x52001200, AA),
  aux('f16v2log2.aa', 0x52000200, AA),
  aux('f16v2sigm.aa', 0x52005a00, AA),
  aux('f16v2tanh.aa', 0x52005200, AA),
  // Across lanes.
  aux('f16v2maxc.aa', 0x52006a00, AA),
  aux('f16v2sum.aa', 0x52004200, AA),
  aux('f16v4maxc.aa2', 0x52006e00, AA2),
  aux('f16v4sum.a2a2', 0x52004600, A2A2),
] as const;
