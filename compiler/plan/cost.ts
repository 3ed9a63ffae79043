import { gemmKernelCycles } from '../kernels/gemm.ts';
import { reduceKernelCycles } from '../kernels/reduce.ts';
import type { GemmCost, GemmGrid } from './plan.ts';

/**
 * Cycles a phase adds to the words its busiest endpoint moves: barrier, set-up, route latency and tail.
 * Measured on the card: 229..277 for barrier and set-up [HW]; the rest is route skew of a typical phase [model].
 */
export const PHASE_OVERHEAD = 350;

/** Events lost per change of source on a receiver, in phases with many sources [model]. */
export const SOURCE_CHANGE = 4;

/** Bytes of one 16-value f16 run. */
const RUN_BYTES = 32;

/** Block sizes of the worst tile of a grid: rows, panels of 16 columns, groups of 16 inner values. */
export interface BlockShape {
  readonly rows: number;
  readonly panels: number;
  readonly groups: number;
}

/** 32-bit words of a tile's left block. */
export const leftWords = (block: BlockShape) => (block.rows * block.groups * RUN_BYTES) / 4;
/** 32-bit words of a tile's coefficient block. */
export const rightWords = (block: BlockShape) => (block.panels * block.groups * 16 * RUN_BYTES) / 4;
/** 32-bit words of a tile's result block. */
export const resultWords = (block: BlockShape) => (block.panels * block.rows * RUN_BYTES) / 4;

/** Closed-form price of a grid, in tile cycles of the worst tile. */
export function priceGemm(grid: GemmGrid, block: BlockShape): GemmCost {
  const gathersLeft = grid.n > 1;
  const gathersRight = grid.m > 1;
  const operandWords = (gathersLeft ? leftWords(block) : 0) + (gathersRight ? rightWords(block) : 0);
  const sources = (gathersLeft ? grid.n : 0) + (gathersRight ? grid.m : 0);
  const operandCycles = operandWords > 0 ? operandWords + PHASE_OVERHEAD + SOURCE_CHANGE * sources : 0;
  const gemmCycles = gemmKernelCycles(block);
  let reductionWords = 0;
  let reductionExchangeCycles = 0;
  let reductionCycles = 0;
  if (grid.k > 1) {
    const granules = Math.ceil((block.panels * block.rows * 2) / grid.k);
    reductionWords = granules * 4 * (grid.k - 1);
    reductionExchangeCycles = reductionWords + PHASE_OVERHEAD + SOURCE_CHANGE * (grid.k - 1);
    reductionCycles = reduceKernelCycles({ granules, partials: grid.k });
  }
  return {
    operandWords,
    operandCycles,
    gemmCycles,
    reductionWords,
    reductionExchangeCycles,
    reductionCycles,
    total: operandCycles + gemmCycles + reductionExchangeCycles + reductionCycles,
  };
}
