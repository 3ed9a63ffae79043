import { CompileError } from '../errors.ts';
import type { ValueId } from '../graph/graph.ts';
import type { AttentionStage, LayerStage, Network, NetworkStage, StreamShape } from '../graph/network.ts';
import { DATA_CAPACITY } from '../place/memoryMap.ts';
import {
  type AttentionGrid,
  type AttentionPlan,
  type AttentionShape,
  type AttentionStrategy,
  attentionCandidates,
  attentionForGrid,
} from './attention.ts';
import { BLOCK, blockCount, storedExtent } from './axis.ts';
import { type Candidate, choicesWithin } from './knapsack.ts';
import type { LayerPlan, WeightPolicy } from './layer.ts';
import { type PartsShape, partsCandidates, partsForGrid } from './parts.ts';
import type { GemmGrid } from './plan.ts';

export type StagePlan =
  | { readonly kind: 'layer'; readonly plan: LayerPlan }
  | { readonly kind: 'attention'; readonly plan: AttentionPlan };

/** Plans of the stages of a network; norm and add follow the rows they are given and need none. */
export interface NetworkPlan {
  readonly tilesRequested: number;
  readonly tilesActive: number;
  readonly weights: WeightPolicy;
  readonly stages: readonly (StagePlan | undefined)[];
}

export interface NetworkOptions {
  readonly tiles: number;
  readonly weights: WeightPolicy;
  readonly strategy?: AttentionStrategy;
  /** Pinned grids of layers and attention in order. */
  readonly grids?: readonly GemmGrid[];
}

interface StageCandidate extends Candidate {
  build(): StagePlan;
}

/** Memory kept for values between stages, argument tables and biases [model]. */
const SLACK_BYTES = 48 * 1024;

const axesOf = (shape: StreamShape) => ({
  tokens: { segments: shape.batch, length: shape.rows },
  features: { segments: shape.heads, length: shape.width },
});

/** Shape of a layer stage as the planner sees it. */
export function partsShape(network: Network, stage: LayerStage): PartsShape {
  const shapeOf = (id: ValueId) => axesOf(network.shapes.get(id) as StreamShape);
  const x = shapeOf(stage.x);
  const turned = stage.parts.some(({ turn }) => turn);
  return {
    tokens: storedExtent(x.tokens),
    inner: storedExtent(x.features),
    parts: stage.parts.map(({ y, bias, gelu, turn }) => {
      const epilogue = { bias: bias !== undefined, gelu, turn };
      return {
        blocks: blockCount(shapeOf(y).features),
        // Beside parts that turn, all results move to one buffer.
        epilogue: epilogue.bias || gelu || turned ? epilogue : undefined,
      };
    }),
  };
}

export const attentionShape = (stage: AttentionStage): AttentionShape => ({
  streams: stage.streams,
  kvStreams: stage.kvStreams,
  queries: stage.queries,
  keys: stage.keys,
  width: stage.width,
  causal: stage.causal,
});

/** Network plans to try, best first. Throws CompileError when nothing fits or a pinned grid does not. */
export function* networkPlans(network: Network, options: NetworkOptions): Generator<NetworkPlan> {
  const { tiles, weights } = options;
  const planned = network.stages.filter(({ kind }) => kind === 'layer' || kind === 'attention');
  if (options.grids !== undefined && options.grids.length !== planned.length)
    throw new CompileError(
      'plan',
      `the plan pins ${options.grids.length} grids, the graph has ${planned.length} layers and attentions`,
      { grids: options.grids.length, stages: planned.length },
      'Pin one grid for each, joined by +.',
    );
  const candidates = planned.map((stage, index) =>
    options.grids === undefined
      ? stageCandidates(network, stage, options)
      : [pinnedCandidate(network, stage, options, options.grids[index])],
  );
  const empty = candidates.findIndex((list) => list.length === 0);
  if (empty >= 0)
    throw new CompileError(
      'plan',
      `stage ${planned[empty].name} has no grid on ${tiles} tiles`,
      { stage: planned[empty].name, tiles, strategy: options.strategy ?? 'any' },
      'Use more tiles, or another strategy.',
    );
  const choices = choicesWithin<StageCandidate>(candidates, DATA_CAPACITY - SLACK_BYTES);
  if (choices.length === 0)
    throw new CompileError(
      'plan',
      `the stages do not fit ${tiles} tiles with weights=${weights}`,
      {
        residentBytes: candidates.reduce(
          (sum, list) => sum + Math.min(...list.map((one) => one.residentBytes)),
          0,
        ),
        capacity: DATA_CAPACITY,
      },
      weights === 'single' ? 'Use more tiles or a smaller shape.' : 'Use weights=single or more tiles.',
    );
  for (const chosen of choices) {
    const plans = chosen.map((candidate) => candidate.build());
    let next = 0;
    const stages = network.stages.map(({ kind }) =>
      kind === 'layer' || kind === 'attention' ? plans[next++] : undefined,
    );
    yield { tilesRequested: tiles, tilesActive: tilesOf(plans), weights, stages };
  }
}

const tilesOf = (plans: readonly StagePlan[]): number =>
  Math.max(
    ...plans.map((stage) => {
      if (stage.kind === 'layer') return stage.plan.grid.m * stage.plan.grid.n * stage.plan.grid.k;
      const { grid, streamsPerRound } = stage.plan;
      return streamsPerRound * grid.queryBlocks * grid.keyBlocks;
    }),
  );

function stageCandidates(
  network: Network,
  stage: NetworkStage,
  { tiles, weights, strategy }: NetworkOptions,
): readonly StageCandidate[] {
  if (stage.kind === 'attention') {
    const shape = attentionShape(stage);
    return attentionCandidates(shape, tiles, strategy).map((one) => ({
      ...one,
      build: () => ({ kind: 'attention', plan: attentionForGrid(shape, one.grid, tiles) }),
    }));
  }
  if (stage.kind !== 'layer') return [];
  const shape = partsShape(network, stage);
  return partsCandidates(shape, tiles, weights).map((one) => ({
    ...one,
    build: () => ({ kind: 'layer', plan: layerPlan(shape, one.grid, weights, stage.name) }),
  }));
}

function layerPlan(shape: PartsShape, grid: GemmGrid, weights: WeightPolicy, stage: string): LayerPlan {
  const plan = partsForGrid(shape, grid, weights);
  if (plan === undefined)
    throw new CompileError(
      'plan',
      `stage ${stage}: no share size cuts its parts into ${grid.m} shares`,
      { shares: grid.m, parts: shape.parts.length },
      'Pin another number of feature shares or leave the plan to the compiler.',
    );
  return plan;
}

function pinnedCandidate(
  network: Network,
  stage: NetworkStage,
  { tiles, weights }: NetworkOptions,
  grid: GemmGrid,
): StageCandidate {
  const limits: [string, number, number][] = [];
  let build: () => StagePlan;
  if (stage.kind === 'attention') {
    const shape = attentionShape(stage);
    const attention: AttentionGrid = { queryBlocks: grid.m, keyBlocks: grid.n, timeBlocks: grid.k };
    limits.push(
      ['query blocks', grid.m, Math.ceil(shape.queries / BLOCK)],
      ['key blocks, in space and time,', grid.n * grid.k, Math.ceil(shape.keys / BLOCK)],
      ['tiles for one stream', grid.m * grid.n, tiles],
    );
    build = () => ({ kind: 'attention', plan: attentionForGrid(shape, attention, tiles) });
  } else if (stage.kind === 'layer') {
    const shape = partsShape(network, stage);
    limits.push(
      ['feature shares', grid.m, shape.parts.reduce((sum, { blocks }) => sum + blocks, 0)],
      ['blocks of 16 tokens', grid.n, Math.ceil(shape.tokens / BLOCK)],
      ['groups of inner values', grid.k, Math.ceil(shape.inner / BLOCK)],
      ['tiles', grid.m * grid.n * grid.k, tiles],
    );
    build = () => ({ kind: 'layer', plan: layerPlan(shape, grid, weights, stage.name) });
  } else throw new RangeError(`stage ${stage.name} has no grid`);
  for (const [what, demand, capacity] of limits)
    if (demand > capacity)
      throw new CompileError(
        'plan',
        `stage ${stage.name}: grid ${grid.m}x${grid.n}x${grid.k} asks for ${demand} ${what}, there are ${capacity}`,
        { demand, capacity },
        'Pin a smaller grid or leave the plan to the compiler.',
      );
  const built = build();
  const { residentBytes, transientBytes } = built.plan;
  return { total: built.plan.cost.total, residentBytes, transientBytes, build: () => built };
}

/** The plan in one line: grids in order, as they can be pinned. */
export function describeNetwork(plan: NetworkPlan): string {
  const grids: string[] = [];
  const strategies: string[] = [];
  let model = 0;
  for (const stage of plan.stages) {
    if (stage === undefined) continue;
    model += stage.plan.cost.total;
    if (stage.kind === 'layer') {
      const { m, n, k } = stage.plan.grid;
      grids.push(`${m}x${n}x${k}`);
    } else {
      const { queryBlocks, keyBlocks, timeBlocks } = stage.plan.grid;
      grids.push(`${queryBlocks}x${keyBlocks}x${timeBlocks}`);
      strategies.push(
        stage.plan.rounds === 1 ? stage.plan.strategy : `${stage.plan.strategy}*${stage.plan.rounds}`,
      );
    }
  }
  return (
    `attention=${strategies.join('+')} grid=${grids.join('+')} tiles=${plan.tilesActive}/${plan.tilesRequested} ` +
    `weights=${plan.weights} model=${model}`
  );
}
