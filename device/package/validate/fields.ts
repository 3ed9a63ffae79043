import { EXCHANGE_ACTIVITY_KINDS, STEP_KINDS } from '../kinds.ts';
import type { Application, Binding, HostCall, HostSlice, Profile, Step, TileImage } from '../model.ts';
import { FieldWalk, type Place } from './fieldWalk.ts';

/** Words (data section plus pointers) of every struct, as the schema compiler lays them out. */
export const STRUCT_WORDS = {
  Application: 14,
  TileImage: 3,
  Segment: 3,
  Binding: 4,
  RegionSlice: 3,
  HostExchange: 5,
  HostPage: 2,
  HostCall: 7,
  HostSlice: 4,
  EntryPoint: 2,
  DeviceConfigWrite: 1,
  TileProfilePlan: 2,
  DebugSymbol: 2,
  DebugRegion: 3,
  Step: 7,
  Metadata: 2,
  ExchangeActivity: 2,
  Profile: 3,
  TileProfile: 2,
  CycleSample: 2,
} as const;

const ROOT_POINTER = 1;
const top: Place = () => '';

/**
 * Checks that every field of a package can be encoded: integers in range, texts with a UTF-8 form, enum
 * members known, lists short enough. Returns the words of the message, root pointer included. Throws
 * PackageError of kind `invalid`, `utf8` or `enum`.
 */
export function checkFields(application: Application): number {
  const walk = new FieldWalk();
  walk.struct(ROOT_POINTER + STRUCT_WORDS.Application);
  walk.text(application.compilerVersion, 'compilerVersion', top);
  walk.structs(application.tiles, STRUCT_WORDS.TileImage, 'tiles', top, (tile, place) =>
    walkTileImage(walk, tile, place),
  );
  for (const list of ['inputs', 'outputs', 'weights'] as const) {
    walk.structs(application[list], STRUCT_WORDS.Binding, list, top, (binding, place) =>
      walkBinding(walk, binding, place),
    );
  }
  walkHostExchange(walk, application.hostExchange);
  walk.structs(application.entryPoints, STRUCT_WORDS.EntryPoint, 'entryPoints', top, (entry, place) => {
    walk.text(entry.name, 'name', place);
    walk.u32(entry.command, 'command', place);
    walk.u32(entry.externalSyncs, 'externalSyncs', place);
  });
  const { DeviceConfigWrite, TileProfilePlan, DebugSymbol, DebugRegion } = STRUCT_WORDS;
  walk.structs(
    application.deviceConfigWrites,
    DeviceConfigWrite,
    'deviceConfigWrites',
    top,
    (write, place) => {
      walk.u32(write.offset, 'offset', place);
      walk.u32(write.value, 'value', place);
    },
  );
  walk.structs(application.profileTiles, TileProfilePlan, 'profileTiles', top, (plan, place) => {
    walk.u32(plan.physicalTile, 'physicalTile', place);
    walk.structs(plan.steps, STRUCT_WORDS.Step, 'steps', place, (step, here) => walkStep(walk, step, here));
  });
  walk.structs(application.debugSymbols, DebugSymbol, 'debugSymbols', top, (symbol, place) => {
    walk.text(symbol.name, 'name', place);
    walk.u32(symbol.address, 'address', place);
  });
  walk.structs(application.debugRegions, DebugRegion, 'debugRegions', top, (region, place) => {
    walk.u32(region.physicalTile, 'physicalTile', place);
    walk.u32(region.address, 'address', place);
    walk.u32(region.size, 'size', place);
    walk.text(region.name, 'name', place);
  });
  // The target text of the header takes one word.
  return walk.words + 1;
}

/** The same for a cycle profile. */
export function checkProfileFields(profile: Profile): number {
  const walk = new FieldWalk();
  walk.struct(ROOT_POINTER + STRUCT_WORDS.Profile);
  walk.u64(profile.clockHz, 'clockHz', top);
  walk.structs(profile.tiles, STRUCT_WORDS.TileProfile, 'tiles', top, (tile, place) => {
    walk.u32(tile.physicalTile, 'physicalTile', place);
    walk.structs(tile.samples, STRUCT_WORDS.CycleSample, 'samples', place, (sample, here) => {
      walk.u32(sample.startCycle, 'startCycle', here);
      walk.u32(sample.endCycle, 'endCycle', here);
      walk.struct(STRUCT_WORDS.Step);
      walkStep(walk, sample.step, () => `${here()}step.`);
    });
  });
  return walk.words;
}

function walkTileImage(walk: FieldWalk, tile: TileImage, place: Place): void {
  walk.u32(tile.physicalTile, 'physicalTile', place);
  walk.u32(tile.entryPoint, 'entryPoint', place);
  walk.u32(tile.commandAddress, 'commandAddress', place);
  walk.u32(tile.diagnosticAddress, 'diagnosticAddress', place);
  walk.structs(tile.segments, STRUCT_WORDS.Segment, 'segments', place, (segment, here) => {
    walk.u32(segment.address, 'address', here);
    walk.u32(segment.memorySize, 'memorySize', here);
    walk.u32(segment.flags, 'flags', here);
    walk.data(segment.data, 'data', here);
  });
}

function walkBinding(walk: FieldWalk, binding: Binding, place: Place): void {
  walk.text(binding.name, 'name', place);
  walk.text(binding.dtype, 'dtype', place);
  walk.u32List(binding.shape, 'shape', place);
  walk.structs(binding.slices, STRUCT_WORDS.RegionSlice, 'slices', place, (slice, here) => {
    walk.u32(slice.tile, 'tile', here);
    walk.u32(slice.tileAddress, 'tileAddress', here);
    walk.u64(slice.fileOffset, 'fileOffset', here);
    walk.u64(slice.size, 'size', here);
  });
}

function walkHostExchange(walk: FieldWalk, exchange: Application['hostExchange']): void {
  const place: Place = () => 'hostExchange.';
  walk.struct(STRUCT_WORDS.HostExchange);
  walk.u32(exchange.startupMark, 'startupMark', place);
  walk.u32(exchange.commandPage, 'commandPage', place);
  walk.u64(exchange.commandOffset, 'commandOffset', place);
  walk.structs(exchange.pages, STRUCT_WORDS.HostPage, 'pages', place, (page, here) => {
    walk.u32(page.index, 'index', here);
    walk.u64(page.size, 'size', here);
  });
  walk.u32List(exchange.attachOrder, 'attachOrder', place);
  walk.structs(exchange.calls, STRUCT_WORDS.HostCall, 'calls', place, (call, here) =>
    walkCall(walk, call, here),
  );
}

function walkCall(walk: FieldWalk, call: HostCall, place: Place): void {
  walk.text(call.name, 'name', place);
  walk.u32(call.command, 'command', place);
  walk.u32(call.phases, 'phases', place);
  walk.u32(call.invocations, 'invocations', place);
  const slice = (item: HostSlice, here: Place) => {
    walk.u32(item.page, 'page', here);
    walk.u64(item.pageOffset, 'pageOffset', here);
    walk.u64(item.fileOffset, 'fileOffset', here);
    walk.u64(item.size, 'size', here);
  };
  walk.structs(call.inputs, STRUCT_WORDS.HostSlice, 'inputs', place, slice);
  walk.structs(call.outputs, STRUCT_WORDS.HostSlice, 'outputs', place, slice);
  walk.u32List(call.inputBatchEnds, 'inputBatchEnds', place);
  walk.u32List(call.outputBatchEnds, 'outputBatchEnds', place);
}

function walkStep(walk: FieldWalk, step: Step, place: Place): void {
  walk.u32(step.localIndex, 'localIndex', place);
  walk.u32(step.phase, 'phase', place);
  walk.u32(step.epoch, 'epoch', place);
  walk.text(step.operation, 'operation', place);
  walk.member(step.kind, STEP_KINDS, 'kind', place);
  walk.text(step.kernel, 'kernel', place);
  walk.structs(step.metadata, STRUCT_WORDS.Metadata, 'metadata', place, (entry, here) => {
    walk.text(entry.name, 'name', here);
    walk.text(entry.value, 'value', here);
  });
  const { ExchangeActivity } = STRUCT_WORDS;
  walk.structs(step.exchangeActivities, ExchangeActivity, 'exchangeActivities', place, (activity, here) => {
    walk.member(activity.kind, EXCHANGE_ACTIVITY_KINDS, 'kind', here);
    walk.u32(activity.startCycle, 'startCycle', here);
    walk.u32(activity.endCycle, 'endCycle', here);
  });
  walk.u32(step.exchangeEventCycles, 'exchangeEventCycles', place);
}
