import { createHash } from 'node:crypto';
import { type LogicalTile, physicalTileOf, TILE_COUNT } from '../device/ipu21/index.ts';
import { writePackage } from '../device/package/index.ts';
import { CompiledProgram } from './compiled.ts';
import { buildApplication, type TileCode } from './emit/package.ts';
import { assembleKernels, assembleTile } from './emit/tile.ts';
import { CompileError } from './errors.ts';
import { encodeRow } from './exchange/row.ts';
import { type PhaseSchedule, schedulePhase } from './exchange/schedule.ts';
import type { PhysicalTransfer } from './exchange/transfer.ts';
import { verifyPhase } from './exchange/verify.ts';
import type { GemmOperation, Graph, GraphOperation } from './graph/graph.ts';
import { layerChain } from './graph/layers.ts';
import { networkOf } from './graph/network.ts';
import { verifyGraph } from './graph/verify.ts';
import { lowerGemm } from './lower/gemm.ts';
import { lowerLayers } from './lower/layers.ts';
import { lowerNetwork } from './lower/network.ts';
import type { LoweredProgram } from './lower/stages.ts';
import { verifyLowered } from './lower/verify.ts';
import { verifyMasks } from './lower/verifyMasks.ts';
import { explained } from './nearest.ts';
import { CODE_ADDRESS } from './place/memoryMap.ts';
import { type Placement, placeBuffers } from './place/place.ts';
import { verifyPlacement } from './place/verify.ts';
import type { AttentionStrategy } from './plan/attention.ts';
import { chainPlans } from './plan/chain.ts';
import { enumerateGemmPlans, parseGrid, planForGrid } from './plan/gemm.ts';
import type { WeightPolicy } from './plan/layer.ts';
import { networkPlans } from './plan/network.ts';
import { verifyChainPlan, verifyGemmPlan } from './plan/verify.ts';
import { type PlanSummary, summarizeChain, summarizeGemm, summarizeNetwork } from './summary.ts';

/** What the caller may choose. */
export interface CompileOptions {
  /** Tiles the program may use, 1..1472. */
  readonly tiles: number;
  /** Pins the grid, `ROWSxCOLUMNSxINNER`; of a chain one for all layers, or one for each, joined by `+`. */
  readonly plan?: string;
  /** Where a chain keeps its weights; `single` when left out. A lone GEMM has two operands and no weights. */
  readonly weights?: WeightPolicy;
  /** Pins how attention treats its keys; the cheapest when left out. */
  readonly strategy?: AttentionStrategy;
}

/** Plans tried before the compiler says that the shape does not fit. */
const PLANS_TRIED = 64;

/**
 * Compiles a graph for IPU21. Pure: equal graph and options give equal bytes. Throws CompileError for a
 * request that cannot be met, VerifierError when a stage breaks its contract.
 */
export function compile(graph: Graph, options: CompileOptions): CompiledProgram {
  checkOptions(options);
  const clock = new StageClock();
  clock.run('graph', () => verifyGraph(graph));
  const [operation] = graph.operations;
  if (graph.operations.length === 1 && operation.kind === 'gemm')
    return compileGemm(graph, operation, options, clock);
  const network = graph.operations.some(({ kind }) => NETWORK_OPERATIONS.has(kind));
  return network ? compileNetwork(graph, options, clock) : compileChain(graph, options, clock);
}

/** Operations that chains of layers do not know. */
const NETWORK_OPERATIONS: ReadonlySet<GraphOperation['kind']> = new Set([
  'attention',
  'layerNorm',
  'add',
  'splitHeads',
  'mergeHeads',
]);

function compileNetwork(graph: Graph, options: CompileOptions, clock: StageClock): CompiledProgram {
  const network = clock.run('graph', () => networkOf(graph));
  const grids = options.plan?.split('+').map(parseGrid);
  const plans = networkPlans(network, {
    tiles: options.tiles,
    weights: options.weights ?? 'single',
    ...(options.strategy === undefined ? {} : { strategy: options.strategy }),
    ...(grids === undefined ? {} : { grids }),
  });
  return firstThatFits(clock.each('plan', plans), (plan) => {
    const program = clock.run('lower', () => lowerNetwork(network, plan));
    clock.run('lower', () => verifyMasks(network, program));
    const model = program.steps.reduce((sum, { modelCycles }) => sum + modelCycles, 0);
    return emit(program, { ...summarizeNetwork(network, plan), modelCycles: model }, clock);
  });
}

function compileGemm(
  graph: Graph,
  operation: GemmOperation,
  options: CompileOptions,
  clock: StageClock,
): CompiledProgram {
  checkTypes(graph);
  const [a, b, c] = [graph.values[operation.a], graph.values[operation.b], graph.values[operation.c]];
  const shape = { m: a.shape[0], k: a.shape[1], n: b.shape[1] };
  const pinned = options.plan === undefined ? undefined : parseGrid(options.plan);
  try {
    const grids = clock.run('plan', () =>
      pinned === undefined ? enumerateGemmPlans(shape, options.tiles).slice(0, PLANS_TRIED) : [pinned],
    );
    return firstThatFits(grids, (grid) => {
      const plan = clock.run('plan', () => planForGrid(shape, grid, options.tiles));
      verifyGemmPlan(plan);
      const program = clock.run('lower', () => lowerGemm(plan, { a: a.name, b: b.name, c: c.name }));
      return emit(program, summarizeGemm(plan), clock);
    });
  } catch (error) {
    const full = error instanceof CompileError && error.name === 'CompileError' && 'capacity' in error.facts;
    if (!full || (error.stage !== 'plan' && error.stage !== 'place') || !('demand' in error.facts))
      throw error;
    // A pin that asks for more parts than there are explains itself.
    if (error.stage === 'plan' && pinned !== undefined) throw error;
    throw explained(error, shape, options.tiles, pinned !== undefined);
  }
}

function compileChain(graph: Graph, options: CompileOptions, clock: StageClock): CompiledProgram {
  const chain = clock.run('graph', () => layerChain(graph));
  const grids = options.plan?.split('+').map(parseGrid);
  const plans = chainPlans(chain, {
    tiles: options.tiles,
    weights: options.weights ?? 'single',
    ...(grids === undefined ? {} : { grids }),
  });
  return firstThatFits(clock.each('plan', plans), (plan) => {
    verifyChainPlan(plan);
    const program = clock.run('lower', () => lowerLayers(chain, plan));
    return emit(program, summarizeChain(chain, plan), clock);
  });
}

/** Builds the first candidate that placement accepts; the first refusal is the one that is told. */
function firstThatFits<T>(
  candidates: Iterable<T>,
  build: (candidate: T) => CompiledProgram,
): CompiledProgram {
  let tooLarge: CompileError | undefined;
  for (const candidate of candidates) {
    try {
      return build(candidate);
    } catch (error) {
      if (!(error instanceof CompileError) || error.stage !== 'place' || error.name !== 'CompileError')
        throw error;
      tooLarge ??= error;
    }
  }
  throw tooLarge ?? new CompileError('plan', 'no plan', {}, 'Use more tiles.');
}

function emit(program: LoweredProgram, plan: PlanSummary, clock: StageClock): CompiledProgram {
  clock.run('lower', () => verifyLowered(program));
  let codeBytes = 0;
  // Code size depends on the schedule and the schedule on addresses, but only through values that do not
  // change instruction counts: a second pass at most moves the data start.
  for (;;) {
    const placement = clock.run('place', () => placeBuffers(program, codeBytes));
    verifyPlacement(program, placement);
    const phases = clock.run('exchange', () => scheduleAll(program, placement));
    const kernels = clock.run('emit', () => assembleKernels(program, CODE_ADDRESS));
    const codes = clock.run('emit', () => emitTiles(program, placement, phases, kernels));
    const needed = Math.max(
      ...codes.map(({ supervisor }) => supervisor.address + supervisor.words.byteLength - CODE_ADDRESS),
    );
    if (needed > codeBytes) {
      const fits = placement.dataStart >= CODE_ADDRESS + needed + 64;
      codeBytes = needed;
      if (!fits) continue;
    }
    const application = clock.run('emit', () => buildApplication(program, placement, kernels, codes));
    const packageBytes = clock.run('package', () => writePackage(application));
    const digest = createHash('sha256').update(packageBytes).digest('hex');
    return new CompiledProgram({
      plan,
      program,
      placement,
      phases,
      kernels,
      codes,
      packageBytes,
      digest,
      codeBytes: needed,
      stageMilliseconds: clock.milliseconds(),
    });
  }
}

function scheduleAll(program: LoweredProgram, placement: Placement): (PhaseSchedule | undefined)[] {
  const address = (span: { buffer: string; offset: number }) => {
    const buffer = placement.buffers.get(span.buffer as never);
    if (buffer === undefined) throw new RangeError(`buffer ${span.buffer} is not placed`);
    return (buffer.address + span.offset) / 4;
  };
  return program.steps.map((step) => {
    if (step.kind !== 'exchange') return undefined;
    const transfers: PhysicalTransfer[] = step.transfers.map((transfer) => ({
      source: { tile: physicalTileOf(transfer.source.tile), wordAddress: address(transfer.source) },
      words: transfer.words,
      receivers: transfer.receivers.map((receiver) => ({
        tile: physicalTileOf(receiver.tile),
        wordAddress: address(receiver),
      })),
    }));
    const schedule = schedulePhase(transfers);
    verifyPhase(
      new Map([...schedule.tiles].map(([tile, tileSchedule]) => [tile, encodeRow(tileSchedule)])),
      transfers,
    );
    return schedule;
  });
}

function emitTiles(
  program: LoweredProgram,
  placement: Placement,
  phases: readonly (PhaseSchedule | undefined)[],
  kernels: ReturnType<typeof assembleKernels>,
): TileCode[] {
  return Array.from({ length: program.tiles }, (_, index) => {
    const tile = index as LogicalTile;
    return {
      tile,
      supervisor: assembleTile(program, placement, phases, kernels, tile, physicalTileOf(tile)),
    };
  });
}

function checkOptions(options: CompileOptions): void {
  const { tiles } = options;
  if (!Number.isInteger(tiles) || tiles < 1 || tiles > TILE_COUNT) {
    throw new CompileError(
      'plan',
      `tiles=${tiles} is not between 1 and ${TILE_COUNT}`,
      { tiles: String(tiles), capacity: TILE_COUNT },
      `Choose an integer from 1 to ${TILE_COUNT}.`,
    );
  }
}

function checkTypes(graph: Graph): void {
  const types = graph.values.map(({ type }) => type);
  const partials = graph.operations.flatMap((one) => (one.kind === 'gemm' ? [one.partials] : []));
  if ([...types, ...partials].every((type) => type === 'f16')) return;
  throw new CompileError(
    'graph',
    `gemm in ${[...new Set(types)].join(', ')} with ${[...new Set(partials)].join(', ')} partials is not supported`,
    { types: types.join(','), partials: partials.join(',') },
    'Use f16 operands, f16 partials and an f16 result.',
    { verdict: 'unsupported' },
  );
}

/** Wall time per stage, for the report only. */
class StageClock {
  readonly #spent = new Map<string, number>();

  run<T>(stage: string, work: () => T): T {
    const start = process.hrtime.bigint();
    try {
      return work();
    } finally {
      const spent = Number(process.hrtime.bigint() - start) / 1e6;
      this.#spent.set(stage, (this.#spent.get(stage) ?? 0) + spent);
    }
  }

  /** Times the work behind every item of a lazy list. */
  *each<T>(stage: string, items: Iterable<T>): Generator<T> {
    const iterator = items[Symbol.iterator]();
    for (;;) {
      const next = this.run(stage, () => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  milliseconds(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#spent);
  }
}
