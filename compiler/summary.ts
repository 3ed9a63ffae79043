import type { LayerChain } from './graph/layers.ts';
import { type ChainPlan, describeChain } from './plan/chain.ts';
import { innerBlock } from './plan/layer.ts';
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

export type Rounding = GemmRounding | LayersRounding;

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
