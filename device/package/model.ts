/**
 * Application packages and cycle profiles as plain immutable data. All numbers are unsigned integers:
 * 32-bit fields below 2^32, 64-bit fields (file offsets, sizes, clock) at most 2^53 - 1.
 */

/** Schema version written into packages and profiles, and the only one accepted in packages [SW]. */
export const SCHEMA_VERSION = 5;

/** Target text of an IPU21 package [SW]. */
export const TARGET = 'ipu21';

/** First byte of tile SRAM, as the package header states it [SDK]. */
export const TILE_MEMORY_BASE = 0x4c000;

/** Bytes of tile SRAM, as the package header states it: 624 KiB [SDK]. */
export const TILE_MEMORY_SIZE = 0x9c000;

/** Tile number of a debug region that holds on every tile [SW]. */
export const ALL_TILES = 0xffffffff;

/** Segment permissions; the loader ignores them [SW]. */
export const SEGMENT_READ = 1;
export const SEGMENT_WRITE = 2;
export const SEGMENT_EXECUTE = 4;

/** Bytes that are placed in one tile's SRAM before the program starts. */
export interface Segment {
  /** Tile byte address. */
  readonly address: number;
  /** Bytes of memory the segment covers. */
  readonly memorySize: number;
  /** At most `memorySize` bytes; the rest of the memory is zero. */
  readonly data: Uint8Array;
  /** Sum of SEGMENT_READ, SEGMENT_WRITE, SEGMENT_EXECUTE. */
  readonly flags: number;
}

/** Memory image of one tile. */
export interface TileImage {
  /** Physical tile number, unique in the package. */
  readonly physicalTile: number;
  /** Tile address the supervisor starts at. */
  readonly entryPoint: number;
  readonly segments: readonly Segment[];
  /** Tile address of a command word; 0 when there is none. */
  readonly commandAddress: number;
  /** Tile address of the completion word. */
  readonly diagnosticAddress: number;
}

/** One contiguous byte range of a binding: `size` bytes at `fileOffset` of the file live at a tile address. */
export interface RegionSlice {
  /** Physical tile. */
  readonly tile: number;
  readonly tileAddress: number;
  /** Byte offset in the binding's part of the host file. */
  readonly fileOffset: number;
  /** Bytes. */
  readonly size: number;
}

/** A named tensor of the program and where its bytes live on the chip. */
export interface Binding {
  readonly name: string;
  /** Element type text, e.g. `f16`, `f32`, `f8f143`, `u32`. */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly slices: readonly RegionSlice[];
}

/** A page of host memory that is attached to the device. */
export interface HostPage {
  readonly index: number;
  /** Bytes. */
  readonly size: number;
}

/** A byte range that a host call moves between a host page and its file. */
export interface HostSlice {
  /** Index of a host page. */
  readonly page: number;
  readonly pageOffset: number;
  readonly fileOffset: number;
  /** Bytes. */
  readonly size: number;
}

/** A named host call: slices moved in batches, one host barrier pair per batch. */
export interface HostCall {
  readonly name: string;
  /** Word the host writes at the command location before the call. */
  readonly command: number;
  /** Host barrier phases of the whole call. */
  readonly phases: number;
  readonly inputs: readonly HostSlice[];
  readonly outputs: readonly HostSlice[];
  /** Times the device repeats the call's program; at least 1. */
  readonly invocations: number;
  /** Strictly increasing slice counts at which input batches end; the last equals the input slice count. */
  readonly inputBatchEnds: readonly number[];
  /** The same for outputs. */
  readonly outputBatchEnds: readonly number[];
}

/** How the host talks to the running program. */
export interface HostExchange {
  /** Mark that releases the loaded program. */
  readonly startupMark: number;
  /** Page index and byte offset of the u32 command word. */
  readonly commandPage: number;
  readonly commandOffset: number;
  readonly pages: readonly HostPage[];
  /** Page indices in the order they are attached. */
  readonly attachOrder: readonly number[];
  readonly calls: readonly HostCall[];
}

/** A named entry of the program. */
export interface EntryPoint {
  readonly name: string;
  readonly command: number;
  /** Host-visible barriers after start-up. */
  readonly externalSyncs: number;
}

/** A device configuration register written before the program starts. */
export interface DeviceConfigWrite {
  /** Byte offset in the register window, a multiple of 4. */
  readonly offset: number;
  readonly value: number;
}

export type StepKind = 'exchange' | 'compute' | 'synchronization' | 'idle';
export type ExchangeActivityKind = 'send' | 'receive' | 'partnerBusy';

/** A scheduled interval inside an exchange step, in event cycles (planned, not measured). */
export interface ExchangeActivity {
  readonly kind: ExchangeActivityKind;
  readonly startCycle: number;
  readonly endCycle: number;
}

/** A named detail of a step. */
export interface Metadata {
  readonly name: string;
  readonly value: string;
}

/** One planned step of a tile's program. */
export interface Step {
  /** Position of the step in its tile's plan. */
  readonly localIndex: number;
  readonly phase: number;
  readonly epoch: number;
  readonly operation: string;
  readonly kind: StepKind;
  readonly kernel: string;
  readonly metadata: readonly Metadata[];
  readonly exchangeActivities: readonly ExchangeActivity[];
  /** Scheduled length of an exchange step; 0 when unknown. */
  readonly exchangeEventCycles: number;
}

/** The steps whose boundaries a tile samples. */
export interface TileProfilePlan {
  readonly physicalTile: number;
  readonly steps: readonly Step[];
}

/** A symbol of the linked executable. */
export interface DebugSymbol {
  readonly name: string;
  readonly address: number;
}

/** A named address range of one tile, or of all when `physicalTile` is ALL_TILES. */
export interface DebugRegion {
  readonly physicalTile: number;
  readonly address: number;
  /** Bytes. */
  readonly size: number;
  readonly name: string;
}

/** A whole package. The header (schema version, target, tile memory) is fixed and not part of the model. */
export interface Application {
  /** Version text of the producer, free form. */
  readonly compilerVersion: string;
  readonly tiles: readonly TileImage[];
  readonly inputs: readonly Binding[];
  readonly outputs: readonly Binding[];
  readonly weights: readonly Binding[];
  readonly hostExchange: HostExchange;
  readonly entryPoints: readonly EntryPoint[];
  readonly deviceConfigWrites: readonly DeviceConfigWrite[];
  readonly profileTiles: readonly TileProfilePlan[];
  readonly debugSymbols: readonly DebugSymbol[];
  readonly debugRegions: readonly DebugRegion[];
}

/** One measured step: 32-bit cycle counter samples at its start and end; the counter wraps. */
export interface CycleSample {
  readonly step: Step;
  readonly startCycle: number;
  readonly endCycle: number;
}

/** The samples of one tile, in program order. */
export interface TileProfile {
  readonly physicalTile: number;
  readonly samples: readonly CycleSample[];
}

/** Measured cycles of one run. */
export interface Profile {
  /** Tile clock, hertz. */
  readonly clockHz: number;
  readonly tiles: readonly TileProfile[];
}
