import type { LogicalTile } from '../../device/ipu21/index.ts';
import { type LayerChain, operandType } from '../graph/layers.ts';
import { CAST_TABLE_BYTES } from '../kernels/cast.ts';
import { BLOCK_BIAS_BYTES, EPILOGUE_TABLE_BYTES } from '../kernels/epilogue.ts';
import { GEMM_TABLE_BYTES, LEFT_TAIL_BYTES, PARTIAL_TAIL_BYTES } from '../kernels/gemm.ts';
import { REDUCE_TABLE_BYTES } from '../kernels/reduce.ts';
import type { ChainPlan } from '../plan/chain.ts';
import { BLOCK, BLOCK_BYTES, type LayerPlan, rowGrain } from '../plan/layer.ts';
import { splitEvenly } from '../plan/partition.ts';
import { tileOfPosition } from '../plan/plan.ts';
import { gatherTransfers, orderByAvailability, ownedPieces, type Piece } from './gather.ts';
import type {
  BindingLayout,
  BindingSlice,
  Buffer,
  BufferName,
  HostBlock,
  LoweredProgram,
  Separation,
  Span,
  Step,
  Transfer,
} from './stages.ts';

const BLOCK_WORDS = BLOCK_BYTES / 4;
const GRANULES_PER_BLOCK = BLOCK_BYTES / 16;

/** Where the block of tokens 16 panel.. and inner values 16 group.. of a layer's input lies. */
type BlockSource = (panel: number, group: number) => Span;

/** What is collected while the layers are lowered in order. */
interface Draft {
  readonly tiles: number;
  readonly buffers: Buffer[];
  readonly separations: Separation[];
  readonly steps: Step[];
  readonly bindings: BindingLayout[];
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/**
 * Lowers a planned chain. Each layer gathers its input blocks (and, stored once, its weights), multiplies, sums the
 * inner pieces by a rotation reduce-scatter, and finishes its own blocks; the last layer's blocks are the output.
 */
export function lowerLayers(chain: LayerChain, plan: ChainPlan): LoweredProgram {
  const draft: Draft = {
    tiles: plan.tilesRequested,
    buffers: [],
    separations: [],
    steps: [],
    bindings: [],
  };
  const end = plan.layers.length;
  let source = hostInput(draft, chain, plan.layers[0]);
  plan.layers.forEach((layer, index) => {
    source = lowerLayer(draft, chain, layer, index, source, index === end - 1);
  });
  return closed(draft);
}

/** Lives up to the last step are known only now: -2 marks "to the end". */
const TO_THE_END = -2;

function closed({ steps, buffers, ...draft }: Draft): LoweredProgram {
  return {
    ...draft,
    steps,
    buffers: buffers.map((buffer) =>
      buffer.lastStep === TO_THE_END ? { ...buffer, lastStep: steps.length } : buffer,
    ),
  };
}

interface Source {
  readonly at: BlockSource;
  readonly buffer: BufferName;
}

/** The chain's input: the blocks of every coefficient operand are dealt to the tiles that share it. */
function hostInput(draft: Draft, chain: LayerChain, layer: LayerPlan): Source {
  const { grid, columns, inner } = layer;
  const buffer = 'x' as BufferName;
  const blocks: HostBlock[] = [];
  const slices: BindingSlice[] = [];
  const owners = new Map<number, Span>();
  const groupsInAll = inner.shares.reduce((sum, share) => sum + share.blocks, 0);
  let file = 0;
  let largest = 0;
  for (let j = 0; j < grid.n; j++) {
    for (let l = 0; l < grid.k; l++) {
      const [tokens, piece] = [columns.shares[j], inner.shares[l]];
      blocks.push({
        order: 'rightTransposed',
        fileOffset: file,
        row: tokens.start,
        rows: tokens.size,
        column: piece.start,
        columns: piece.size,
        labels: { tokenBlock: j, kPiece: l },
      });
      splitEvenly(tokens.blocks * piece.blocks, grid.m).forEach(({ start, end }, i) => {
        if (end === start) return;
        const tile = tileOfPosition(grid, i, j, l);
        const bytes = (end - start) * BLOCK_BYTES;
        largest = Math.max(largest, bytes);
        slices.push({ tile, buffer, offset: 0, fileOffset: file + start * BLOCK_BYTES, bytes });
        for (let block = start; block < end; block++) {
          const panel = tokens.firstBlock + Math.floor(block / piece.blocks);
          const group = piece.firstBlock + (block % piece.blocks);
          owners.set(panel * groupsInAll + group, { tile, buffer, offset: (block - start) * BLOCK_BYTES });
        }
      });
      file += tokens.blocks * piece.blocks * BLOCK_BYTES;
    }
  }
  const { x } = chain.layers[0];
  draft.bindings.push({
    name: x.name,
    direction: 'input',
    dtype: operandType(chain),
    shape: x.shape,
    fileBytes: file,
    blocks,
    slices,
  });
  add(draft, buffer, largest, -1, TO_THE_END);
  return {
    buffer,
    at: (panel, group) => {
      const span = owners.get(panel * groupsInAll + group);
      if (span === undefined) throw new RangeError(`no input block ${panel}, ${group}`);
      return span;
    },
  };
}

function add(
  draft: Draft,
  name: BufferName,
  bytes: number,
  firstStep: number,
  lastStep: number,
  more: Partial<Buffer> = {},
): void {
  draft.buffers.push({ name, bytes, tailBytes: 0, memory: 'any', firstStep, lastStep, ...more });
}

function lowerLayer(
  draft: Draft,
  chain: LayerChain,
  plan: LayerPlan,
  index: number,
  source: Source,
  last: boolean,
): Source {
  const named = (part: string) => `l${index}.${part}` as BufferName;
  const { grid, rows, columns, inner, cost } = plan;
  const left = named('left');
  const right = named('right');
  const partials = named('partials');
  const weights = placeWeights(draft, chain, plan, index, left);

  const gather = draft.steps.length;
  const transfers = [...weights.transfers, ...gatherBlocks(plan, source.at, right)];
  draft.steps.push({ kind: 'exchange', name: named('gather'), modelCycles: cost.gather, transfers });
  const exchange = 'sent and received in one exchange phase';
  draft.separations.push({ a: source.buffer, b: right, reason: exchange });
  if (weights.home !== undefined)
    draft.separations.push(
      { a: weights.home, b: left, reason: exchange },
      { a: weights.home, b: right, reason: exchange },
      { a: source.buffer, b: left, reason: exchange },
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
    operands: operandType(chain),
    scale: chain.layers[index].x.scale + chain.layers[index].weights.scale,
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
    chain,
    plan,
    own,
    index,
    named,
    lowerEpilogue(draft, chain, plan, own, index, named, summed),
  );
  const afterGemm = draft.steps.length;
  // The next layer's gather is the step after this layer's last one.
  const until = last ? TO_THE_END : afterGemm;
  const outBytes = rows.maxBlocks * columns.maxBlocks * BLOCK_BYTES;
  add(draft, partials, outBytes, gemm, finished === partials ? until : afterGemm - 1, {
    ...interleaved,
    tailBytes: PARTIAL_TAIL_BYTES,
  });
  if (grid.k > 1)
    add(
      draft,
      named('sum'),
      own.largest * BLOCK_BYTES,
      gemm + 2,
      finished === summed ? until : afterGemm - 1,
    );
  const turned = named('out');
  const castBytes = (own.largest / own.grain) * BLOCK_BYTES;
  if (finished === turned) add(draft, turned, own.largest * BLOCK_BYTES, afterGemm - 1, until);
  if (finished === named('f8')) {
    add(draft, turned, own.largest * BLOCK_BYTES, afterGemm - 2, afterGemm - 1);
    add(draft, finished, castBytes, afterGemm - 1, until);
  }
  if (last) draft.bindings.push(outputLayout(chain, plan, own, finished));
  return { buffer: finished, at: blockSource(plan, own, finished) };
}

/** Weights as rows of features: resident copies, or pieces at the tiles that share a block. */
function placeWeights(draft: Draft, chain: LayerChain, plan: LayerPlan, index: number, left: BufferName) {
  const { grid, rows, inner } = plan;
  const shared = plan.weights === 'single' && grid.n > 1;
  const home = shared ? (`l${index}.weights` as BufferName) : undefined;
  const blocks: HostBlock[] = [];
  const slices: BindingSlice[] = [];
  const transfers: Transfer[] = [];
  let file = 0;
  let homeBytes = 0;
  for (let i = 0; i < grid.m; i++) {
    for (let l = 0; l < grid.k; l++) {
      const [features, piece] = [rows.shares[i], inner.shares[l]];
      const bytes = features.blocks * piece.blocks * BLOCK_BYTES;
      blocks.push({
        order: 'leftTransposed',
        fileOffset: file,
        row: piece.start,
        rows: piece.size,
        column: features.start,
        columns: features.size,
        columnGrain: rowGrain(plan.shape),
        labels: { featureBlock: i, kPiece: l },
      });
      const members = range(grid.n).map((j) => tileOfPosition(grid, i, j, l));
      if (home === undefined) {
        for (const tile of members) slices.push({ tile, buffer: left, offset: 0, fileOffset: file, bytes });
      } else {
        const pieces = ownedPieces(bytes, members);
        homeBytes = Math.max(homeBytes, ...pieces.map((one: Piece) => one.bytes));
        slices.push(
          ...pieces.map(({ owner, offset, bytes: size }) => ({
            tile: owner,
            buffer: home,
            offset: 0,
            fileOffset: file + offset,
            bytes: size,
          })),
        );
        transfers.push(...gatherTransfers(pieces, members, home, left));
      }
      file += bytes;
    }
  }
  const { weights } = chain.layers[index];
  draft.bindings.push({
    name: weights.name,
    direction: 'input',
    dtype: operandType(chain),
    shape: weights.shape,
    fileBytes: file,
    blocks,
    slices,
  });
  if (home !== undefined) add(draft, home, homeBytes, -1, TO_THE_END);
  return { home, transfers, bytes: rows.maxBlocks * inner.maxBlocks * BLOCK_BYTES };
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
      for (let block = 0; block < tokens.blocks * piece.blocks; block++) {
        const source = at(
          tokens.firstBlock + Math.floor(block / piece.blocks),
          piece.firstBlock + (block % piece.blocks),
        );
        const run = runs.at(-1);
        if (
          run !== undefined &&
          run.source.tile === source.tile &&
          run.source.offset + 4 * run.words === source.offset
        )
          run.words += BLOCK_WORDS;
        else runs.push({ source, words: BLOCK_WORDS, offset: block * BLOCK_BYTES });
      }
      lists.push(
        runs.map(({ source, words, offset }) => ({
          source,
          words,
          receivers: members.map((tile) => ({ tile, buffer: right, offset })),
        })),
      );
    }
  }
  return orderByAvailability(lists);
}

function overGrid<T>(
  draft: Draft,
  { grid }: LayerPlan,
  at: (i: number, j: number, l: number) => T,
): (T | undefined)[] {
  const tiles: (T | undefined)[] = new Array(draft.tiles).fill(undefined);
  for (let i = 0; i < grid.m; i++)
    for (let j = 0; j < grid.n; j++)
      for (let l = 0; l < grid.k; l++) tiles[tileOfPosition(grid, i, j, l)] = at(i, j, l);
  return tiles;
}

/** Result blocks [token panel][feature block] of (i, j), dealt to the K positions in contiguous runs. */
interface Ownership {
  pieces(i: number, j: number): readonly { start: number; end: number }[];
  /** Most blocks of one tile. */
  readonly largest: number;
  /** Blocks that become one block of the next layer's input. */
  readonly grain: number;
}

function ownership({ grid, rows, columns, shape }: LayerPlan): Ownership {
  const grain = rowGrain(shape);
  return {
    grain,
    pieces: (i, j) =>
      splitEvenly((rows.shares[i].blocks * columns.shares[j].blocks) / grain, grid.k).map(
        ({ start, end }) => ({
          start: start * grain,
          end: end * grain,
        }),
      ),
    largest: Math.ceil((rows.maxBlocks * columns.maxBlocks) / grain / grid.k) * grain,
  };
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
    return { tile: tileOfPosition(grid, i, j, l), buffer, offset };
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

/** Bias, activation, turn of the tile's own blocks; gives the buffer that holds the layer's result. */
function lowerEpilogue(
  draft: Draft,
  chain: LayerChain,
  plan: LayerPlan,
  own: Ownership,
  index: number,
  named: (part: string) => BufferName,
  from: BufferName,
): BufferName {
  const { epilogue } = plan;
  if (epilogue === undefined) return from;
  const out = epilogue.turn ? named('out') : from;
  const bias = epilogue.bias ? placeBias(draft, chain, plan, own, index, named('bias')) : undefined;
  draft.steps.push({
    kind: 'epilogue',
    name: named(epilogue.gelu ? 'gelu' : epilogue.bias ? 'bias' : 'turn'),
    modelCycles: plan.cost.epilogue,
    work: epilogue,
    from,
    out,
    ...(bias === undefined ? {} : { bias }),
    table: named('epilogue.workers'),
    tiles: overGrid(draft, plan, (i, j, l) => {
      const { start, end } = own.pieces(i, j)[l];
      return end === start ? undefined : { blocks: end - start };
    }),
  });
  add(draft, named('epilogue.workers'), EPILOGUE_TABLE_BYTES, -1, TO_THE_END);
  return out;
}

/** The turned blocks in f8, where the next layer takes f8; gives the buffer that holds the layer's result. */
function lowerCast(
  draft: Draft,
  chain: LayerChain,
  plan: LayerPlan,
  own: Ownership,
  index: number,
  named: (part: string) => BufferName,
  from: BufferName,
): BufferName {
  const { castScale } = chain.layers[index];
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

/** Every tile gets the biases of the features of its own blocks, in their order. */
function placeBias(
  draft: Draft,
  chain: LayerChain,
  plan: LayerPlan,
  own: Ownership,
  index: number,
  buffer: BufferName,
): BufferName {
  const { bias } = chain.layers[index];
  if (bias === undefined) throw new RangeError(`layer ${index} has no bias`);
  const { grid, rows } = plan;
  const slices: BindingSlice[] = [];
  for (let i = 0; i < grid.m; i++)
    for (let j = 0; j < grid.n; j++)
      own.pieces(i, j).forEach(({ start, end }, l) => {
        for (let block = start; block < end; block++) {
          const features = rows.shares[i].firstBlock + (block % rows.shares[i].blocks);
          slices.push({
            tile: tileOfPosition(grid, i, j, l),
            buffer,
            offset: (block - start) * BLOCK_BIAS_BYTES,
            fileOffset: features * BLOCK_BIAS_BYTES,
            bytes: BLOCK_BIAS_BYTES,
          });
        }
      });
  slices.sort((x, y) => x.fileOffset - y.fileOffset || x.tile - y.tile || x.offset - y.offset);
  const extent = plan.shape.features;
  draft.bindings.push({
    name: bias.name,
    direction: 'input',
    dtype: 'f16',
    shape: bias.shape,
    fileBytes: Math.ceil(extent / (BLOCK * own.grain)) * own.grain * BLOCK_BIAS_BYTES,
    blocks: [{ order: 'left', fileOffset: 0, row: 0, rows: 1, column: 0, columns: extent, labels: {} }],
    slices,
  });
  add(draft, buffer, own.largest * BLOCK_BIAS_BYTES, -1, TO_THE_END);
  return buffer;
}

function outputLayout(chain: LayerChain, plan: LayerPlan, own: Ownership, buffer: BufferName): BindingLayout {
  const { grid, rows, columns } = plan;
  const blocks: HostBlock[] = [];
  const slices: BindingSlice[] = [];
  let file = 0;
  for (let i = 0; i < grid.m; i++) {
    for (let j = 0; j < grid.n; j++) {
      const [features, tokens] = [rows.shares[i], columns.shares[j]];
      blocks.push({
        order: 'leftTransposed',
        fileOffset: file,
        row: tokens.start,
        rows: tokens.size,
        column: features.start,
        columns: features.size,
        labels: { featureBlock: i, tokenBlock: j },
      });
      own.pieces(i, j).forEach(({ start, end }, l) => {
        if (end > start)
          slices.push({
            tile: tileOfPosition(grid, i, j, l) as LogicalTile,
            buffer,
            offset: 0,
            fileOffset: file + start * BLOCK_BYTES,
            bytes: (end - start) * BLOCK_BYTES,
          });
      });
      file += features.blocks * tokens.blocks * BLOCK_BYTES;
    }
  }
  const { y } = chain.layers[chain.layers.length - 1];
  return {
    name: y.name,
    direction: 'output',
    dtype: 'f16',
    shape: y.shape,
    freePaddingRows: true,
    fileBytes: file,
    blocks,
    slices,
  };
}
