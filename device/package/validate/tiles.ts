import {
  ALL_TILES,
  type Binding,
  type DebugRegion,
  type DebugSymbol,
  type DeviceConfigWrite,
  type Segment,
  TILE_MEMORY_BASE,
  TILE_MEMORY_SIZE,
  type TileImage,
  type TileProfilePlan,
} from '../model.ts';
import { type Fail, hex } from './fail.ts';

const TILE_MEMORY_END = TILE_MEMORY_BASE + TILE_MEMORY_SIZE;
const LARGEST_U32 = 0xffffffff;

/** Register offsets are word aligned and written once. */
export function checkDeviceConfigWrites(writes: readonly DeviceConfigWrite[], fail: Fail): void {
  const offsets = new Set<number>();
  for (const { offset } of writes) {
    if (offset % 4 !== 0 || offsets.has(offset)) {
      const detail = `unaligned or duplicate device configuration write at offset ${hex(offset)}`;
      fail(detail, { offset }, 'Write each register once, at a multiple of 4.');
    }
    offsets.add(offset);
  }
}

/** Physical tiles are unique; segments lie in tile memory and do not overlap. Returns the tile numbers. */
export function checkTileImages(images: readonly TileImage[], fail: Fail): ReadonlySet<number> {
  const tiles = new Set<number>();
  for (const { physicalTile, segments } of images) {
    if (tiles.has(physicalTile)) {
      fail(`duplicate physical tile ${physicalTile}`, { physicalTile }, 'Give every tile one image.');
    }
    tiles.add(physicalTile);
    for (const segment of segments) checkSegment(segment, physicalTile, fail);
    checkOverlaps(segments, physicalTile, fail);
  }
  return tiles;
}

function checkSegment({ address, memorySize, data }: Segment, physicalTile: number, fail: Fail): void {
  const end = address + memorySize;
  const facts = { physicalTile, address, memorySize, dataLength: data.byteLength };
  if (end > LARGEST_U32) {
    const detail = `segment address overflow on tile ${physicalTile}: ${hex(address)} + ${memorySize} bytes`;
    fail(detail, facts, 'Tile addresses have 32 bits.');
  }
  if (address < TILE_MEMORY_BASE || end > TILE_MEMORY_END) {
    const memory = `${hex(TILE_MEMORY_BASE)}..${hex(TILE_MEMORY_END)}`;
    fail(
      `invalid segment on tile ${physicalTile}: ${hex(address)}..${hex(end)} is outside tile memory ${memory}`,
      facts,
      'Place the segment inside tile memory.',
    );
  }
  if (data.byteLength > memorySize) {
    fail(
      `invalid segment on tile ${physicalTile}: ${data.byteLength} bytes of data at ${hex(address)} for ${memorySize} bytes of memory`,
      facts,
      'Enlarge memorySize or shorten the data.',
    );
  }
}

function checkOverlaps(segments: readonly Segment[], physicalTile: number, fail: Fail): void {
  const sorted = segments.filter(({ memorySize }) => memorySize > 0).sort((a, b) => a.address - b.address);
  for (let index = 1; index < sorted.length; index += 1) {
    const before = sorted[index - 1]!;
    const after = sorted[index]!;
    const end = before.address + before.memorySize;
    if (after.address < end) {
      fail(
        `overlapping segments on tile ${physicalTile}: ${hex(before.address)}..${hex(end)} and ${hex(after.address)}..${hex(after.address + after.memorySize)}`,
        { physicalTile, first: before.address, end, second: after.address },
        'Move one of the segments.',
      );
    }
  }
}

/** Plans belong to existing tiles, one each, and number their steps by position. */
export function checkProfilePlans(
  plans: readonly TileProfilePlan[],
  tiles: ReadonlySet<number>,
  fail: Fail,
): void {
  const planned = new Set<number>();
  for (const { physicalTile, steps } of plans) {
    const reject = (why: string) =>
      fail(
        `invalid tile profile plan: ${why}`,
        { physicalTile },
        'Plan each existing tile once, steps in order.',
      );
    if (!tiles.has(physicalTile)) reject(`tile ${physicalTile} has no image`);
    if (planned.has(physicalTile)) reject(`tile ${physicalTile} is planned twice`);
    planned.add(physicalTile);
    const wrong = steps.findIndex((step, index) => step.localIndex !== index);
    if (wrong >= 0)
      reject(`step ${wrong} of tile ${physicalTile} has localIndex ${steps[wrong]!.localIndex}`);
  }
}

/** Names are there, regions have a size and belong to an existing tile or to all. */
export function checkDebugMap(
  symbols: readonly DebugSymbol[],
  regions: readonly DebugRegion[],
  tiles: ReadonlySet<number>,
  fail: Fail,
): void {
  for (const [index, { name, address }] of symbols.entries()) {
    if (name !== '') continue;
    const detail = `invalid package debug map: symbol ${index} at ${hex(address)} has no name`;
    fail(detail, { symbol: index, address }, 'Name every symbol.');
  }
  for (const [index, { physicalTile, address, size, name }] of regions.entries()) {
    const reject = (why: string) =>
      fail(
        `invalid package debug map: region ${index} ${why}`,
        { region: index, physicalTile, address, size },
        'Give every region a name, a size and an existing tile (or all tiles).',
      );
    if (name === '') reject('has no name');
    if (size === 0) reject(`'${name}' has no bytes`);
    if (address + size > LARGEST_U32) reject(`'${name}' ends above 32 bits: ${hex(address)} + ${size} bytes`);
    if (physicalTile !== ALL_TILES && !tiles.has(physicalTile))
      reject(`'${name}' is on tile ${physicalTile}, which has no image`);
  }
}

/** Names are unique over all bindings; slices lie in the memory of existing tiles. */
export function checkBindings(bindings: readonly Binding[], tiles: ReadonlySet<number>, fail: Fail): void {
  const names = new Set<string>();
  for (const { name, slices } of bindings) {
    if (name === '' || names.has(name)) {
      fail(
        `empty or duplicate binding '${name}'`,
        { name },
        'Give every input, output and weight its own name.',
      );
    }
    names.add(name);
    for (const { tile, tileAddress, size } of slices) {
      const end = tileAddress + size;
      const reject = (why: string, advice: string) =>
        fail(`binding '${name}' ${why}`, { name, tile, tileAddress, size }, advice);
      if (size > LARGEST_U32)
        reject(`slice is too large: ${size} bytes`, 'Slices have at most 2^32 - 1 bytes.');
      if (end > LARGEST_U32) {
        reject(
          `binding address overflow: ${hex(tileAddress)} + ${size} bytes`,
          'Tile addresses have 32 bits.',
        );
      }
      if (!tiles.has(tile) || tileAddress < TILE_MEMORY_BASE || end > TILE_MEMORY_END) {
        const range = `${hex(tileAddress)}..${hex(end)}`;
        reject(
          `references invalid tile memory: tile ${tile}, ${range}`,
          'Slices lie in the memory of a tile with an image.',
        );
      }
    }
  }
}
