import { VerifierError } from '../errors.ts';
import type { ChainPlan } from './chain.ts';
import type { AxisPartition } from './partition.ts';
import type { GemmPlan } from './plan.ts';

/** Rules a plan must meet before lowering: shares tile their axes exactly and the grid fits the request. */
export function verifyGemmPlan(plan: GemmPlan): void {
  const active = plan.grid.m * plan.grid.n * plan.grid.k;
  if (active !== plan.tilesActive || active > plan.tilesRequested) {
    throw new VerifierError('plan', 'grid does not fit the tiles', {
      active,
      requested: plan.tilesRequested,
    });
  }
  verifyAxis('rows', plan.rows, plan.grid.m);
  verifyAxis('columns', plan.columns, plan.grid.n);
  verifyAxis('inner', plan.inner, plan.grid.k);
}

/** The same for every layer of a chain, whose shapes must follow each other. */
export function verifyChainPlan(plan: ChainPlan): void {
  plan.layers.forEach(({ grid, rows, columns, inner, shape }, index) => {
    const active = grid.m * grid.n * grid.k;
    if (active > plan.tilesRequested)
      throw new VerifierError('plan', 'grid does not fit the tiles', { layer: index, active });
    verifyAxis('features', rows, grid.m);
    verifyAxis('tokens', columns, grid.n);
    verifyAxis('inner', inner, grid.k);
    const before = plan.layers[index - 1]?.shape;
    if (before !== undefined && (before.features !== shape.inner || before.tokens !== shape.tokens))
      throw new VerifierError('plan', 'layers do not follow each other', { layer: index });
  });
}

function verifyAxis(axis: string, partition: AxisPartition, parts: number): void {
  const fail = (rule: string, facts: Record<string, number | string>) => {
    throw new VerifierError('plan', rule, { axis, ...facts });
  };
  if (partition.shares.length !== parts) fail('wrong number of shares', { shares: partition.shares.length });
  let next = 0;
  let block = 0;
  for (const share of partition.shares) {
    if (share.start !== next || share.firstBlock !== block) fail('gap or overlap', { start: share.start });
    if (share.blocks < 1 || share.size < 1) fail('empty share', { start: share.start });
    if (share.blocks > partition.maxBlocks) fail('share above the stated maximum', { blocks: share.blocks });
    next = share.start + share.size;
    block += share.blocks;
  }
  if (next !== partition.extent) fail('shares do not cover the axis', { covered: next });
}
