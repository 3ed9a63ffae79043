import { AMP_FLAGS, CSR, csrOperand } from '../../device/ipu21/index.ts';

/** Operand of uput for the register whose bits clear flags and accumulators. */
export const FP_CLR = csrOperand(CSR.FP_CLR);
/** Value that clears all accumulators when written there: bit ZAACC [ISA]. */
export const ZERO_ACCUMULATORS = 8;
/** Flags of the f16 matrix step by phase. */
export const AMP_PHASES = [
  AMP_FLAGS.TAMP_F16V4_E4_P0,
  AMP_FLAGS.TAMP_F16V4_E4_P1,
  AMP_FLAGS.TAMP_F16V4_E4_P2,
  AMP_FLAGS.TAMP_F16V4_E4_P3,
] as const;
