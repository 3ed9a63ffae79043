import * as wire from '../generated/application.capnp.ts';
import {
  type Application,
  type Binding,
  type HostCall,
  type HostExchange,
  type HostSlice,
  SCHEMA_VERSION,
  TARGET,
  TILE_MEMORY_BASE,
  TILE_MEMORY_SIZE,
  type TileImage,
} from '../model.ts';
import { checkRules } from '../validate/application.ts';
import { checkFields } from '../validate/fields.ts';
import { fillNumbers, fillStructs, startMessage } from './message.ts';
import { writeStep } from './step.ts';

/**
 * Validates a package and returns its bytes; equal models give equal bytes. Throws PackageError when the
 * model breaks a rule of `validateApplication` or is larger than 2 GiB.
 */
export function writePackage(application: Application): Uint8Array {
  const words = checkFields(application);
  checkRules(application, 'compile-error');
  return encodePackage(application, words);
}

/** The bytes alone, for a model whose fields are checked; `words` is what `checkFields` returned. */
export function encodePackage(application: Application, words: number): Uint8Array {
  const { message, root } = startMessage(wire.Application, words);
  root.setSchemaVersion(SCHEMA_VERSION);
  root.setCompilerVersion(application.compilerVersion);
  root.setTarget(TARGET);
  root.setTileMemoryBase(TILE_MEMORY_BASE);
  root.setTileMemorySize(TILE_MEMORY_SIZE);
  fillStructs(application.tiles, (length) => root.initTiles(length), writeTileImage);
  fillStructs(application.inputs, (length) => root.initInputs(length), writeBinding);
  fillStructs(application.outputs, (length) => root.initOutputs(length), writeBinding);
  fillStructs(application.weights, (length) => root.initWeights(length), writeBinding);
  writeHostExchange(root.initHostExchange(), application.hostExchange);
  writeMaps(root, application);
  return new Uint8Array(message.toArrayBuffer());
}

/** The flat lists at the end of the package. */
function writeMaps(root: wire.Application, application: Application): void {
  fillStructs(
    application.entryPoints,
    (length) => root.initEntryPoints(length),
    (target, entry) => {
      target.setName(entry.name);
      target.setCommand(entry.command);
      target.setExternalSyncs(entry.externalSyncs);
    },
  );
  fillStructs(
    application.deviceConfigWrites,
    (length) => root.initDeviceConfigWrites(length),
    (target, write) => {
      target.setOffset(write.offset);
      target.setValue(write.value);
    },
  );
  fillStructs(
    application.profileTiles,
    (length) => root.initProfileTiles(length),
    (target, plan) => {
      target.setPhysicalTile(plan.physicalTile);
      fillStructs(plan.steps, (length) => target.initSteps(length), writeStep);
    },
  );
  fillStructs(
    application.debugSymbols,
    (length) => root.initDebugSymbols(length),
    (target, symbol) => {
      target.setName(symbol.name);
      target.setAddress(symbol.address);
    },
  );
  fillStructs(
    application.debugRegions,
    (length) => root.initDebugRegions(length),
    (target, region) => {
      target.setPhysicalTile(region.physicalTile);
      target.setAddress(region.address);
      target.setSize(region.size);
      target.setName(region.name);
    },
  );
}

function writeTileImage(target: wire.TileImage, tile: TileImage): void {
  target.setPhysicalTile(tile.physicalTile);
  target.setEntryPoint(tile.entryPoint);
  target.setCommandAddress(tile.commandAddress);
  target.setDiagnosticAddress(tile.diagnosticAddress);
  fillStructs(
    tile.segments,
    (length) => target.initSegments(length),
    (entry, segment) => {
      entry.setAddress(segment.address);
      entry.setMemorySize(segment.memorySize);
      entry.setFlags(segment.flags);
      if (segment.data.byteLength > 0) entry.initData(segment.data.byteLength).copyBuffer(segment.data);
    },
  );
}

function writeBinding(target: wire.Binding, binding: Binding): void {
  target.setName(binding.name);
  target.setDtype(binding.dtype);
  fillNumbers(binding.shape, (length) => target.initShape(length));
  fillStructs(
    binding.slices,
    (length) => target.initSlices(length),
    (entry, slice) => {
      entry.setTile(slice.tile);
      entry.setTileAddress(slice.tileAddress);
      entry.setFileOffset(BigInt(slice.fileOffset));
      entry.setSize(BigInt(slice.size));
    },
  );
}

function writeHostExchange(target: wire.HostExchange, exchange: HostExchange): void {
  target.setStartupMark(exchange.startupMark);
  target.setCommandPage(exchange.commandPage);
  target.setCommandOffset(BigInt(exchange.commandOffset));
  fillStructs(
    exchange.pages,
    (length) => target.initPages(length),
    (entry, page) => {
      entry.setIndex(page.index);
      entry.setSize(BigInt(page.size));
    },
  );
  fillNumbers(exchange.attachOrder, (length) => target.initAttachOrder(length));
  fillStructs(exchange.calls, (length) => target.initCalls(length), writeHostCall);
}

function writeHostCall(target: wire.HostCall, call: HostCall): void {
  target.setName(call.name);
  target.setCommand(call.command);
  target.setPhases(call.phases);
  target.setInvocations(call.invocations);
  fillStructs(call.inputs, (length) => target.initInputs(length), writeHostSlice);
  fillStructs(call.outputs, (length) => target.initOutputs(length), writeHostSlice);
  fillNumbers(call.inputBatchEnds, (length) => target.initInputBatchEnds(length));
  fillNumbers(call.outputBatchEnds, (length) => target.initOutputBatchEnds(length));
}

function writeHostSlice(target: wire.HostSlice, slice: HostSlice): void {
  target.setPage(slice.page);
  target.setPageOffset(BigInt(slice.pageOffset));
  target.setFileOffset(BigInt(slice.fileOffset));
  target.setSize(BigInt(slice.size));
}
