import { CompileError } from '../errors.ts';
import type { GraphValue } from '../graph/graph.ts';
import { groupsOf, type NormStage, panelsOf } from '../graph/network.ts';
import { ADD_TABLE_BYTES, addCycles } from '../kernels/add.ts';
import { NORM_TABLE_BYTES, normCycles, normScratchBytes } from '../kernels/layerNorm.ts';
import { BLOCK } from '../plan/axis.ts';
import { PHASE_OVERHEAD, SOURCE_CHANGE } from '../plan/cost.ts';
import { BLOCK_BYTES } from '../plan/layer.ts';
import { rowsPlan } from '../plan/rows.ts';
import { add, type Draft, type Fragment, range, TO_THE_END, WHILE_TOUCHED } from './draft.ts';
import { orderByAvailability } from './gather.ts';
import type { BufferName, Span, Transfer } from './stages.ts';
import { featuresAxis, placeVector, RUN_BYTES, type StoredValue } from './values.ts';

/** The part of a block's fragments that holds rows first..first + count. */
function rowsOf(fragments: readonly Fragment[], first: number, count: number): readonly Fragment[] {
  const [start, end] = [first * RUN_BYTES, (first + count) * RUN_BYTES];
  const cut: Fragment[] = [];
  let at = 0;
  for (const { span, bytes } of fragments) {
    const [from, to] = [Math.max(start, at), Math.min(end, at + bytes)];
    if (from < to) cut.push({ span: { ...span, offset: span.offset + from - at }, bytes: to - from });
    at += bytes;
  }
  return cut;
}

/** Layer norm: runs of whole tokens gather on tiles, which work on them in place. */
export function lowerNorm(draft: Draft, stage: NormStage, x: StoredValue): StoredValue {
  const { shape } = x;
  const [panels, groups] = [panelsOf(shape), groupsOf(shape)];
  const plan = rowsPlan(shape.batch * panels, draft.tiles);
  const runsPerPanel = BLOCK / plan.grain;
  const named = (part: string) => `${stage.name}.${part}` as BufferName;
  const [rows, gamma, beta, table] = [named('rows'), named('gamma'), named('beta'), named('workers')];
  const begin = draft.steps.length;
  const lists: Transfer[][] = [];
  plan.runs.shares.forEach(({ firstBlock, blocks }, tile) => {
    const count = blocks * plan.grain;
    const list: Transfer[] = [];
    for (let group = 0; group < groups; group++)
      for (let run = 0; run < blocks; run++) {
        const panel = Math.floor((firstBlock + run) / runsPerPanel);
        const firstRow = ((firstBlock + run) % runsPerPanel) * plan.grain;
        let offset = (group * count + run * plan.grain) * RUN_BYTES;
        const block = x.at(Math.floor(panel / panels), panel % panels, group);
        for (const { span, bytes } of rowsOf(block, firstRow, plan.grain)) {
          list.push({
            source: span,
            words: bytes / 4,
            receivers: [{ tile: tile as Span['tile'], buffer: rows, offset }],
          });
          offset += bytes;
        }
      }
    lists.push(list);
  });
  const most = plan.runs.maxBlocks * plan.grain;
  const words = (most * groups * RUN_BYTES) / 4;
  draft.steps.push({
    kind: 'exchange',
    name: named('gather'),
    modelCycles: words + PHASE_OVERHEAD + SOURCE_CHANGE * plan.runs.maxBlocks * groups,
    transfers: orderByAvailability(lists),
  });
  for (const a of x.buffers)
    draft.separations.push({ a, b: rows, reason: 'sent and received in one exchange phase' });
  const work = (count: number) => ({ rows: count, groups, features: shape.width });
  draft.steps.push({
    kind: 'norm',
    name: named('norm'),
    modelCycles: normCycles(work(most)),
    from: rows,
    out: rows,
    gamma,
    beta,
    epsilon: stage.epsilon,
    scratch: named('scratch'),
    table,
    tiles: range(draft.tiles).map((tile) => {
      const share = plan.runs.shares[tile];
      return share === undefined ? undefined : work(share.blocks * plan.grain);
    }),
  });
  add(draft, rows, most * groups * RUN_BYTES, begin, WHILE_TOUCHED);
  add(draft, table, NORM_TABLE_BYTES, -1, TO_THE_END);
  add(draft, named('scratch'), normScratchBytes({ rows: most }), begin + 1, WHILE_TOUCHED);
  const tiles = plan.runs.shares.map((_share, tile) => tile as Span['tile']);
  placeVector(draft, stage.gamma, gamma, featuresAxis(shape), tiles);
  placeVector(draft, stage.beta, beta, featuresAxis(shape), tiles);
  const tileOf = plan.runs.shares.flatMap(({ blocks }, tile) => range(blocks).map(() => tile));
  return {
    shape,
    buffers: [rows],
    at: (stream, panel, group) =>
      range(runsPerPanel).map((part) => {
        const run = (stream * panels + panel) * runsPerPanel + part;
        const tile = tileOf[run];
        const { firstBlock, blocks } = plan.runs.shares[tile];
        const offset = (group * blocks + run - firstBlock) * plan.grain * RUN_BYTES;
        return {
          span: { tile: tile as Span['tile'], buffer: rows, offset },
          bytes: plan.grain * RUN_BYTES,
        };
      }),
  };
}

/** x + other: the blocks of `other` join those of x on their tiles. */
export function lowerAdd(draft: Draft, value: GraphValue, x: StoredValue, other: StoredValue): StoredValue {
  const { shape } = x;
  const [panels, groups] = [panelsOf(shape), groupsOf(shape)];
  const named = (part: string) => `${value.name}.${part}` as BufferName;
  const [joined, out, table] = [named('other'), named('sum'), named('workers')];
  const lists = new Map<number, Transfer[]>();
  const bytesOn = new Map<number, number>();
  for (let stream = 0; stream < shape.batch * shape.heads; stream++)
    for (let panel = 0; panel < panels; panel++)
      for (let group = 0; group < groups; group++) {
        const block = x.at(stream, panel, group);
        if (block.length !== 1 || x.buffers.length !== 1)
          throw new CompileError(
            'lower',
            `the first operand of ${value.name} does not lie in whole blocks`,
            { fragments: block.length, buffers: x.buffers.length },
            'Add the result of a layer, and give it first.',
            { verdict: 'unsupported' },
          );
        const { tile, offset } = block[0].span;
        bytesOn.set(tile, Math.max(bytesOn.get(tile) ?? 0, offset + BLOCK_BYTES));
        let at = offset;
        const list = lists.get(tile) ?? [];
        lists.set(tile, list);
        for (const { span, bytes } of other.at(stream, panel, group)) {
          list.push({ source: span, words: bytes / 4, receivers: [{ tile, buffer: joined, offset: at }] });
          at += bytes;
        }
      }
  const most = Math.max(...bytesOn.values());
  const begin = draft.steps.length;
  const messages = Math.max(...[...lists.values()].map((list) => list.length));
  draft.steps.push({
    kind: 'exchange',
    name: named('gather'),
    modelCycles: most / 4 + PHASE_OVERHEAD + SOURCE_CHANGE * messages,
    transfers: orderByAvailability([...lists.values()]),
  });
  for (const a of other.buffers)
    draft.separations.push({ a, b: joined, reason: 'sent and received in one exchange phase' });
  draft.steps.push({
    kind: 'add',
    name: named('add'),
    modelCycles: addCycles({ granules: most / 16 }),
    a: x.buffers[0],
    b: joined,
    out,
    table,
    tiles: range(draft.tiles).map((tile) => {
      const bytes = bytesOn.get(tile);
      return bytes === undefined ? undefined : { granules: bytes / 16 };
    }),
  });
  add(draft, joined, most, begin, WHILE_TOUCHED);
  add(draft, out, most, begin + 1, WHILE_TOUCHED);
  add(draft, table, ADD_TABLE_BYTES, -1, TO_THE_END);
  return {
    shape,
    buffers: [out],
    at: (stream, panel, group) =>
      x.at(stream, panel, group).map(({ span, bytes }) => ({ span: { ...span, buffer: out }, bytes })),
  };
}
