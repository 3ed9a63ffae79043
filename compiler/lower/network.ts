import type { ValueId } from '../graph/graph.ts';
import type { LayerStage, Network } from '../graph/network.ts';
import type { LayerPlan } from '../plan/layer.ts';
import type { NetworkPlan } from '../plan/network.ts';
import { lowerAttention } from './attention.ts';
import { closed, type Draft, emptyDraft, WHILE_TOUCHED } from './draft.ts';
import { lowerLayer } from './layer.ts';
import { lowerAdd, lowerNorm } from './rows.ts';
import type { LoweredProgram } from './stages.ts';
import { asBlocks, byStream, featuresAxis, outputOf, placeHostValue, type StoredValue } from './values.ts';

/** Lowers a planned network stage by stage; values cross between stages in blocks of 16 tokens x 16 features. */
export function lowerNetwork(network: Network, plan: NetworkPlan): LoweredProgram {
  const draft = emptyDraft(plan.tilesRequested);
  const { graph, shapes } = network;
  const stored = new Map<ValueId, StoredValue>();
  const shapeOf = (id: ValueId) => {
    const shape = shapes.get(id);
    if (shape === undefined) throw new RangeError(`value ${graph.values[id].name} has no streams`);
    return shape;
  };
  const fetch = (id: ValueId, turned = true): StoredValue => {
    const known = stored.get(id);
    if (known !== undefined) return known;
    if (!graph.inputs.includes(id))
      throw new RangeError(`value ${graph.values[id].name} is not computed yet`);
    const placed = placeHostValue(draft, graph.values[id], shapeOf(id), turned);
    stored.set(id, placed);
    return placed;
  };
  network.stages.forEach((stage, index) => {
    const staged = plan.stages[index];
    switch (stage.kind) {
      case 'layer':
        if (staged?.kind !== 'layer') throw new RangeError(`stage ${stage.name} has no layer plan`);
        for (const [id, value] of layerValues(draft, network, stage, staged.plan, fetch(stage.x)))
          stored.set(id, value);
        break;
      case 'attention': {
        if (staged?.kind !== 'attention') throw new RangeError(`stage ${stage.name} has no attention plan`);
        const operands = { q: fetch(stage.q), k: fetch(stage.k), v: fetch(stage.v, false) };
        stored.set(stage.y, lowerAttention(draft, stage, staged.plan, operands, shapeOf(stage.y)));
        break;
      }
      case 'norm':
        stored.set(stage.y, lowerNorm(draft, stage, fetch(stage.x)));
        break;
      case 'add':
        stored.set(stage.y, lowerAdd(draft, graph.values[stage.y], fetch(stage.x), fetch(stage.other)));
        break;
    }
  });
  const output = graph.values[graph.outputs[0]];
  draft.bindings.push(outputOf(output, fetch(network.result)));
  return closed(draft);
}

function layerValues(
  draft: Draft,
  network: Network,
  stage: LayerStage,
  plan: LayerPlan,
  x: StoredValue,
): readonly (readonly [ValueId, StoredValue])[] {
  const shapeOf = (id: ValueId) => {
    const shape = network.shapes.get(id);
    if (shape === undefined) throw new RangeError(`value ${network.graph.values[id].name} has no streams`);
    return shape;
  };
  const lowered = lowerLayer(
    draft,
    {
      name: stage.name,
      operands: 'f16',
      scale: 0,
      inner: featuresAxis(x.shape),
      parts: stage.parts.map(({ weights, bias, y }) => ({
        weights,
        axis: featuresAxis(shapeOf(y)),
        ...(bias === undefined ? {} : { bias }),
      })),
    },
    plan,
    { at: asBlocks(x), buffers: x.buffers },
    WHILE_TOUCHED,
  );
  return stage.parts.map(({ y }, index) => {
    const shape = shapeOf(y);
    const at = byStream(shape, lowered.at, plan.parts[index].firstBlock);
    return [y, { shape, buffers: lowered.buffers, at }] as const;
  });
}
