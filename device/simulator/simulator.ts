import {
  type CallOutcome,
  type Device,
  DeviceError,
  type DeviceIdentity,
  type TileTimes,
} from '../device.ts';
import { CLOCK_HZ, logicalTileOf, type PhysicalTile, TILE_COUNT } from '../ipu21/index.ts';
import { type Application, type Binding, readPackage } from '../package/index.ts';
import { Chip } from './chip.ts';
import { MAXIMUM_THREADS } from './engine.ts';
import { manyThreads, singleThread, type TileRunner } from './threads.ts';
import { ChipMemory } from './tileMemory.ts';
import { STATE } from './tileState.ts';
import { type Trace, tracing } from './trace.ts';

/** Version of the model: changes when cycles or results of an unchanged package may change. */
export const MODEL_VERSION = 'sim-4';

export interface SimulatorOptions {
  /** Host threads, the caller included, 1..16. Results and cycles do not depend on it. */
  readonly threads?: number;
  /** Most tile cycles one call may take before it counts as hung. */
  readonly cycleLimit?: number;
  /** Reports every issue of one tile; the whole chip then runs on one thread, one issue at a time. */
  readonly trace?: Trace;
}

const DEFAULT_CYCLE_LIMIT = 50_000_000;

/** The embedded device: executes the machine code of a package on simulated tiles. */
export class SimulatedIpu21 implements Device {
  readonly #threads: number;
  readonly #cycleLimit: number;
  readonly #trace: Trace | undefined;
  #loaded: { application: Application; memory: ChipMemory; chip: Chip } | undefined;
  /** Why the loaded program cannot be called any more. */
  #stopped: string | undefined;

  /** Throws DeviceError (infra-error) for options outside their range. */
  constructor(options: SimulatorOptions = {}) {
    this.#threads = checkedOption('threads', options.threads ?? 1, MAXIMUM_THREADS);
    this.#cycleLimit = checkedOption('cycleLimit', options.cycleLimit ?? DEFAULT_CYCLE_LIMIT, 2 ** 48);
    this.#trace = options.trace;
  }

  identity(): DeviceIdentity {
    return { kind: 'simulator', tiles: TILE_COUNT, clockHz: CLOCK_HZ, model: MODEL_VERSION };
  }

  async load(packageBytes: Uint8Array): Promise<void> {
    await this.close();
    const application = readPackage(packageBytes);
    for (const { physicalTile } of application.tiles) {
      if (physicalTile >= TILE_COUNT) {
        throw new DeviceError(
          'infra-error',
          'load',
          `the package has an image for physical tile ${physicalTile}, the chip has ${TILE_COUNT}`,
          { physicalTile, tiles: TILE_COUNT },
          'The package is not for an IPU21.',
        );
      }
    }
    application.outputs.forEach(checkFileExtent);
    const tiles = application.tiles.map((image) => image.physicalTile).sort((x, y) => x - y);
    const memory = allocate(tiles);
    const runner = this.#runner(memory);
    for (const image of application.tiles) {
      for (const segment of image.segments) {
        const place = memory.sram(image.physicalTile, segment.address, segment.memorySize);
        place.set(segment.data);
        place.fill(0, segment.data.byteLength);
      }
    }
    const chip = new Chip(memory, runner);
    this.#loaded = { application, memory, chip };
    chip.start(new Map(application.tiles.map((image) => [image.physicalTile, image.entryPoint])));
    this.#run(chip);
  }

  async call(name: string, inputs: ReadonlyMap<string, Uint8Array>): Promise<CallOutcome> {
    const { application, memory, chip } = this.#require();
    if (this.#stopped !== undefined) {
      throw new DeviceError(
        'infra-error',
        'call',
        `the program stopped before: ${this.#stopped}`,
        { entryPoint: name },
        'Load the package again; memory can still be read.',
      );
    }
    if (!application.entryPoints.some((entry) => entry.name === name)) {
      throw new DeviceError(
        'infra-error',
        'call',
        `the package has no entry point ${name}`,
        { entryPoints: application.entryPoints.map((entry) => entry.name).join(', ') },
        'Call one of the entry points.',
      );
    }
    for (const binding of [...application.inputs, ...application.weights]) {
      const bytes = inputs.get(binding.name);
      if (bytes === undefined || bytes.byteLength !== fileBytes(binding)) {
        throw new DeviceError(
          'infra-error',
          'call',
          `input ${binding.name} has ${bytes?.byteLength ?? 0} bytes, the package wants ${fileBytes(binding)}`,
          { given: bytes?.byteLength ?? 0, wanted: fileBytes(binding) },
          'Pack the tensors with the package they are for.',
        );
      }
      for (const slice of binding.slices) {
        memory
          .sram(slice.tile, slice.tileAddress, slice.size)
          .set(bytes.subarray(slice.fileOffset, slice.fileOffset + slice.size));
      }
    }
    const before = this.#times();
    const startCycle = this.#run(chip);
    const after = this.#times();
    const outputs = new Map<string, Uint8Array>();
    for (const binding of application.outputs) outputs.set(binding.name, this.#read(binding));
    const tiles: TileTimes[] = memory.tiles.map((tile, index) => ({
      physicalTile: tile,
      startCycle,
      endCycle: after[index].time,
      syncCycles: chip.account(tile).waited,
      exchangeCycles: chip.account(tile).exchanged,
    }));
    return {
      outputs,
      cycles: sampledCycles(outputs) ?? Math.max(...tiles.map((tile) => tile.endCycle - tile.startCycle)),
      instructions: after.reduce((sum, { retired }, index) => sum + retired - before[index].retired, 0),
      tiles,
    };
  }

  readTile(physicalTile: number, address: number, bytes: number): Uint8Array {
    return this.#tile(physicalTile, address, bytes).slice();
  }

  writeTile(physicalTile: number, address: number, data: Uint8Array): void {
    this.#tile(physicalTile, address, data.byteLength).set(data);
  }

  async close(): Promise<void> {
    this.#loaded?.memory.host.release();
    this.#loaded = undefined;
    this.#stopped = undefined;
  }

  #runner(memory: ChipMemory): TileRunner {
    if (this.#trace !== undefined) return tracing(memory.host, memory, this.#trace);
    return this.#threads > 1 && memory.tiles.length > 1
      ? manyThreads(memory.host, memory, this.#threads)
      : singleThread(memory.host, memory);
  }

  #run(chip: Chip): number {
    try {
      return chip.runToHost(this.#cycleLimit);
    } catch (error) {
      this.#stopped = (error as Error).message;
      throw error;
    }
  }

  #require() {
    if (this.#loaded === undefined) {
      throw new DeviceError('infra-error', 'call', 'no package is loaded', {}, 'Load a package first.');
    }
    return this.#loaded;
  }

  #tile(physicalTile: number, address: number, bytes: number): Uint8Array {
    try {
      return this.#require().memory.sram(physicalTile, address, bytes);
    } catch (error) {
      if (error instanceof DeviceError) throw error;
      throw new DeviceError(
        'infra-error',
        'memory',
        (error as Error).message,
        { physicalTile, address, bytes },
        'Name a tile of the package and a range inside its memory.',
        physicalTile < TILE_COUNT ? logicalTileOf(physicalTile as PhysicalTile) : undefined,
      );
    }
  }

  #times() {
    const { memory } = this.#require();
    return memory.tiles.map((tile) => ({
      time: memory.u64(tile, STATE.time),
      retired: memory.u64(tile, STATE.instructions),
    }));
  }

  #read(binding: Binding): Uint8Array {
    const bytes = new Uint8Array(fileBytes(binding));
    for (const slice of binding.slices)
      bytes.set(this.#tile(slice.tile, slice.tileAddress, slice.size), slice.fileOffset);
    return bytes;
  }
}

/** An output's file is allocated here: no offset of the package decides its size, only bytes that it fills. */
function checkFileExtent(output: Binding): void {
  const held = output.slices.reduce((sum, { size }) => sum + size, 0);
  const end = fileBytes(output);
  if (end <= held) return;
  throw new DeviceError(
    'infra-error',
    'load',
    `output ${output.name} has a file of ${end} bytes, its slices fill ${held}`,
    { output: output.name, end, held },
    'The package is damaged: slices of an output cover its file.',
  );
}

function allocate(tiles: readonly number[]): ChipMemory {
  try {
    return new ChipMemory(tiles);
  } catch (error) {
    if (error instanceof DeviceError) throw error;
    throw new DeviceError(
      'infra-error',
      'load',
      `no host memory for ${tiles.length} tiles: ${(error as Error).message}`,
      { tiles: tiles.length },
      'Run fewer cases at a time, or on a machine with more memory (about 1 GiB for a full chip).',
    );
  }
}

function checkedOption(name: string, value: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw new DeviceError(
    'infra-error',
    'open',
    `option ${name} is ${value}, 1..${most} is allowed`,
    { value, most },
    'Give a whole number in that range.',
  );
}

const fileBytes = (binding: Binding) =>
  binding.slices.reduce((end, slice) => Math.max(end, slice.fileOffset + slice.size), 0);

/** Cycles between the tiles' own samples; 32-bit counters, so differences are taken modulo 2^32. */
function sampledCycles(outputs: ReadonlyMap<string, Uint8Array>): number | undefined {
  const starts = outputs.get('profile.start-cycle');
  const ends = outputs.get('profile.end-cycle');
  if (starts === undefined || ends === undefined || starts.byteLength === 0) return undefined;
  const words = (bytes: Uint8Array) => new Uint32Array(bytes.slice().buffer);
  const [first] = words(starts);
  const relative = (word: number) => (word - first) | 0;
  const earliest = words(starts).reduce((least, word) => Math.min(least, relative(word)), 0);
  return words(ends).reduce((most, word) => Math.max(most, (word - first - earliest) >>> 0), 0);
}
