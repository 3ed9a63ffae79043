import { TILE_COUNT } from '../device/ipu21/index.ts';
import { CompileError } from './errors.ts';
import { lowerGemm } from './lower/gemm.ts';
import { placeBuffers } from './place/place.ts';
import { enumerateGemmPlans, type GemmShape, planForGrid } from './plan/gemm.ts';
import type { GemmGrid } from './plan/plan.ts';

/** Code that a program of this kind has, for a placement without a schedule [model]. */
const TYPICAL_CODE_BYTES = 8192;
/** Plans placed per number of tiles. */
const PLANS_TRIED = 8;
/** Each number of tiles tried is this much larger than the one before. */
const GROWTH = 1.25;

/**
 * The same refusal with what the caller can do: the nearest number of tiles on which some plan of the shape can be
 * placed, tried in steps. A refusal of a pinned plan names the pin.
 */
export function explained(
  error: CompileError,
  shape: GemmShape,
  tiles: number,
  pinned: boolean,
): CompileError {
  const found = pinned ? undefined : nearest(shape, tiles);
  const more =
    found === undefined
      ? 'The operands exceed the SRAM of one chip; split the problem.'
      : `Grid ${found.grid.m}x${found.grid.n}x${found.grid.k} fits: use tiles=${found.tiles}.`;
  const advice = pinned ? 'Pin a grid with more parts, or leave the plan to the compiler.' : more;
  return new CompileError(
    error.stage,
    error.message,
    error.facts,
    advice,
    error.tile === undefined ? {} : { tile: error.tile },
  );
}

function nearest(shape: GemmShape, tiles: number): { tiles: number; grid: GemmGrid } | undefined {
  for (let more = tiles; more < TILE_COUNT; ) {
    more = Math.min(TILE_COUNT, Math.ceil(more * GROWTH) + 1);
    const grid = placeable(shape, more);
    if (grid !== undefined) return { tiles: more, grid };
  }
  return undefined;
}

function placeable(shape: GemmShape, tiles: number): GemmGrid | undefined {
  try {
    return enumerateGemmPlans(shape, tiles)
      .slice(0, PLANS_TRIED)
      .find((grid) => isPlaceable(shape, grid, tiles));
  } catch (error) {
    if (error instanceof CompileError && error.stage === 'plan') return undefined;
    throw error;
  }
}

function isPlaceable(shape: GemmShape, grid: GemmGrid, tiles: number): boolean {
  try {
    placeBuffers(lowerGemm(planForGrid(shape, grid, tiles), { a: 'a', b: 'b', c: 'c' }), TYPICAL_CODE_BYTES);
    return true;
  } catch (error) {
    if (error instanceof CompileError && error.stage === 'place') return false;
    throw error;
  }
}
