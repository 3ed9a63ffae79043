import { CompileError } from '../errors.ts';
import type { LayerChain } from '../graph/layers.ts';
import { DATA_CAPACITY } from '../place/memoryMap.ts';
import { BLOCK } from './axis.ts';
import {
  innerBlock,
  type LayerCandidate,
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

/** Memory goes in steps of this many bytes when candidates are weighed. */
const MEMORY_STEP = 4096;
/** Candidates of one layer that are weighed against those of the others. */
const CANDIDATES = 400;
/** Shares of the memory tried for what lives during one layer only. */
const TRANSIENT_SHARES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1];

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
  const seen = new Set<string>();
  const choices = TRANSIENT_SHARES.flatMap((share) => {
    const transient = share * DATA_CAPACITY;
    const grids = choose(candidates, transient, DATA_CAPACITY - transient);
    return grids === undefined ? [] : [grids];
  })
    .filter((grids) => {
      const key = JSON.stringify(grids.map(({ grid }) => grid));
      return !seen.has(key) && seen.add(key);
    })
    .sort((x, y) => sum(x) - sum(y));
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

const sum = (grids: readonly LayerCandidate[]): number => grids.reduce((total, one) => total + one.total, 0);

/** Cheapest candidates whose resident bytes fit together and whose transient bytes fit each: a knapsack. */
function choose(
  candidates: readonly (readonly LayerCandidate[])[],
  transient: number,
  resident: number,
): readonly LayerCandidate[] | undefined {
  const steps = Math.floor(resident / MEMORY_STEP);
  let best: ({ total: number; grids: LayerCandidate[] } | undefined)[] = [{ total: 0, grids: [] }];
  for (const list of candidates) {
    const next: typeof best = [];
    const fitting = undominated(list.filter((one) => one.transientBytes <= transient));
    best.forEach((state, used) => {
      if (state === undefined) return;
      for (const candidate of fitting) {
        const after = used + Math.ceil(candidate.residentBytes / MEMORY_STEP);
        if (after > steps) continue;
        const total = state.total + candidate.total;
        const other = next[after];
        if (other === undefined || total < other.total)
          next[after] = { total, grids: [...state.grids, candidate] };
      }
    });
    best = next;
  }
  let cheapest: { total: number; grids: LayerCandidate[] } | undefined;
  for (const state of best)
    if (state !== undefined && (cheapest === undefined || state.total < cheapest.total)) cheapest = state;
  return cheapest?.grids;
}

/** Candidates, cheapest first, each with less resident memory than all cheaper ones. */
function undominated(list: readonly LayerCandidate[]): readonly LayerCandidate[] {
  const kept: LayerCandidate[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const one of list) {
    if (one.residentBytes >= least) continue;
    least = one.residentBytes;
    kept.push(one);
    if (kept.length === CANDIDATES) break;
  }
  return kept;
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
