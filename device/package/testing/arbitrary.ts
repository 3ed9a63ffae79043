/** Generated packages and profiles for property tests; every one obeys the rules of the format. */
import fc from 'fast-check';
import {
  ALL_TILES,
  type Application,
  type Binding,
  type HostCall,
  type HostExchange,
  type HostSlice,
  type Profile,
  type Segment,
  type Step,
  TILE_MEMORY_BASE,
  TILE_MEMORY_SIZE,
  type TileImage,
} from '../model.ts';

const u32 = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0, 1, 0xffffffff));
const u53 = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 0xffffffff, 2 ** 32, Number.MAX_SAFE_INTEGER));
const text = fc.string({ unit: 'binary', maxLength: 12 });
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const few = { maxLength: 4 };

/** Segments in address order with gaps; some empty, some with less data than memory. */
const segments: fc.Arbitrary<Segment[]> = fc
  .array(
    fc.record({
      gap: fc.nat(64),
      data: fc.uint8Array({ maxLength: 40 }),
      zeros: fc.nat(40),
      flags: fc.integer({ min: 0, max: 7 }),
    }),
    few,
  )
  .map((parts) => {
    let address = TILE_MEMORY_BASE;
    return parts.map(({ gap, data, zeros, flags }) => {
      const segment = { address: address + gap, memorySize: data.length + zeros, data, flags };
      address = segment.address + segment.memorySize;
      return segment;
    });
  })
  .chain((placed) => fc.shuffledSubarray(placed, { minLength: placed.length }));

const tileImages: fc.Arbitrary<TileImage[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 1471 }), { minLength: 1, maxLength: 4 })
  .chain((tiles) =>
    fc.tuple(
      ...tiles.map((physicalTile) =>
        fc.record({
          physicalTile: fc.constant(physicalTile),
          entryPoint: u32,
          segments,
          commandAddress: u32,
          diagnosticAddress: u32,
        }),
      ),
    ),
  );

export const arbitraryStep: fc.Arbitrary<Step> = fc.record({
  localIndex: u32,
  phase: u32,
  epoch: u32,
  operation: text,
  kind: fc.constantFrom('exchange', 'compute', 'synchronization', 'idle'),
  kernel: text,
  metadata: fc.array(fc.record({ name: text, value: text }), few),
  exchangeActivities: fc.array(
    fc.record({ kind: fc.constantFrom('send', 'receive', 'partnerBusy'), startCycle: u32, endCycle: u32 }),
    few,
  ),
  exchangeEventCycles: u32,
});

function bindings(tiles: readonly number[], names: readonly string[]): fc.Arbitrary<Binding[]> {
  const slice = fc
    .record({
      tile: fc.constantFrom(...tiles),
      start: fc.nat(TILE_MEMORY_SIZE),
      length: fc.nat(TILE_MEMORY_SIZE),
      fileOffset: u53,
    })
    .map(({ tile, start, length, fileOffset }) => ({
      tile,
      tileAddress: TILE_MEMORY_BASE + start,
      fileOffset,
      size: Math.min(length, TILE_MEMORY_SIZE - start),
    }));
  return fc.tuple(
    ...names.map((unique) =>
      fc.record({
        name: fc.constant(unique),
        dtype: fc.constantFrom('f16', 'f32', 'f8f143', 'u32', ''),
        shape: fc.array(u32, few),
        slices: fc.array(slice, few),
      }),
    ),
  );
}

/** Strictly increasing ends of a random cut of `slices` slices. */
const batchEnds = (slices: number): fc.Arbitrary<number[]> =>
  slices === 0
    ? fc.constant([])
    : fc
        .subarray(Array.from({ length: slices - 1 }, (_, index) => index + 1))
        .map((inner) => [...inner, slices]);

const hostExchange: fc.Arbitrary<HostExchange> = fc
  .uniqueArray(fc.record({ index: u32, size: fc.integer({ min: 4, max: 2 ** 40 }) }), {
    selector: ({ index }) => index,
    maxLength: 3,
  })
  .chain((pages) => {
    const [command] = pages;
    const slices: fc.Arbitrary<HostSlice[]> =
      command === undefined
        ? fc.constant([])
        : fc.array(
            fc
              .record({ page: fc.constantFrom(...pages), start: fc.nat(), length: u53, fileOffset: u53 })
              .map(({ page, start, length, fileOffset }) => {
                const pageOffset = start % (page.size + 1);
                return {
                  page: page.index,
                  pageOffset,
                  fileOffset,
                  size: Math.min(length, page.size - pageOffset),
                };
              }),
            few,
          );
    const call: fc.Arbitrary<HostCall> = fc.tuple(slices, slices).chain(([inputs, outputs]) =>
      fc.record({
        name: text,
        command: u32,
        phases: u32,
        inputs: fc.constant(inputs),
        outputs: fc.constant(outputs),
        invocations: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 0xffffffff })),
        inputBatchEnds: batchEnds(inputs.length),
        outputBatchEnds: batchEnds(outputs.length),
      }),
    );
    return fc.record({
      startupMark: u32,
      commandPage: command === undefined ? u32 : fc.constant(command.index),
      commandOffset: command === undefined ? u53 : fc.nat(Math.min(command.size - 4, 2 ** 31 - 1)),
      pages: fc.constant(pages),
      attachOrder:
        command === undefined
          ? fc.constant([])
          : fc.array(
              fc.constantFrom(...pages).map((page) => page.index),
              few,
            ),
      calls: command === undefined ? fc.constant([]) : fc.array(call, few),
    });
  });

/** Packages of a few tiles with every kind of record, data shorter than memory and all-tiles regions. */
export const arbitraryApplication: fc.Arbitrary<Application> = fc
  .tuple(tileImages, fc.uniqueArray(name, { maxLength: 5 }), fc.nat(5), fc.nat(5))
  .chain(([images, names, first, second]) => {
    const tiles = images.map(({ physicalTile }) => physicalTile);
    const cuts = [Math.min(first, second), Math.max(first, second)] as const;
    return fc.record({
      compilerVersion: text,
      tiles: fc.constant(images),
      inputs: bindings(tiles, names.slice(0, cuts[0])),
      outputs: bindings(tiles, names.slice(cuts[0], cuts[1])),
      weights: bindings(tiles, names.slice(cuts[1])),
      hostExchange,
      entryPoints: fc.array(fc.record({ name: text, command: u32, externalSyncs: u32 }), few),
      deviceConfigWrites: fc.uniqueArray(
        fc.record({ offset: fc.nat(0x1ffff).map((word) => 4 * word), value: u32 }),
        { selector: ({ offset }) => offset, maxLength: 4 },
      ),
      profileTiles: fc.subarray(tiles).chain((planned) =>
        fc.tuple(
          ...planned.map((physicalTile) =>
            fc.array(arbitraryStep, few).map((steps) => ({
              physicalTile,
              steps: steps.map((step, localIndex) => ({ ...step, localIndex })),
            })),
          ),
        ),
      ),
      debugSymbols: fc.array(fc.record({ name, address: u32 }), few),
      debugRegions: fc.array(
        fc.record({
          physicalTile: fc.constantFrom(ALL_TILES, ...tiles),
          address: fc.nat(0xe8000),
          size: fc.integer({ min: 1, max: 0xe8000 }),
          name,
        }),
        few,
      ),
    });
  });

export const arbitraryProfile: fc.Arbitrary<Profile> = fc.record({
  clockHz: u53,
  tiles: fc.array(
    fc.record({
      physicalTile: u32,
      samples: fc.array(fc.record({ step: arbitraryStep, startCycle: u32, endCycle: u32 }), few),
    }),
    few,
  ),
});
