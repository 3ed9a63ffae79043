import { CompileError } from '../errors.ts';
import type { LayerChain } from '../graph/layers.ts';
import { DATA_CAPACITY } from '../place/memoryMap.ts';
import { BLOCK } from './axis.ts';
import { choicesWithin } from './knapsack.ts';
import {
  innerBlock,
  type LayerEpilogue,
  type LayerPlan,
  type LayerShape,
  layerCandidates,
  layerForGrid,
  rowGrain,
  type WeightPolicy,
} from './layer.ts';

/** Plans of the layers of a chain, in order. */
export interface ChainPlan {
  readonly tilesRequested: number;
  readonly tilesActive: number;
  readonly weights: WeightPolicy;
  readonly layers: readonly LayerPlan[];
  readonly modelCycles: number;
}

export interface ChainOptions {
  readonly tiles: number;
  readonly weights: WeightPolicy;
  /** Pinned grids, one per layer, or one for all. */
  readonly grids?: readonly { m: number; n: number; k: number }[];
}

export const layerShapes = ({ layers }: LayerChain): readonly LayerShape[] =>
  layers.map(({ x, weights, castScale }) => ({
    tokens: x.shape[0],
    inner: x.shape[1],
    features: weights.shape[1],
    operands: x.type === 'f8f143' ? 'f8f143' : 'f16',
    casts: castScale !== undefined,
  }));

/** Bias, activation, and a turn wherever another layer follows. */
export function layerEpilogues({ layers }: LayerChain): readonly LayerEpilogue[] {
  return layers.map(({ bias, activation }, index) => {
    const kind = {
      bias: bias !== undefined,
      gelu: activation === 'gelu-tanh',
      turn: index + 1 < layers.length,
    };
    return kind.bias || kind.gelu || kind.turn ? kind : undefined;
  });
}

/**
 * Chain plans to try, best first: the layers choose their grids independently, because values cross from layer to
 * layer in one form whatever the grids are, and share the memory. Throws CompileError when nothing fits.
 */
export function* chainPlans(chain: LayerChain, options: ChainOptions): Generator<ChainPlan> {
  const shapes = layerShapes(chain);
  const epilogues = layerEpilogues(chain);
  if (options.grids !== undefined) {
    yield pinned(shapes, epilogues, options, options.grids);
    return;
  }
  const candidates = shapes.map((shape, index) =>
    layerCandidates(shape, options.tiles, options.weights, epilogues[index]),
  );
  const choices = choicesWithin(candidates, DATA_CAPACITY);
  if (choices.length === 0) {
    const least = candidates.map((list) => Math.min(...list.map((one) => one.residentBytes)));
    throw new CompileError(
      'plan',
      `the layers do not fit ${options.tiles} tiles with weights=${options.weights}`,
      { residentBytes: least.reduce((total, bytes) => total + bytes, 0), capacity: DATA_CAPACITY },
      options.weights === 'single'
        ? 'Use more tiles or smaller layers.'
        : 'Use weights=single or more tiles.',
    );
  }
  for (const grids of choices)
    yield chainPlan(
      options,
      shapes.map((shape, index) => layerForGrid(shape, grids[index].grid, options.weights, epilogues[index])),
    );
}

function pinned(
  shapes: readonly LayerShape[],
  epilogues: readonly LayerEpilogue[],
  options: ChainOptions,
  grids: readonly { m: number; n: number; k: number }[],
): ChainPlan {
  if (grids.length !== 1 && grids.length !== shapes.length)
    throw new CompileError(
      'plan',
      `the plan pins ${grids.length} grids, the chain has ${shapes.length} layers`,
      { grids: grids.length, layers: shapes.length },
      'Pin one grid for all layers or one for each, joined by +.',
    );
  return chainPlan(
    options,
    shapes.map((shape, index) => {
      const grid = grids[grids.length === 1 ? 0 : index];
      const limits: [string, number, number][] = [
        ['blocks of features', grid.m, Math.ceil(shape.features / (BLOCK * rowGrain(shape)))],
        ['blocks of 16 tokens', grid.n, Math.ceil(shape.tokens / BLOCK)],
        ['groups of inner values', grid.k, Math.ceil(shape.inner / innerBlock(shape))],
        ['tiles', grid.m * grid.n * grid.k, options.tiles],
      ];
      for (const [what, demand, capacity] of limits)
        if (demand > capacity)
          throw new CompileError(
            'plan',
            `layer ${index}: grid ${grid.m}x${grid.n}x${grid.k} asks for ${demand} ${what}, there are ${capacity}`,
            { demand, capacity },
            'Pin a smaller grid or leave the plan to the compiler.',
          );
      return layerForGrid(shape, grid, options.weights, epilogues[index]);
    }),
  );
}

function chainPlan({ tiles, weights }: ChainOptions, layers: readonly LayerPlan[]): ChainPlan {
  return {
    tilesRequested: tiles,
    tilesActive: Math.max(...layers.map(({ grid }) => grid.m * grid.n * grid.k)),
    weights,
    layers,
    modelCycles: layers.reduce((total, { cost }) => total + cost.total, 0),
  };
}

/** The plan in one line, as printed and pinned. */
export function describeChain({
  layers,
  tilesActive,
  tilesRequested,
  weights,
  modelCycles,
}: ChainPlan): string {
  const grids = layers.map(({ grid }) => `${grid.m}x${grid.n}x${grid.k}`).join('+');
  return `features-as-rows grid=${grids} tiles=${tilesActive}/${tilesRequested} weights=${weights} model=${modelCycles}`;
}
