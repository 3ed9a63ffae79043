import type { LayerChain } from './graph/layers.ts';
import type { Network } from './graph/network.ts';
import { halfCode, halfValue } from './kernels/half.ts';
import type { AttentionPlan } from './plan/attention.ts';
import { BLOCK, blockExtent } from './plan/axis.ts';
import { type ChainPlan, describeChain } from './plan/chain.ts';
import { innerBlock } from './plan/layer.ts';
import { describeNetwork, type NetworkPlan } from './plan/network.ts';
import { splitEvenly } from './plan/partition.ts';
import { describePlan, type GemmPlan } from './plan/plan.ts';

/** Rounding model of a GEMM package, for the oracle. Ranges are half open. */
export interface GemmRounding {
  readonly kind: 'gemm-f16-partials';
  /** Inner values per step; the running sum is rounded to f16 after each. */
  readonly microK: number;
  /** Inner range of every tile of a K group, in order. */
  readonly kPieces: readonly (readonly [number, number])[];
  readonly partial: 'f16';
  /** How the pieces are summed when there is more than one. */
  readonly reduce: 'f32-sum';
  readonly out: 'f16';
  readonly overflow: 'saturate';
}

/** Rounding model of one layer of a chain. */
export interface LayerRounding {
  readonly microK: number;
  readonly kPieces: readonly (readonly [number, number])[];
  readonly partial: 'f16';
  readonly reduce: 'f32-sum';
  readonly bias: 'none' | 'f16-add';
  readonly activation: 'none' | 'gelu-tanh-f16';
  readonly out: { readonly type: 'f16' } | { readonly type: 'f8f143'; readonly scale: number };
  readonly overflow: 'saturate';
}

export interface LayersRounding {
  readonly kind: 'layers';
  readonly layers: readonly LayerRounding[];
}

/** Rounding model of one part of a layer in a network. */
export interface NetworkLayerRounding extends LayerRounding {
  readonly kind: 'layer';
  /** Inner values are cut into segments (heads), each padded to 16 where it does not divide. */
  readonly innerSegments: number;
}

/**
 * Rounding model of attention. Scores and values leave the matrix unit in f16 after every `microK` inner values.
 * Every tile makes a softmax of its own keys: f16 differences from the largest, products with `scale`, exponentials,
 * and probabilities; sums and weights in f32. `keyBlocks` are merged at once, or one after another where they are
 * grouped in time.
 */
export interface AttentionRounding {
  readonly kind: 'attention';
  readonly microK: number;
  readonly partial: 'f16';
  /** The factor in the exponent as the device has it. */
  readonly scale: number;
  readonly softmax: 'f16-exp-f32-sum';
  /** Keys of every tile, in the order of the merge; each cut in time. */
  readonly keyBlocks: readonly (readonly (readonly [number, number])[])[];
  readonly merge: 'f16-weights-f32-sum';
  readonly overflow: 'saturate';
}

export interface NormRounding {
  readonly kind: 'norm';
  readonly statistics: 'f32';
  readonly out: 'f16-normalise-scale-shift';
}

export interface AddRounding {
  readonly kind: 'add';
  readonly out: 'f16';
}

export interface NetworkRounding {
  readonly kind: 'network';
  /** By stage; a layer has one entry per part. */
  readonly stages: readonly (
    | readonly NetworkLayerRounding[]
    | AttentionRounding
    | NormRounding
    | AddRounding
  )[];
}

export type Rounding = GemmRounding | LayersRounding | NetworkRounding;

/** What a package's users are told of its plan. */
export interface PlanSummary {
  /** The plan in one line. */
  readonly text: string;
  readonly tilesRequested: number;
  readonly tilesActive: number;
  readonly modelCycles: number;
  readonly rounding: Rounding;
}

const piecesOf = ({ shares }: GemmPlan['inner']): readonly (readonly [number, number])[] =>
  shares.map(({ start, size }) => [start, start + size] as const);

export function summarizeGemm(plan: GemmPlan): PlanSummary {
  return {
    text: describePlan(plan),
    tilesRequested: plan.tilesRequested,
    tilesActive: plan.tilesActive,
    modelCycles: plan.cost.total,
    rounding: {
      kind: 'gemm-f16-partials',
      microK: 16,
      kPieces: piecesOf(plan.inner),
      partial: 'f16',
      reduce: 'f32-sum',
      out: 'f16',
      overflow: 'saturate',
    },
  };
}

const outputOf = (scale: number | undefined): LayerRounding['out'] =>
  scale === undefined ? { type: 'f16' } : { type: 'f8f143', scale };

export function summarizeChain({ layers }: LayerChain, plan: ChainPlan): PlanSummary {
  return {
    text: describeChain(plan),
    tilesRequested: plan.tilesRequested,
    tilesActive: plan.tilesActive,
    modelCycles: plan.modelCycles,
    rounding: {
      kind: 'layers',
      layers: plan.layers.map(({ inner, epilogue, shape }, index) => ({
        microK: innerBlock(shape),
        kPieces: piecesOf(inner),
        partial: 'f16',
        reduce: 'f32-sum',
        bias: epilogue?.bias === true ? 'f16-add' : 'none',
        activation: epilogue?.gelu === true ? 'gelu-tanh-f16' : 'none',
        out: outputOf(layers[index].castScale),
        overflow: 'saturate',
      })),
    },
  };
}

export function summarizeNetwork(network: Network, plan: NetworkPlan): PlanSummary {
  return {
    text: describeNetwork(plan),
    tilesRequested: plan.tilesRequested,
    tilesActive: plan.tilesActive,
    modelCycles: 0,
    rounding: {
      kind: 'network',
      stages: network.stages.map((stage, index) => {
        const staged = plan.stages[index];
        if (stage.kind === 'norm')
          return { kind: 'norm', statistics: 'f32', out: 'f16-normalise-scale-shift' } as const;
        if (stage.kind === 'add') return { kind: 'add', out: 'f16' } as const;
        if (staged?.kind === 'attention' && stage.kind === 'attention')
          return attentionRounding(staged.plan, stage.scale);
        if (staged?.kind === 'layer' && stage.kind === 'layer')
          return stage.parts.map((part): NetworkLayerRounding => {
            const shape = network.shapes.get(stage.x);
            return {
              kind: 'layer',
              innerSegments: shape?.heads ?? 1,
              microK: 16,
              kPieces: logicalPieces(staged.plan.inner.shares, shape?.heads ?? 1, shape?.width ?? 0),
              partial: 'f16',
              reduce: 'f32-sum',
              bias: part.bias === undefined ? 'none' : 'f16-add',
              activation: part.gelu ? 'gelu-tanh-f16' : 'none',
              out: { type: 'f16' },
              overflow: 'saturate',
            };
          });
        throw new RangeError(`stage ${stage.name} has no plan`);
      }),
    },
  };
}

/** Inner pieces in logical values: padding between heads is left out. */
function logicalPieces(
  shares: GemmPlan['inner']['shares'],
  heads: number,
  width: number,
): readonly (readonly [number, number])[] {
  const axis = { segments: heads, length: width };
  return shares.map(({ firstBlock, blocks }) => {
    const last = blockExtent(axis, firstBlock + blocks - 1);
    return [blockExtent(axis, firstBlock).start, last.start + last.size] as const;
  });
}

function attentionRounding({ keys, grid }: AttentionPlan, scale: number): AttentionRounding {
  const clip = (block: number) => Math.min(keys.extent, block * BLOCK);
  return {
    kind: 'attention',
    microK: 16,
    partial: 'f16',
    scale: halfValue(halfCode(scale)),
    softmax: 'f16-exp-f32-sum',
    keyBlocks: keys.shares.map(({ firstBlock, blocks }) =>
      splitEvenly(blocks, grid.timeBlocks).map(
        ({ start, end }) => [clip(firstBlock + start), clip(firstBlock + end)] as const,
      ),
    ),
    merge: 'f16-weights-f32-sum',
    overflow: 'saturate',
  };
}
