/** Machine facts the kernels rest on, under the names the kernels use. */

/** Worker contexts of a tile [ISA]. */
export const WORKERS = 6;
/** Load address of coefficient loads [ISA]. */
export const CSR_CCCSLOAD = 0x50;
/** Write-one-to-clear register of the worker's upper CSR half, as encoded in uput [ISA]. */
export const CSR_FP_CLR = 1;
/** Value that clears all accumulators when written to FP_CLR [ISA]. */
export const ZERO_ACCUMULATORS = 8;
/** Operand of sync that waits for the tile's own workers [SDK]. */
export const SYNC_LOCAL = 2;
/**
 * Coefficient entry of each of 16 columns in memory order. With this order a result row leaves the unit
 * as columns 0..15 [SDK]; natural order would interleave the two sets.
 */
export const CWEI_PANEL_ORDER = [0, 4, 32, 36, 8, 12, 40, 44, 16, 20, 48, 52, 24, 28, 56, 60] as const;

export const AMP_PHASES = [0, 1, 2, 3] as const;
