import { type LogicalTile, physicalTileOf } from '../device/ipu21/index.ts';
import type { MachineCode } from './assembler/assembler.ts';
import { listing } from './assembler/listing.ts';
import { fileOffsetOf, packBinding, unpackBinding } from './emit/hostLayout.ts';
import type { TileCode } from './emit/package.ts';
import type { PhaseSchedule } from './exchange/schedule.ts';
import { workerRows } from './kernels/gemm.ts';
import type { BindingLayout, BindingSlice, LoweredProgram } from './lower/stages.ts';
import { CODE_ADDRESS, RUNTIME_STATE } from './place/memoryMap.ts';
import type { Placement } from './place/place.ts';
import { sizeOf } from './place/place.ts';
import type { PlanSummary, Rounding } from './summary.ts';

interface Parts {
  readonly plan: PlanSummary;
  readonly program: LoweredProgram;
  readonly placement: Placement;
  readonly phases: readonly (PhaseSchedule | undefined)[];
  readonly kernels: MachineCode;
  readonly codes: readonly TileCode[];
  readonly packageBytes: Uint8Array;
  readonly digest: string;
  readonly codeBytes: number;
  readonly stageMilliseconds: Readonly<Record<string, number>>;
}

/** A logical tensor crossing the package boundary: f16 codes, row-major. */
interface HostTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint16Array | Float32Array | Uint8Array;
}

/** A package with everything the host needs to feed it and to explain its results. */
export class CompiledProgram {
  readonly packageBytes: Uint8Array;
  readonly digest: string;
  readonly stageMilliseconds: Readonly<Record<string, number>>;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.packageBytes = parts.packageBytes;
    this.digest = parts.digest;
    this.stageMilliseconds = parts.stageMilliseconds;
  }

  /** Plan, modelled cycles, exchange horizons and bounds, memory. */
  get report() {
    const { plan, program, placement, phases, codeBytes } = this.#parts;
    return {
      plan: plan.text,
      tilesRequested: plan.tilesRequested,
      tilesActive: plan.tilesActive,
      steps: program.steps.map((step, index) => {
        const phase = phases[index];
        const common = { name: step.name, modelCycles: step.modelCycles };
        return phase === undefined
          ? { ...common, kind: 'compute' as const }
          : {
              ...common,
              kind: 'exchange' as const,
              horizon: phase.horizon,
              endpointBound: phase.endpointBound,
              transfers: phase.transfers,
            };
      }),
      modelCycles: plan.modelCycles,
      sramBytes: placement.peakBytes,
      sramCapacity: placement.capacity,
      codeBytes,
      memoryMap: [
        {
          name: 'runtime state',
          address: RUNTIME_STATE.start as number,
          bytes: RUNTIME_STATE.end - RUNTIME_STATE.start,
          kind: 'runtime',
        },
        { name: 'code', address: CODE_ADDRESS as number, bytes: codeBytes, kind: 'code' },
        ...[...placement.buffers.values()]
          .map((buffer) => ({
            name: buffer.name as string,
            address: buffer.address,
            bytes: sizeOf(buffer),
            kind: buffer.memory === 'interleaved' ? 'interleaved data' : 'data',
          }))
          .sort((x, y) => x.address - y.address),
      ],
      rounding: this.rounding,
    };
  }

  get rounding(): Rounding {
    return this.#parts.plan.rounding;
  }

  /** Logical tensors to binding bytes. Throws RangeError for a missing tensor or a wrong shape. */
  pack(inputs: readonly HostTensor[]): ReadonlyMap<string, Uint8Array> {
    const files = new Map<string, Uint8Array>();
    for (const layout of this.#parts.program.bindings) {
      if (layout.direction !== 'input') continue;
      const tensor = inputs.find((input) => input.name === layout.name);
      if (tensor === undefined) throw new RangeError(`input ${layout.name} is missing`);
      const { data, dtype, shape } = tensor;
      if (
        shape.join('x') !== layout.shape.join('x') ||
        dtype !== layout.dtype ||
        data instanceof Float32Array
      )
        throw new RangeError(
          `input ${layout.name} is ${dtype} ${shape.join('x')}, the package wants ${layout.dtype} ${layout.shape.join('x')}`,
        );
      files.set(layout.name, packBinding(layout, data));
    }
    return files;
  }

  /** Binding bytes to logical tensors, with coverage and padding checked. */
  unpack(outputs: ReadonlyMap<string, Uint8Array>) {
    return this.#outputs().map((layout) => {
      const bytes = outputs.get(layout.name);
      if (bytes === undefined || bytes.byteLength !== layout.fileBytes)
        throw new RangeError(
          `output ${layout.name} has ${bytes?.byteLength ?? 0} bytes, the package promises ${layout.fileBytes}`,
        );
      const { data, covered, dirty } = unpackBinding(layout, bytes);
      return {
        tensor: { name: layout.name, dtype: 'f16' as const, shape: [...layout.shape], data },
        covered,
        padding: dirty.map(({ fileOffset, code }) => {
          const place = this.#placeOf(layout, fileOffset);
          return {
            tensor: layout.name,
            tile: place?.tile ?? -1,
            address: place?.address ?? -1,
            expected: '0x0000',
            found: `0x${code.toString(16).padStart(4, '0')}`,
          };
        }),
      };
    });
  }

  /** Where an output element lives and who computed it. */
  locate(tensor: string, index: readonly number[]) {
    const layout = this.#outputs().find((output) => output.name === tensor);
    if (layout === undefined || index.length !== 2) return undefined;
    const found = fileOffsetOf(layout, index[0], index[1]);
    if (found === undefined) return undefined;
    const place = this.#placeOf(layout, found.offset);
    if (place === undefined) return undefined;
    const row = index[0] - found.block.row;
    let worker = 0;
    while (row >= workerRows(found.block.rows, worker).start + workerRows(found.block.rows, worker).count)
      worker++;
    return {
      tile: place.tile as number,
      physicalTile: physicalTileOf(place.tile) as number,
      address: place.address,
      labels: { ...found.block.labels, worker, lane: (index[1] - found.block.column) % 16 },
    };
  }

  /** Text listing of a logical tile's program: kernels first, then the tile's own code. */
  listing(tile: number): string {
    const { kernels, codes } = this.#parts;
    const code = codes.find((entry) => entry.tile === tile);
    if (code === undefined) throw new RangeError(`tile ${tile} is not in the program`);
    return `${listing(kernels)}\n${listing(code.supervisor)}\n`;
  }

  #outputs(): readonly BindingLayout[] {
    return this.#parts.program.bindings.filter((layout) => layout.direction === 'output');
  }

  #placeOf(layout: BindingLayout, fileOffset: number) {
    const slice = sliceAt(layout.slices, fileOffset);
    const buffer = slice && this.#parts.placement.buffers.get(slice.buffer);
    if (slice === undefined || buffer === undefined) return undefined;
    return {
      tile: slice.tile as LogicalTile,
      address: buffer.address + slice.offset + fileOffset - slice.fileOffset,
    };
  }
}

/** Slices are in file order without gaps: binary search. */
function sliceAt(slices: readonly BindingSlice[], fileOffset: number): BindingSlice | undefined {
  let low = 0;
  let high = slices.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const slice = slices[middle];
    if (fileOffset < slice.fileOffset) high = middle - 1;
    else if (fileOffset >= slice.fileOffset + slice.bytes) low = middle + 1;
    else return slice;
  }
  return undefined;
}
