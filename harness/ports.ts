/**
 * The interfaces a case's life needs. Other rooms satisfy them structurally, without importing this
 * file; the fit is checked where they are joined (suites and cli.ts).
 */

/** Storage type of a tensor element. */
export type DType = 'f16' | 'f32' | 'f8f143';

/** Raw storage bits of a tensor: u16 codes for f16, u8 codes for f8, numbers for f32. */
export type TensorData = Uint16Array | Float32Array | Uint8Array;

/** A logical tensor: row-major, no padding. */
export interface Tensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** Where one logical element lives on the chip, as far as the compiler knows. */
export interface PhysicalPlace {
  /** Logical tile number, 0..1471. */
  readonly tile: number;
  /** Physical tile number, 0..1471. */
  readonly physicalTile: number;
  /** Byte address in the tile's SRAM. */
  readonly address: number;
  /** Grid coordinates or other named positions (row block, column block, K piece...), for error maps. */
  readonly labels: Readonly<Record<string, number>>;
}

/** A place where a physical output byte that belongs to no logical element broke its contract. */
export interface PaddingViolation {
  readonly tensor: string;
  readonly tile: number;
  readonly address: number;
  readonly expected: string;
  readonly found: string;
}

/** What the host sees after the device bytes are read back into logical order. */
export interface UnpackedOutput {
  readonly tensor: Tensor;
  /** Number of logical elements that some device byte was assigned to; must equal the element count. */
  readonly covered: number;
  readonly padding: readonly PaddingViolation[];
}

/** One step of the program, as planned. Cycles are tile cycles. */
export interface StepReport {
  readonly name: string;
  readonly kind: 'exchange' | 'compute';
  readonly modelCycles: number;
  /** Exchange steps only: last scheduled event over all tiles. */
  readonly horizon?: number;
  /** Exchange steps only: largest number of items any tile sends or receives. */
  readonly endpointBound?: number;
  readonly transfers?: number;
}

/** What the compiler tells about a package. Everything here is deterministic. */
export interface CompileReport {
  /** The plan in one line. */
  readonly plan: string;
  readonly tilesRequested: number;
  readonly tilesActive: number;
  readonly steps: readonly StepReport[];
  readonly modelCycles: number;
  /** Worst tile, bytes. */
  readonly sramBytes: number;
  readonly sramCapacity: number;
  readonly codeBytes: number;
  /** Named buffers of the worst tile, for the memory map. */
  readonly memoryMap: readonly {
    readonly name: string;
    readonly address: number;
    readonly bytes: number;
    readonly kind: string;
  }[];
  /** The op-by-op rounding model, in the words and numbers the oracle needs. */
  readonly rounding: unknown;
}

/** A compiled case: bytes for a device, and the maps between logical tensors and device bytes. */
export interface CompiledCase {
  readonly packageBytes: Uint8Array;
  /** SHA-256 of the package bytes, hexadecimal. */
  readonly digest: string;
  readonly report: CompileReport;
  /** Wall time per compiler stage; never part of a result that must be reproducible. */
  readonly stageMilliseconds: Readonly<Record<string, number>>;
  /** Logical tensors to the bytes of the package's input bindings. */
  pack(inputs: readonly Tensor[]): ReadonlyMap<string, Uint8Array>;
  /** Bytes of the package's output bindings to logical tensors. */
  unpack(outputs: ReadonlyMap<string, Uint8Array>): readonly UnpackedOutput[];
  /** Where a logical element of an output lives; undefined for an unknown tensor or index. */
  locate(tensor: string, index: readonly number[]): PhysicalPlace | undefined;
  /** Text listing of one logical tile's program. */
  listing(tile: number): string;
}

/** What an oracle says an output must be. */
export interface Reference {
  readonly tensor: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Reference values, accumulated in f64, not rounded to the output type. */
  readonly values: Float64Array;
  /** Hard per-element bound on |output - value|. Ignored when exact. */
  readonly bound: Float64Array;
  /** Tighter probabilistic bound; exceeding it raises an alarm, not a failure. */
  readonly alarm?: Float64Array;
  /** When true every output must equal the value rounded once to the output type, bit for bit. */
  readonly exact: boolean;
  /** Expected storage bits when exact. */
  readonly expectedBits?: TensorData;
  /** Name of the bound model, printed with the verdict. */
  readonly model: string;
  /** What each inner block adds to one element (flat index), in order; names a missing block. */
  readonly contributions?: (element: number) => Float64Array;
  /** For fills whose values are signatures: where a wrong value came from, in words. */
  readonly originOf?: (value: number) => string | undefined;
}

/** Who ran the program. Runs with different identities are not comparable. */
export interface DeviceIdentity {
  readonly kind: string;
  readonly tiles: number;
  readonly clockHz: number;
  /** Simulator model version or card serial. */
  readonly model: string;
}

/** Outcome of one call of a loaded program. */
export interface CallOutcome {
  readonly outputs: ReadonlyMap<string, Uint8Array>;
  /** Cycles from the first tile's start sample to the last tile's end sample. */
  readonly cycles: number;
  /** Worker and supervisor instructions retired, when the device can count them. */
  readonly instructions?: number;
}

/** The machine, simulated or real. */
export interface DevicePort {
  identity(): DeviceIdentity;
  load(packageBytes: Uint8Array): Promise<void>;
  call(name: string, inputs: ReadonlyMap<string, Uint8Array>): Promise<CallOutcome>;
  /** Raw SRAM of one physical tile. */
  readTile(physicalTile: number, address: number, bytes: number): Uint8Array;
  close(): Promise<void>;
}

/** Errors of the rooms carry these fields; anything else that is thrown is an infra-error. */
export interface CaseFailure extends Error {
  readonly verdict: 'compile-error' | 'device-fault' | 'infra-error' | 'unsupported';
  /** Stage that gave up, e.g. `place`, `exchange`, `run`. */
  readonly stage: string;
  /** Logical tile, when one is to blame. */
  readonly tile?: number;
  /** Numbers that broke the rule, e.g. demand and capacity. */
  readonly facts: Readonly<Record<string, number | string>>;
  /** What the reader can do about it. */
  readonly advice: string;
}

/** One case, ready to run: inputs generated, nothing compiled yet. */
export interface PreparedCase {
  readonly line: string;
  readonly inputs: readonly Tensor[];
  /** Seed of each generated input as 16 hexadecimal digits, for records. */
  readonly seeds?: Readonly<Record<string, string>>;
  /** Rough host cost in arithmetic operations, for sharding and progress. */
  readonly cost: number;
  /** Arithmetic operations of the problem itself, 2mkn for a GEMM: the numerator of TFLOPS. */
  readonly flops?: number;
  compile(): CompiledCase;
  reference(compiled: CompiledCase): readonly Reference[];
}

/** A family of cases: its grammar and how to prepare one. */
export interface Operation {
  /** First part of the case line, before the slash. */
  readonly name: string;
  /** Canonical text of a case line; throws a UsageError with one clear message. */
  canonical(line: string): string;
  /** Case lines of a tier, canonical, unique, in file order. */
  tier(tier: string): readonly string[];
  prepare(line: string): PreparedCase;
}
