import { CAST_TABLE_BYTES } from '../kernels/cast.ts';
import { EPILOGUE_TABLE_BYTES, epilogueCycles } from '../kernels/epilogue.ts';
import { GEMM_TABLE_BYTES, LEFT_TAIL_BYTES, PARTIAL_TAIL_BYTES } from '../kernels/gemm.ts';
import { REDUCE_TABLE_BYTES } from '../kernels/reduce.ts';
import { BLOCK } from '../plan/axis.ts';
import { BLOCK_BYTES, type LayerEpilogue, type LayerPlan } from '../plan/layer.ts';
import { tileOfPosition } from '../plan/plan.ts';
import { add, type BlockSource, type Draft, overGrid, range, type Source, TO_THE_END } from './draft.ts';
import { orderByAvailability } from './gather.ts';
import { placeBias, placeWeights } from './layerOperands.ts';
import { type LayerSpec, type Ownership, ownership } from './layerSpec.ts';
import type { BufferName, Span, Transfer } from './stages.ts';

const GRANULES_PER_BLOCK = BLOCK_BYTES / 16;

/** A lowered layer: its result in blocks, and who owns them. */
export interface LoweredLayer extends Source {
  readonly buffer: BufferName;
  readonly own: Ownership;
}

/**
 * Lowers one layer: gather its input blocks (and weights that are stored once), multiply, sum the inner pieces by a
 * rotation reduce-scatter, finish the tile's own blocks. `until` is the last step that needs the result, or a mark;
 * undefined means the step behind the layer.
 */
export function lowerLayer(
  draft: Draft,
  spec: LayerSpec,
  plan: LayerPlan,
  source: Source,
  until: number | undefined,
): LoweredLayer {
  const named = (part: string) => `${spec.name}.${part}` as BufferName;
  const { grid, rows, columns, inner, cost } = plan;
  const left = named('left');
  const right = named('right');
  const partials = named('partials');
  const weights = placeWeights(draft, spec, plan, left);

  const gather = draft.steps.length;
  const transfers = [...weights.transfers, ...gatherBlocks(plan, source.at, right)];
  draft.steps.push({ kind: 'exchange', name: named('gather'), modelCycles: cost.gather, transfers });
  const exchange = 'sent and received in one exchange phase';
  for (const a of source.buffers) draft.separations.push({ a, b: right, reason: exchange });
  if (weights.home !== undefined)
    draft.separations.push(
      { a: weights.home, b: left, reason: exchange },
      { a: weights.home, b: right, reason: exchange },
      ...source.buffers.map((a) => ({ a, b: left, reason: exchange })),
    );

  const gemm = draft.steps.length;
  draft.steps.push({
    kind: 'gemm',
    name: named('gemm'),
    modelCycles: cost.gemm,
    left,
    right,
    out: partials,
    table: named('gemm.workers'),
    operands: spec.operands,
    scale: spec.scale,
    tiles: overGrid(draft, plan, (i, j, l) => ({
      rows: rows.shares[i].blocks * BLOCK,
      panels: columns.shares[j].blocks,
      groups: inner.shares[l].blocks,
    })),
  });
  draft.separations.push({
    a: left,
    b: partials,
    reason: 'the matrix kernel loads one and stores the other in one cycle',
  });
  const interleaved = { memory: 'interleaved' as const };
  if (weights.home === undefined)
    add(draft, left, weights.bytes, -1, TO_THE_END, { tailBytes: LEFT_TAIL_BYTES });
  else add(draft, left, weights.bytes, gather, gemm, { tailBytes: LEFT_TAIL_BYTES });
  add(draft, right, columns.maxBlocks * inner.maxBlocks * BLOCK_BYTES, gather, gemm, interleaved);
  add(draft, named('gemm.workers'), GEMM_TABLE_BYTES, -1, TO_THE_END);

  const own = ownership(plan);
  const summed = grid.k > 1 ? lowerReduction(draft, plan, own, named) : partials;
  const finished = lowerCast(
    draft,
    spec,
    plan,
    own,
    named,
    lowerEpilogues(draft, spec, plan, own, named, summed),
  );
  const afterGemm = draft.steps.length;
  const end = until ?? afterGemm;
  const outBytes = rows.maxBlocks * columns.maxBlocks * BLOCK_BYTES;
  add(draft, partials, outBytes, gemm, finished === partials ? end : afterGemm - 1, {
    ...interleaved,
    tailBytes: PARTIAL_TAIL_BYTES,
  });
  if (grid.k > 1)
    add(draft, named('sum'), own.largest * BLOCK_BYTES, gemm + 2, finished === summed ? end : afterGemm - 1);
  const turned = named('out');
  const castBytes = (own.largest / own.grain) * BLOCK_BYTES;
  const epilogues = epilogueKinds(plan).length;
  if (finished === turned) add(draft, turned, own.largest * BLOCK_BYTES, afterGemm - epilogues, end);
  if (finished === named('f8')) {
    add(draft, turned, own.largest * BLOCK_BYTES, afterGemm - 1 - epilogues, afterGemm - 1);
    add(draft, finished, castBytes, afterGemm - 1, end);
  }
  return { buffer: finished, buffers: [finished], at: blockSource(plan, own, finished), own };
}

/**
 * Every coefficient operand takes its blocks from wherever they lie; runs that are contiguous at both ends make one
 * message. Operands take turns, each beginning elsewhere, so that senders and receivers stay busy.
 */
function gatherBlocks(plan: LayerPlan, at: BlockSource, right: BufferName): readonly Transfer[] {
  const { grid, columns, inner } = plan;
  const lists: Transfer[][] = [];
  for (let j = 0; j < grid.n; j++) {
    for (let l = 0; l < grid.k; l++) {
      const [tokens, piece] = [columns.shares[j], inner.shares[l]];
      const members = range(grid.m).map((i) => tileOfPosition(grid, i, j, l));
      const runs: { source: Span; words: number; offset: number }[] = [];
      let offset = 0;
      for (let block = 0; block < tokens.blocks * piece.blocks; block++) {
        const fragments = at(
          tokens.firstBlock + Math.floor(block / piece.blocks),
          piece.firstBlock + (block % piece.blocks),
        );
        for (const { span, bytes } of fragments) {
          const run = runs.at(-1);
          if (
            run !== undefined &&
            run.source.tile === span.tile &&
            run.source.buffer === span.buffer &&
            run.source.offset + 4 * run.words === span.offset
          )
            run.words += bytes / 4;
          else runs.push({ source: span, words: bytes / 4, offset });
          offset += bytes;
        }
      }
      lists.push(
        runs.map(({ source, words, offset: to }) => ({
          source,
          words,
          receivers: members.map((tile) => ({ tile, buffer: right, offset: to })),
        })),
      );
    }
  }
  return orderByAvailability(lists);
}

function blockSource({ grid, rows, columns }: LayerPlan, own: Ownership, buffer: BufferName): BlockSource {
  const shareOf = (shares: typeof rows.shares) =>
    shares.flatMap((share, index) => range(share.blocks).map(() => index));
  const [rowShare, columnShare] = [shareOf(rows.shares), shareOf(columns.shares)];
  const { grain } = own;
  return (panel, group) => {
    const features = group * grain;
    const [i, j] = [rowShare[features], columnShare[panel]];
    const block =
      (panel - columns.shares[j].firstBlock) * rows.shares[i].blocks + features - rows.shares[i].firstBlock;
    const pieces = own.pieces(i, j);
    const l = pieces.findIndex(({ start, end }) => block >= start && block < end);
    const offset = ((block - pieces[l].start) / grain) * BLOCK_BYTES;
    return [{ span: { tile: tileOfPosition(grid, i, j, l), buffer, offset }, bytes: BLOCK_BYTES }];
  };
}

/** Round r: K position l sends to position l + r the blocks that position keeps. Gives the sums' buffer. */
function lowerReduction(
  draft: Draft,
  plan: LayerPlan,
  own: Ownership,
  named: (part: string) => BufferName,
): BufferName {
  const { grid, cost } = plan;
  const [partials, staging, sum] = [named('partials'), named('staging'), named('sum')];
  const transfers: Transfer[] = [];
  for (let round = 1; round < grid.k; round++) {
    for (let i = 0; i < grid.m; i++) {
      for (let j = 0; j < grid.n; j++) {
        const pieces = own.pieces(i, j);
        for (let l = 0; l < grid.k; l++) {
          const keeper = (l + round) % grid.k;
          const bytes = (pieces[keeper].end - pieces[keeper].start) * BLOCK_BYTES;
          if (bytes === 0) continue;
          transfers.push({
            source: {
              tile: tileOfPosition(grid, i, j, l),
              buffer: partials,
              offset: pieces[keeper].start * BLOCK_BYTES,
            },
            words: bytes / 4,
            receivers: [
              { tile: tileOfPosition(grid, i, j, keeper), buffer: staging, offset: (round - 1) * bytes },
            ],
          });
        }
      }
    }
  }
  const exchange = draft.steps.length;
  draft.steps.push({ kind: 'exchange', name: named('partials'), modelCycles: cost.partials, transfers });
  draft.steps.push({
    kind: 'reduce',
    name: named('reduce'),
    modelCycles: cost.reduce,
    own: partials,
    staging,
    out: sum,
    table: named('reduce.workers'),
    tiles: overGrid(draft, plan, (i, j, l) => {
      const { start, end } = own.pieces(i, j)[l];
      if (end === start) return undefined;
      return {
        granules: (end - start) * GRANULES_PER_BLOCK,
        partials: grid.k,
        ownOffset: start * BLOCK_BYTES,
      };
    }),
  });
  add(draft, staging, own.largest * BLOCK_BYTES * (grid.k - 1), exchange, exchange + 1, {
    memory: 'interleaved',
  });
  add(draft, named('reduce.workers'), REDUCE_TABLE_BYTES, -1, TO_THE_END);
  draft.separations.push({ a: partials, b: staging, reason: 'sent and received in one exchange phase' });
  return sum;
}

type EpilogueKind = NonNullable<LayerEpilogue>;
const kindKey = ({ bias, gelu, turn }: EpilogueKind) => `${bias}${gelu}${turn}`;

/** Distinct epilogues of a plan's parts. */
function epilogueKinds({ parts }: LayerPlan): readonly EpilogueKind[] {
  const kinds = new Map<string, EpilogueKind>();
  for (const { epilogue } of parts) if (epilogue !== undefined) kinds.set(kindKey(epilogue), epilogue);
  return [...kinds.values()];
}

/**
 * Bias, activation, turn of the tile's own blocks, one step per kind, side by side on different tiles; gives the
 * buffer that holds the layer's result. When one part turns, parts that do not are copied along.
 */
function lowerEpilogues(
  draft: Draft,
  spec: LayerSpec,
  plan: LayerPlan,
  own: Ownership,
  named: (part: string) => BufferName,
  from: BufferName,
): BufferName {
  const kinds = epilogueKinds(plan);
  if (kinds.length === 0) return from;
  const out = kinds.some(({ turn }) => turn) ? named('out') : from;
  const bias = kinds.some((kind) => kind.bias) ? placeBias(draft, spec, plan, own, named('bias')) : undefined;
  kinds.forEach((kind, index) => {
    const mine = (i: number) => {
      const part = plan.parts.find(({ firstShare, shares }) => i >= firstShare && i < firstShare + shares);
      return part?.epilogue !== undefined && kindKey(part.epilogue) === kindKey(kind);
    };
    const table = named(index === 0 ? 'epilogue.workers' : `epilogue${index}.workers`);
    draft.steps.push({
      kind: 'epilogue',
      name: named(kind.gelu ? 'gelu' : kind.bias ? 'bias' : 'turn') + (index === 0 ? '' : `.${index}`),
      modelCycles: epilogueCycles(kind, { blocks: own.largest }),
      work: kind,
      from,
      out,
      ...(kind.bias && bias !== undefined ? { bias } : {}),
      table,
      tiles: overGrid(draft, plan, (i, j, l) => {
        const { start, end } = own.pieces(i, j)[l];
        return end === start || !mine(i) ? undefined : { blocks: end - start };
      }),
    });
    add(draft, table, EPILOGUE_TABLE_BYTES, -1, TO_THE_END);
  });
  return out;
}

/** The turned blocks in f8, where the next layer takes f8; gives the buffer that holds the layer's result. */
function lowerCast(
  draft: Draft,
  { castScale }: LayerSpec,
  plan: LayerPlan,
  own: Ownership,
  named: (part: string) => BufferName,
  from: BufferName,
): BufferName {
  if (castScale === undefined) return from;
  const out = named('f8');
  draft.steps.push({
    kind: 'cast',
    name: named('cast'),
    modelCycles: plan.cost.cast,
    scale: castScale,
    from,
    out,
    table: named('cast.workers'),
    tiles: overGrid(draft, plan, (i, j, l) => {
      const { start, end } = own.pieces(i, j)[l];
      return end === start ? undefined : { blocks: (end - start) / own.grain };
    }),
  });
  add(draft, named('cast.workers'), CAST_TABLE_BYTES, -1, TO_THE_END);
  return out;
}
