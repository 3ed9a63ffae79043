import { type BlockShape, leftWords, resultWords, rightWords } from './cost.ts';
import type { GemmGrid } from './plan.ts';

/**
 * Bytes of SRAM the worst tile of a grid needs at its busiest step, without code and tables: operand
 * blocks, the pieces it owns, its result block, staged partials. A lower bound of what placement finds.
 */
export function gemmBytes(grid: GemmGrid, block: BlockShape): number {
  const left = leftWords(block) * 4;
  const right = rightWords(block) * 4;
  const result = resultWords(block) * 4;
  const homes = (grid.n > 1 ? left / grid.n : 0) + (grid.m > 1 ? right / grid.m : 0);
  const resident = (grid.n > 1 ? 0 : left) + (grid.m > 1 ? 0 : right);
  const multiply = left + right + result + homes;
  const reduce = grid.k > 1 ? resident + homes + 2 * result : 0;
  return Math.ceil(Math.max(multiply, reduce));
}
