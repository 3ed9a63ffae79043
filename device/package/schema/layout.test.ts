import { ListElementSize, Message, type Struct } from 'capnp-ts';
import { describe, expect, it } from 'vitest';
import * as application from '../generated/application.capnp.ts';
import * as profile from '../generated/profile.capnp.ts';
import * as common from '../generated/profile-common.capnp.ts';
import { STRUCT_WORDS } from '../validate/fields.ts';

/**
 * Wire layout of every struct, from the format's description [SW]: id, data bytes, pointers, and fields as
 * `name type@byte offset` (u16, u32, u64; 32-bit fields with a default add `=default`) or `name type@slot`.
 */
const LAYOUT: Readonly<
  Record<string, readonly [id: string, data: number, pointers: number, fields: string]>
> = {
  Application: [
    'ab24b1f01881c23e',
    16,
    12,
    'schemaVersion u32@0, compilerVersion text@0, target text@1, tileMemoryBase u32@4, tileMemorySize u32@8, ' +
      'tiles structs@2, inputs structs@3, outputs structs@4, weights structs@5, hostExchange struct@6, ' +
      'entryPoints structs@7, deviceConfigWrites structs@8, profileTiles structs@9, debugSymbols structs@10, ' +
      'debugRegions structs@11',
  ],
  TileImage: [
    'b32742e901d337cb',
    16,
    1,
    'physicalTile u32@0, entryPoint u32@4, segments structs@0, commandAddress u32@8, diagnosticAddress u32@12',
  ],
  Segment: ['8c833f8b328bd39a', 16, 1, 'address u32@0, memorySize u32@4, data bytes@0, flags u32@8'],
  RegionSlice: ['981c49993d3884ee', 24, 0, 'tile u32@0, tileAddress u32@4, fileOffset u64@8, size u64@16'],
  Binding: ['ff02ea93c3889c1d', 0, 4, 'name text@0, dtype text@1, shape u32s@2, slices structs@3'],
  HostPage: ['c623da9177c10431', 16, 0, 'index u32@0, size u64@8'],
  HostSlice: ['9b7db0632f05714d', 32, 0, 'page u32@0, pageOffset u64@8, fileOffset u64@16, size u64@24'],
  HostCall: [
    'd08a9588e8dcfc0c',
    16,
    5,
    'name text@0, command u32@0, phases u32@4, inputs structs@1, outputs structs@2, invocations u32@8=1, ' +
      'inputBatchEnds u32s@3, outputBatchEnds u32s@4',
  ],
  HostExchange: [
    'a25ac9fe0980cd3a',
    16,
    3,
    'startupMark u32@0, commandPage u32@4, commandOffset u64@8, pages structs@0, attachOrder u32s@1, calls structs@2',
  ],
  EntryPoint: ['cad0563224e1a3df', 8, 1, 'name text@0, command u32@0, externalSyncs u32@4'],
  DeviceConfigWrite: ['d1eb6d8159e2ef81', 8, 0, 'offset u32@0, value u32@4'],
  TileProfilePlan: ['ca50934d7445e77a', 8, 1, 'physicalTile u32@0, steps structs@0'],
  DebugSymbol: ['e05f64e866b954bc', 8, 1, 'name text@0, address u32@0'],
  DebugRegion: ['efecd14332de2937', 16, 1, 'physicalTile u32@0, address u32@4, size u32@8, name text@0'],
  Profile: ['8307f50b2f8ec55c', 16, 1, 'schemaVersion u32@0, clockHz u64@8, tiles structs@0'],
  TileProfile: ['e5192954d8ba4d0b', 8, 1, 'physicalTile u32@0, samples structs@0'],
  CycleSample: ['a8e5712cd5fa27f1', 8, 1, 'step struct@0, startCycle u32@0, endCycle u32@4'],
  Step: [
    'd4046050f2835a10',
    24,
    4,
    'localIndex u32@0, phase u32@4, epoch u32@8, operation text@0, kind u16@12, kernel text@1, ' +
      'metadata structs@2, exchangeActivities structs@3, exchangeEventCycles u32@16',
  ],
  Metadata: ['8bb5604f8de791b0', 0, 2, 'name text@0, value text@1'],
  ExchangeActivity: ['9a6018befa7a748a', 16, 0, 'kind u16@0, startCycle u32@4, endCycle u32@8'],
};

type StructClass = Parameters<typeof Message.initRoot<Struct>>[0];
type Methods = Record<string, (argument?: unknown) => unknown>;

const exported: Readonly<Record<string, unknown>> = { ...application, ...common, ...profile };
const classes = Object.entries(exported).filter(([, value]) => typeof value === 'function') as [
  string,
  StructClass,
][];

/** Calls one accessor on a fresh root struct and returns the words of its body, little endian. */
function bodyAfter(structClass: StructClass, words: number, call: (struct: Methods) => void): bigint[] {
  const message = new Message();
  const root = message.initRoot(structClass);
  call(root as unknown as Methods);
  const view = new DataView(message.getSegment(0).buffer);
  return Array.from({ length: words }, (_, index) => view.getBigUint64(8 + 8 * index, true));
}

describe('generated structs', () => {
  it('are those of the format, no more and no fewer', () => {
    expect(classes.map(([name]) => name).sort()).toEqual(Object.keys(LAYOUT).sort());
    expect(application._capnpFileId).toBe('d3bce605d3d25b4f');
    expect(profile._capnpFileId).toBe('badb9c24f7721fa3');
    expect(common._capnpFileId).toBe('f3c4b874bcfe20c9');
    expect(common.StepKind).toEqual({ EXCHANGE: 0, COMPUTE: 1, SYNCHRONIZATION: 2, IDLE: 3 });
    expect(common.ExchangeActivityKind).toEqual({ SEND: 0, RECEIVE: 1, PARTNER_BUSY: 2 });
  });

  it.each(classes)('%s has the format’s id, sizes and fields', (name, structClass) => {
    const [id, dataBytes, pointers, fields] = LAYOUT[name]!;
    const words = dataBytes / 8 + pointers;
    expect((structClass as unknown as { _capnp: { id: string } })._capnp.id).toBe(id);
    expect(STRUCT_WORDS[name as keyof typeof STRUCT_WORDS]).toBe(words);

    const message = new Message();
    message.initRoot(structClass);
    const view = new DataView(message.getSegment(0).buffer);
    expect([view.getUint16(4, true) * 8, view.getUint16(6, true)]).toEqual([dataBytes, pointers]);

    const found = fields.split(', ').map((field) => /^(\w+) (\w+)@(\d+)(?:=(\d+))?$/.exec(field)!);
    const accessors = Object.getOwnPropertyNames(structClass.prototype as object).filter((method) =>
      /^get/.test(method),
    );
    expect(accessors.length).toBe(found.length);

    for (const [, field, type, place, defaultValue] of found) {
      const method = field![0]!.toUpperCase() + field!.slice(1);
      const at = Number(place);
      const body = bodyAfter(structClass, words, (struct) => {
        if (type === 'u16') struct[`set${method}`]!(0xffff);
        else if (type === 'u32') struct[`set${method}`]!(0xffffffff);
        else if (type === 'u64') struct[`set${method}`]!(0xffffffffffffffffn);
        else if (type === 'text') struct[`set${method}`]!('text');
        else if (type === 'struct') struct[`init${method}`]!();
        else struct[`init${method}`]!(1);
      });
      const width = { u16: 2, u32: 4, u64: 8 }[type!];
      if (width !== undefined) {
        const stored = ((1n << BigInt(8 * width)) - 1n) ^ BigInt(defaultValue ?? 0);
        const expected = Array.from({ length: words }, () => 0n);
        expected[at >> 3] = stored << BigInt(8 * (at & 7));
        expect(body, `${name}.${field}`).toEqual(expected);
        continue;
      }
      const set = body.flatMap((word, index) => (word === 0n ? [] : [index]));
      expect(set, `${name}.${field}`).toEqual([dataBytes / 8 + at]);
      const pointer = body[set[0]!]!;
      const element = Number((pointer >> 32n) & 7n);
      const elements = {
        structs: ListElementSize.COMPOSITE,
        u32s: ListElementSize.BYTE_4,
        text: ListElementSize.BYTE,
      };
      if (type === 'struct') expect(pointer & 3n).toBe(0n);
      else {
        expect(pointer & 3n).toBe(1n);
        expect(element, `${name}.${field}`).toBe({ ...elements, bytes: ListElementSize.BYTE }[type!]);
      }
    }
  });
});
