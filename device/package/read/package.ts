import { PackageError } from '../error.ts';
import {
  type Application,
  type Binding,
  type HostCall,
  type HostExchange,
  type HostSlice,
  SCHEMA_VERSION,
  type Segment,
  TARGET,
  TILE_MEMORY_BASE,
  TILE_MEMORY_SIZE,
  type TileImage,
} from '../model.ts';
import { checkRules } from '../validate/application.ts';
import { StructReader } from '../wire/structReader.ts';
import { readStep } from './step.ts';

/**
 * Reads and validates a package. Segment data are views of `bytes`, which the caller must not change.
 * Throws PackageError, and nothing else, for every file that is damaged, incompatible or invalid; time and
 * memory are bounded by the file size.
 */
export function readPackage(bytes: Uint8Array): Application {
  const root = StructReader.root(bytes);
  checkHeader(root);
  const application = readApplication(root);
  checkRules(application, 'infra-error');
  return application;
}

function checkHeader(root: StructReader): void {
  const found = [root.u32(0), root.text(1, 'target'), root.u32(4), root.u32(8)] as const;
  const expected = [SCHEMA_VERSION, TARGET, TILE_MEMORY_BASE, TILE_MEMORY_SIZE] as const;
  if (found.every((value, index) => value === expected[index])) return;
  const text = ([version, target, base, size]: typeof found) =>
    `schema version ${version}, target '${target}', tile memory of ${size} bytes at 0x${base.toString(16)}`;
  throw new PackageError(
    'invalid',
    `incompatible package header: ${text(found)}; expected ${text(expected)}`,
    {
      verdict: 'infra-error',
      facts: {
        schemaVersion: found[0],
        target: found[1],
        tileMemoryBase: found[2],
        tileMemorySize: found[3],
      },
      advice: 'Build the package again with a compiler of this version.',
    },
  );
}

/** Byte offsets and pointer slots from here on are those of `schema/application.capnp`. */
function readApplication(root: StructReader): Application {
  return {
    compilerVersion: root.text(0, 'compilerVersion'),
    tiles: root.structs(2, 'tiles', readTileImage),
    inputs: root.structs(3, 'inputs', readBinding),
    outputs: root.structs(4, 'outputs', readBinding),
    weights: root.structs(5, 'weights', readBinding),
    hostExchange: readHostExchange(root.struct(6, 'hostExchange')),
    entryPoints: root.structs(7, 'entryPoints', (entry) => ({
      name: entry.text(0, 'entry point name'),
      command: entry.u32(0),
      externalSyncs: entry.u32(4),
    })),
    deviceConfigWrites: root.structs(8, 'deviceConfigWrites', (write) => ({
      offset: write.u32(0),
      value: write.u32(4),
    })),
    profileTiles: root.structs(9, 'profileTiles', (plan) => ({
      physicalTile: plan.u32(0),
      steps: plan.structs(0, 'steps', readStep),
    })),
    debugSymbols: root.structs(10, 'debugSymbols', (symbol) => ({
      name: symbol.text(0, 'debug symbol name'),
      address: symbol.u32(0),
    })),
    debugRegions: root.structs(11, 'debugRegions', (region) => ({
      physicalTile: region.u32(0),
      address: region.u32(4),
      size: region.u32(8),
      name: region.text(0, 'debug region name'),
    })),
  };
}

function readTileImage(tile: StructReader): TileImage {
  return {
    physicalTile: tile.u32(0),
    entryPoint: tile.u32(4),
    segments: tile.structs(0, 'segments', readSegment),
    commandAddress: tile.u32(8),
    diagnosticAddress: tile.u32(12),
  };
}

function readSegment(segment: StructReader): Segment {
  return {
    address: segment.u32(0),
    memorySize: segment.u32(4),
    data: segment.data(0, 'segment data'),
    flags: segment.u32(8),
  };
}

function readBinding(binding: StructReader): Binding {
  return {
    name: binding.text(0, 'binding name'),
    dtype: binding.text(1, 'binding dtype'),
    shape: binding.u32List(2, 'binding shape'),
    slices: binding.structs(3, 'binding slices', (slice) => ({
      tile: slice.u32(0),
      tileAddress: slice.u32(4),
      fileOffset: slice.u64(8, 'slice fileOffset'),
      size: slice.u64(16, 'slice size'),
    })),
  };
}

function readHostExchange(exchange: StructReader): HostExchange {
  return {
    startupMark: exchange.u32(0),
    commandPage: exchange.u32(4),
    commandOffset: exchange.u64(8, 'commandOffset'),
    pages: exchange.structs(0, 'pages', (page) => ({ index: page.u32(0), size: page.u64(8, 'page size') })),
    attachOrder: exchange.u32List(1, 'attachOrder'),
    calls: exchange.structs(2, 'calls', readHostCall),
  };
}

function readHostCall(call: StructReader): HostCall {
  return {
    name: call.text(0, 'host call name'),
    command: call.u32(0),
    phases: call.u32(4),
    inputs: call.structs(1, 'host call inputs', readHostSlice),
    outputs: call.structs(2, 'host call outputs', readHostSlice),
    invocations: call.u32(8, 1),
    inputBatchEnds: call.u32List(3, 'inputBatchEnds'),
    outputBatchEnds: call.u32List(4, 'outputBatchEnds'),
  };
}

function readHostSlice(slice: StructReader): HostSlice {
  return {
    page: slice.u32(0),
    pageOffset: slice.u64(8, 'slice pageOffset'),
    fileOffset: slice.u64(16, 'slice fileOffset'),
    size: slice.u64(24, 'slice size'),
  };
}
