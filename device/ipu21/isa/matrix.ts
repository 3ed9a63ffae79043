import { aux } from './form.ts';
import { MATRIX_A2A2A2, MATRIX_A2AA2, MATRIX_AA2A } from './format.ts';

/** The accumulating matrix product unit. Input stands in Src0 at bit 12, partial sum in Src1 at bit 20. */
export const MATRIX = [
  // Matrix product steps.
  aux('f16v4hihoamp.aa2ae6', 0x5b000100, MATRIX_AA2A),
  aux('f16v4hihov4amp.a2a2a2e6', 0x5b000740, MATRIX_A2A2A2),
  aux('f16v4sisoamp.a2a2a2e6', 0x5b000700, MATRIX_A2A2A2),
  aux('f32sisoamp.a2aa2e6', 0x5b000f00, MATRIX_A2AA2),
  aux('f32sisov2amp.a2aa2e6', 0x5b000f40, MATRIX_A2AA2),
  aux('f8v8hihov4amp.a2a2a2e6', 0x5b000940, MATRIX_A2A2A2),
  // Slim convolution steps.
  aux('f16v4hihoslic.aa2ae6', 0x5b000000, MATRIX_AA2A),
  aux('f16v4hihov4slic.a2a2a2e6', 0x5b000640, MATRIX_A2A2A2),
  aux('f16v4sisoslic.a2a2a2e6', 0x5b000600, MATRIX_A2A2A2),
  aux('f32sisoslic.a2aa2e6', 0x5b000e00, MATRIX_A2AA2),
  aux('f8v8hihov4slic.a2a2a2e6', 0x5b000a40, MATRIX_A2A2A2),
] as const;
