import { compileGemm } from './build.ts';
import { gemmOperation } from './index.ts';

/** The family of cases `gemm/...` with the project's own compiler. */
export const gemm = gemmOperation(compileGemm);
