import type { AttentionStage, StreamShape } from '../graph/network.ts';
import { GEMM_TABLE_BYTES, LEFT_TAIL_BYTES, PARTIAL_TAIL_BYTES } from '../kernels/gemm.ts';
import { MERGE_TABLE_BYTES, mergeWeightBytes } from '../kernels/merge.ts';
import { SOFTMAX_TABLE_BYTES, type SoftmaxWork } from '../kernels/softmax.ts';
import { type AttentionPlan, STATISTICS_BYTES, widthGroups } from '../plan/attention.ts';
import { BLOCK } from '../plan/axis.ts';
import { BLOCK_BYTES } from '../plan/layer.ts';
import { type Share, splitEvenly } from '../plan/partition.ts';
import { add, type Draft, type Fragment, range, TO_THE_END, WHILE_TOUCHED } from './draft.ts';
import { orderByAvailability } from './gather.ts';
import type { Buffer, BufferName, Span, Transfer } from './stages.ts';
import { RUN_BYTES, type StoredValue } from './values.ts';

const EXCHANGED = 'sent and received in one exchange phase';
const MATRIX = 'the matrix kernel loads one and stores the other in one cycle';

/** Streams that are at work at the same time, on tiles of their own. */
interface Round {
  readonly index: number;
  readonly first: number;
  readonly streams: readonly number[];
}

/** A time step of a round: which part of every tile's keys. */
interface Beat extends Round {
  readonly time: number;
  named(part: string): BufferName;
}

/** What every part of the lowering needs. */
interface Context {
  readonly draft: Draft;
  readonly stage: AttentionStage;
  readonly plan: AttentionPlan;
  readonly groups: number;
  /** Worst-tile query rows, key panels at once, and rows after the merge of key blocks. */
  readonly rows: number;
  readonly panels: number;
  readonly kept: number;
}

/** Partial results on the tiles of a round: values [group][row][16] and statistics [row]. */
interface Partial {
  readonly values: BufferName;
  readonly statistics: BufferName;
}

/**
 * Lowers attention: per round and time step gather queries, keys and values, scores, softmax over the tile's keys,
 * values; then merge over time on the tile and over key blocks by a rotation exchange. Padded and masked keys end at
 * the softmax, padded queries never leave their tile.
 */
export function lowerAttention(
  draft: Draft,
  stage: AttentionStage,
  plan: AttentionPlan,
  operands: { readonly q: StoredValue; readonly k: StoredValue; readonly v: StoredValue },
  shape: StreamShape,
): StoredValue {
  const rows = plan.queries.maxBlocks * BLOCK;
  const context: Context = {
    draft,
    stage,
    plan,
    groups: widthGroups(plan.shape),
    rows,
    panels: Math.ceil(plan.keys.maxBlocks / plan.grid.timeBlocks),
    kept: Math.ceil(Math.min(rows, plan.shape.queries) / plan.grid.keyBlocks),
  };
  const results = range(plan.rounds).map((index) => {
    const first = index * plan.streamsPerRound;
    const count = Math.min(plan.streamsPerRound, plan.shape.streams - first);
    const round: Round = { index, first, streams: range(count).map((at) => first + at) };
    return lowerRound(context, round, operands);
  });
  return {
    shape,
    buffers: results,
    at: (stream, panel, group) => {
      const index = Math.floor(stream / plan.streamsPerRound);
      return resultBlock(context, index * plan.streamsPerRound, results[index], stream, panel, group);
    },
  };
}

const tileAt = ({ plan }: Context, { first }: Pick<Round, 'first'>, stream: number, i: number, j: number) =>
  (((stream - first) * plan.grid.queryBlocks + i) * plan.grid.keyBlocks + j) as Span['tile'];

/** Arguments for the tiles of a round. */
function overTiles<T>(
  context: Context,
  round: Round,
  at: (stream: number, i: number, j: number) => T | undefined,
): (T | undefined)[] {
  const tiles: (T | undefined)[] = new Array(context.draft.tiles).fill(undefined);
  const { queryBlocks, keyBlocks } = context.plan.grid;
  for (const stream of round.streams)
    for (let i = 0; i < queryBlocks; i++)
      for (let j = 0; j < keyBlocks; j++) tiles[tileAt(context, round, stream, i, j)] = at(stream, i, j);
  return tiles;
}

/** Key panels of block j that are worked on at a time. */
function panelsAt({ plan }: Context, j: number, time: number): { firstBlock: number; blocks: number } {
  const share = plan.keys.shares[j];
  const { start, end } = splitEvenly(share.blocks, plan.grid.timeBlocks)[time];
  return { firstBlock: share.firstBlock + start, blocks: end - start };
}

function lowerRound(
  context: Context,
  round: Round,
  operands: { readonly q: StoredValue; readonly k: StoredValue; readonly v: StoredValue },
): BufferName {
  const { stage, plan } = context;
  const { timeBlocks, keyBlocks } = plan.grid;
  const prefix = plan.rounds === 1 ? stage.name : `${stage.name}.${round.index}`;
  const queries = `${prefix}.q` as BufferName;
  let merged: Partial | undefined;
  for (let time = 0; time < timeBlocks; time++) {
    const at = timeBlocks === 1 ? prefix : `${prefix}.t${time}`;
    const beat: Beat = { ...round, time, named: (part) => `${at}.${part}` as BufferName };
    const partial = lowerBeat(context, beat, operands, queries);
    merged =
      merged === undefined
        ? partial
        : mergeInTime(context, beat, merged, partial, time === timeBlocks - 1 && keyBlocks === 1);
  }
  if (merged === undefined) throw new RangeError('attention without time steps');
  return keyBlocks === 1 ? merged.values : mergeKeyBlocks(context, round, prefix, merged);
}

/** One time step: gives the buffers of the tile's partial result. */
function lowerBeat(
  context: Context,
  beat: Beat,
  operands: { readonly q: StoredValue; readonly k: StoredValue; readonly v: StoredValue },
  queries: BufferName,
): Partial {
  const { draft, plan, groups, rows, panels } = context;
  const { named, time } = beat;
  const [keys, values, scores, statistics, out] = [
    named('k'),
    named('v'),
    named('scores'),
    named('statistics'),
    named('o'),
  ];
  const times = plan.rounds * plan.grid.timeBlocks;
  const part = (cycles: number) => Math.round(cycles / times);
  const begin = draft.steps.length;
  const interleaved = { memory: 'interleaved' as const };
  const place = (name: BufferName, bytes: number, firstStep: number, more: globalThis.Partial<Buffer> = {}) =>
    add(draft, name, bytes, firstStep, WHILE_TOUCHED, more);

  draft.steps.push({
    kind: 'exchange',
    name: named('gather'),
    modelCycles: part(plan.cost.gather),
    transfers: [
      ...(time === 0 ? gatherQueries(context, beat, operands.q, queries) : []),
      ...gatherKeys(context, beat, operands.k, operands.v, keys, values),
    ],
  });
  const received = time === 0 ? [queries, keys, values] : [keys, values];
  const sources = [...(time === 0 ? operands.q.buffers : []), ...operands.k.buffers, ...operands.v.buffers];
  for (const a of new Set(sources))
    for (const b of received) draft.separations.push({ a, b, reason: EXCHANGED });
  if (time === 0) place(queries, rows * groups * RUN_BYTES, begin, { tailBytes: LEFT_TAIL_BYTES });
  place(keys, panels * groups * BLOCK_BYTES, begin, interleaved);
  place(values, panels * groups * BLOCK_BYTES, begin, interleaved);

  const rowsOf = (i: number) => plan.queries.shares[i].blocks * BLOCK;
  const gemm = (
    name: string,
    modelCycles: number,
    buffers: { left: BufferName; right: BufferName; out: BufferName },
    extents: (blocks: number) => { panels: number; groups: number },
  ) => {
    const table = named(`${name}.workers`);
    draft.steps.push({
      kind: 'gemm',
      name: named(name),
      modelCycles,
      ...buffers,
      table,
      operands: 'f16',
      scale: 0,
      tiles: overTiles(context, beat, (_stream, i, j) => ({
        rows: rowsOf(i),
        ...extents(panelsAt(context, j, time).blocks),
      })),
    });
    add(draft, table, GEMM_TABLE_BYTES, -1, TO_THE_END);
    draft.separations.push({ a: buffers.left, b: buffers.out, reason: MATRIX });
  };
  gemm('qk', part(plan.cost.scores), { left: queries, right: keys, out: scores }, (blocks) => ({
    panels: blocks,
    groups,
  }));
  place(scores, panels * rows * RUN_BYTES, begin + 1, { ...interleaved, tailBytes: PARTIAL_TAIL_BYTES });

  draft.steps.push({
    kind: 'softmax',
    name: named('softmax'),
    modelCycles: part(plan.cost.softmax),
    scores,
    statistics,
    table: named('softmax.workers'),
    scale: context.stage.scale,
    tiles: overTiles(context, beat, (_stream, i, j) => softmaxWork(context, i, j, time)),
  });
  add(draft, named('softmax.workers'), SOFTMAX_TABLE_BYTES, -1, TO_THE_END);
  place(statistics, rows * STATISTICS_BYTES, begin + 2);

  gemm('pv', part(plan.cost.values), { left: scores, right: values, out }, (blocks) => ({
    panels: groups,
    groups: blocks,
  }));
  place(out, groups * rows * RUN_BYTES, begin + 3, { ...interleaved, tailBytes: PARTIAL_TAIL_BYTES });
  return { values: out, statistics };
}

/** Which keys of its block every row of a tile sees. */
export function softmaxWork(
  { plan }: Pick<Context, 'plan'>,
  i: number,
  j: number,
  time: number,
): SoftmaxWork {
  const { causal, queries, keys } = plan.shape;
  const { firstBlock, blocks } = panelsAt({ plan } as Context, j, time);
  const start = firstBlock * BLOCK;
  const query = plan.queries.shares[i];
  const inBlock = Math.min(keys - start, blocks * BLOCK);
  const common = { rows: query.blocks * BLOCK, panels: blocks, keys: inBlock };
  if (causal === 'none') return { ...common, first: inBlock, step: 0 };
  // Row r sees keys up to its own index, shifted by the alignment.
  const shift = causal === 'bottom-right' ? keys - queries : 0;
  return { ...common, first: query.start + 1 + shift - start, step: 1 };
}

/** Queries in rows: [group][row][16], the same for all key blocks of a query block. */
function gatherQueries(context: Context, round: Round, q: StoredValue, to: BufferName): readonly Transfer[] {
  const { plan, groups } = context;
  const lists: Transfer[][] = [];
  for (const stream of round.streams)
    plan.queries.shares.forEach((share: Share, i) => {
      const members = range(plan.grid.keyBlocks).map((j) => tileAt(context, round, stream, i, j));
      const rows = share.blocks * BLOCK;
      const pieces: Landing[] = [];
      for (let group = 0; group < groups; group++)
        for (let panel = 0; panel < share.blocks; panel++)
          pieces.push({
            fragments: q.at(stream, share.firstBlock + panel, group),
            offset: group * rows * RUN_BYTES + panel * BLOCK_BYTES,
          });
      lists.push(messages(pieces, members, to));
    });
  return orderByAvailability(lists);
}

/** Keys [panel][group] and values [group][panel] as coefficient blocks, the same for all query blocks of a stream. */
function gatherKeys(
  context: Context,
  beat: Beat,
  k: StoredValue,
  v: StoredValue,
  keys: BufferName,
  values: BufferName,
): readonly Transfer[] {
  const { plan, groups } = context;
  const sharing = plan.shape.streams / plan.shape.kvStreams;
  const lists: Transfer[][] = [];
  const kvStreams = new Set(beat.streams.map((stream) => Math.floor(stream / sharing)));
  for (const kv of kvStreams) {
    const streams = beat.streams.filter((stream) => Math.floor(stream / sharing) === kv);
    for (let j = 0; j < plan.grid.keyBlocks; j++) {
      const members = streams.flatMap((stream) =>
        range(plan.grid.queryBlocks).map((i) => tileAt(context, beat, stream, i, j)),
      );
      const { firstBlock, blocks } = panelsAt(context, j, beat.time);
      const keyPieces: Landing[] = [];
      const valuePieces: Landing[] = [];
      for (let panel = 0; panel < blocks; panel++)
        for (let group = 0; group < groups; group++) {
          keyPieces.push({
            fragments: k.at(kv, firstBlock + panel, group),
            offset: (panel * groups + group) * BLOCK_BYTES,
          });
          valuePieces.push({
            fragments: v.at(kv, firstBlock + panel, group),
            offset: (group * blocks + panel) * BLOCK_BYTES,
          });
        }
      lists.push([...messages(keyPieces, members, keys), ...messages(valuePieces, members, values)]);
    }
  }
  return orderByAvailability(lists);
}

/** A block and where it lands. */
interface Landing {
  readonly fragments: readonly Fragment[];
  readonly offset: number;
}

/** Runs that are contiguous at both ends make one message. */
function messages(
  pieces: readonly Landing[],
  members: readonly Span['tile'][],
  buffer: BufferName,
): Transfer[] {
  const runs: { source: Span; words: number; offset: number }[] = [];
  for (const { fragments, offset } of pieces) {
    let at = offset;
    for (const { span, bytes } of fragments) {
      const run = runs.at(-1);
      const joins =
        run !== undefined &&
        run.source.tile === span.tile &&
        run.source.buffer === span.buffer &&
        run.source.offset + 4 * run.words === span.offset &&
        run.offset + 4 * run.words === at;
      if (joins) run.words += bytes / 4;
      else runs.push({ source: span, words: bytes / 4, offset: at });
      at += bytes;
    }
  }
  return runs.map(({ source, words, offset }) => ({
    source,
    words,
    receivers: members.map((tile) => ({ tile, buffer, offset })),
  }));
}

/** Joins the partial result of a time step to that of the steps before, in place. */
function mergeInTime(
  context: Context,
  beat: Beat,
  before: Partial,
  partial: Partial,
  last: boolean,
): Partial {
  const { draft, plan, groups } = context;
  const times = plan.rounds * (plan.grid.timeBlocks - 1);
  const table = beat.named('merge.workers');
  draft.steps.push({
    kind: 'merge',
    name: beat.named('merge'),
    modelCycles: Math.round(plan.cost.mergeInTime / times),
    first: before,
    second: partial,
    out: before.values,
    ...(last ? {} : { outStatistics: before.statistics }),
    table,
    weights: beat.named('weights'),
    scale: context.stage.scale,
    tiles: overTiles(context, beat, (_stream, i) => {
      const rows = plan.queries.shares[i].blocks * BLOCK;
      return {
        rows,
        panels: groups,
        partials: 2,
      };
    }),
  });
  add(draft, table, MERGE_TABLE_BYTES, -1, TO_THE_END);
  const weightBytes = mergeWeightBytes({ rows: context.rows, partials: 2 });
  add(draft, beat.named('weights'), weightBytes, draft.steps.length - 1, WHILE_TOUCHED);
  return before;
}

/** Bytes of one partial of `rows` rows: values, then statistics. */
const partialBytes = (rows: number, groups: number): number =>
  Math.ceil((rows * (groups * RUN_BYTES + STATISTICS_BYTES)) / 16) * 16;

/**
 * Round d: key block j sends to key block j + d the rows that one keeps; round 0 is a loop-back. Staged partials lie
 * in the order of their keys.
 */
function mergeKeyBlocks(context: Context, round: Round, prefix: string, from: Partial): BufferName {
  const { draft, plan, groups, kept } = context;
  const { keyBlocks } = plan.grid;
  const [staging, out, table] = ['staging', 'merged', 'merge.workers'].map(
    (part) => `${prefix}.${part}` as BufferName,
  );
  const transfers: Transfer[] = [];
  for (let distance = 0; distance < keyBlocks; distance++)
    for (const stream of round.streams)
      plan.queries.shares.forEach((share, i) => {
        const pieces = splitEvenly(share.size, keyBlocks);
        for (let j = 0; j < keyBlocks; j++) {
          const keeper = (j + distance) % keyBlocks;
          const { start, end } = pieces[keeper];
          const rows = end - start;
          if (rows === 0) continue;
          const tile = tileAt(context, round, stream, i, j);
          const receiver = tileAt(context, round, stream, i, keeper);
          const base = j * partialBytes(rows, groups);
          const send = (buffer: BufferName, offset: number, bytes: number, to: number) =>
            transfers.push({
              source: { tile, buffer, offset },
              words: bytes / 4,
              receivers: [{ tile: receiver, buffer: staging, offset: base + to }],
            });
          for (let group = 0; group < groups; group++)
            send(
              from.values,
              (group * share.blocks * BLOCK + start) * RUN_BYTES,
              rows * RUN_BYTES,
              group * rows * RUN_BYTES,
            );
          send(from.statistics, start * STATISTICS_BYTES, rows * STATISTICS_BYTES, groups * rows * RUN_BYTES);
        }
      });
  const exchange = draft.steps.length;
  draft.steps.push({
    kind: 'exchange',
    name: `${prefix}.partials`,
    modelCycles: Math.round(plan.cost.exchange / plan.rounds),
    transfers,
  });
  for (const a of [from.values, from.statistics])
    draft.separations.push({ a, b: staging, reason: EXCHANGED });
  const rowsKept = (i: number, j: number) => {
    const { start, end } = splitEvenly(plan.queries.shares[i].size, keyBlocks)[j];
    return end - start;
  };
  draft.steps.push({
    kind: 'merge',
    name: `${prefix}.merge`,
    modelCycles: Math.round(plan.cost.merge / plan.rounds),
    first: {
      values: staging,
      statistics: staging,
      statisticsOffset: overTiles(context, round, (_stream, i, j) => groups * rowsKept(i, j) * RUN_BYTES).map(
        (offset) => offset ?? 0,
      ),
    },
    out,
    table,
    weights: `${prefix}.weights` as BufferName,
    scale: context.stage.scale,
    tiles: overTiles(context, round, (_stream, i, j) => {
      const rows = rowsKept(i, j);
      if (rows === 0) return undefined;
      return {
        rows,
        panels: groups,
        partials: keyBlocks,
        partialBytes: partialBytes(rows, groups),
      };
    }),
  });
  add(draft, staging, keyBlocks * partialBytes(kept, groups), exchange, WHILE_TOUCHED, {
    memory: 'interleaved',
  });
  add(draft, out, groups * kept * RUN_BYTES, exchange + 1, WHILE_TOUCHED);
  add(draft, table, MERGE_TABLE_BYTES, -1, TO_THE_END);
  const weightBytes = mergeWeightBytes({ rows: kept, partials: keyBlocks });
  add(draft, `${prefix}.weights` as BufferName, weightBytes, exchange + 1, WHILE_TOUCHED);
  return out;
}

/** Where the rows of a result block lie. Rows of padding repeat the first ones: they are valid and nobody reads them. */
function resultBlock(
  context: Context,
  first: number,
  buffer: BufferName,
  stream: number,
  panel: number,
  group: number,
): readonly Fragment[] {
  const { plan } = context;
  const { keyBlocks } = plan.grid;
  const i = plan.queries.shares.findIndex(
    ({ firstBlock, blocks }) => panel >= firstBlock && panel < firstBlock + blocks,
  );
  const share = plan.queries.shares[i];
  const row = (panel - share.firstBlock) * BLOCK;
  if (keyBlocks === 1) {
    const offset = (group * share.blocks * BLOCK + row) * RUN_BYTES;
    return [{ span: { tile: tileAt(context, { first }, stream, i, 0), buffer, offset }, bytes: BLOCK_BYTES }];
  }
  const fragments: Fragment[] = [];
  let rows = 0;
  splitEvenly(share.size, keyBlocks).forEach(({ start, end }, j) => {
    const [from, to] = [Math.max(start, row), Math.min(end, row + BLOCK)];
    if (from >= to) return;
    const offset = (group * (end - start) + from - start) * RUN_BYTES;
    fragments.push({
      span: { tile: tileAt(context, { first }, stream, i, j), buffer, offset },
      bytes: (to - from) * RUN_BYTES,
    });
    rows += to - from;
  });
  while (rows < BLOCK) {
    const bytes = Math.min(fragments[0].bytes, (BLOCK - rows) * RUN_BYTES);
    fragments.push({ span: fragments[0].span, bytes });
    rows += bytes / RUN_BYTES;
  }
  return fragments;
}
