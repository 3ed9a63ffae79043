import { describe, expect, it } from 'vitest';
import { readPackage, validateApplication, writePackage } from '../index.ts';
import { type Break, broken, errorOf } from '../testing/broken.ts';
import { sampleApplication } from '../testing/sample.ts';
import { encodePackage } from '../write/package.ts';
import { checkFields } from './fields.ts';

/** Every rule, broken once, with the message it gives after `invalid package: `. */
const RULES: readonly [rule: string, change: Break, message: string][] = [
  ['tiles exist', (a) => (a.tiles = []), 'application has no tiles'],
  [
    'configuration offsets are aligned',
    (a) => (a.deviceConfigWrites[0]!.offset = 0x1235),
    'unaligned or duplicate device configuration write at offset 0x1235',
  ],
  [
    'configuration offsets are unique',
    (a) => a.deviceConfigWrites.push({ offset: 0x1234, value: 6 }),
    'unaligned or duplicate device configuration write at offset 0x1234',
  ],
  ['tiles are unique', (a) => (a.tiles[1]!.physicalTile = 0), 'duplicate physical tile 0'],
  [
    'segment addresses have 32 bits',
    (a) => (a.tiles[1]!.segments[0]!.memorySize = 0xffffffff),
    'segment address overflow on tile 2: 0x58000 + 4294967295 bytes',
  ],
  [
    'segments start in tile memory',
    (a) => (a.tiles[0]!.segments[1]!.address = 0x4bff8),
    'invalid segment on tile 0: 0x4bff8..0x4c000 is outside tile memory 0x4c000..0xe8000',
  ],
  [
    'segments end in tile memory',
    (a) => (a.tiles[0]!.segments[1]!.address = 0xe7ff9),
    'invalid segment on tile 0: 0xe7ff9..0xe8001 is outside tile memory 0x4c000..0xe8000',
  ],
  [
    'data fit their memory',
    (a) => (a.tiles[0]!.segments[1]!.data = new Uint8Array(9)),
    'invalid segment on tile 0: 9 bytes of data at 0x4c010 for 8 bytes of memory',
  ],
  [
    'segments do not overlap',
    (a) => (a.tiles[0]!.segments[1]!.address = 0x57ff9),
    'overlapping segments on tile 0: 0x57ff9..0x58001 and 0x58000..0x586e0',
  ],
  [
    'planned tiles exist',
    (a) => (a.profileTiles[0]!.physicalTile = 1),
    'invalid tile profile plan: tile 1 has no image',
  ],
  [
    'tiles are planned once',
    (a) => a.profileTiles.push({ physicalTile: 2, steps: [] }),
    'invalid tile profile plan: tile 2 is planned twice',
  ],
  [
    'steps are numbered',
    (a) => (a.profileTiles[0]!.steps[1]!.localIndex = 2),
    'invalid tile profile plan: step 1 of tile 2 has localIndex 2',
  ],
  [
    'symbols have names',
    (a) => (a.debugSymbols[0]!.name = ''),
    'invalid package debug map: symbol 0 at 0x4c018 has no name',
  ],
  [
    'regions have names',
    (a) => (a.debugRegions[1]!.name = ''),
    'invalid package debug map: region 1 has no name',
  ],
  [
    'regions have a size',
    (a) => (a.debugRegions[1]!.size = 0),
    "invalid package debug map: region 1 'exchange row' has no bytes",
  ],
  [
    'regions have 32-bit addresses',
    (a) => (a.debugRegions[1]!.size = 0xffffffff),
    "invalid package debug map: region 1 'exchange row' ends above 32 bits: 0x5c000 + 4294967295 bytes",
  ],
  [
    'region tiles exist',
    (a) => (a.debugRegions[1]!.physicalTile = 3),
    "invalid package debug map: region 1 'exchange row' is on tile 3, which has no image",
  ],
  ['bindings have names', (a) => (a.outputs[0]!.name = ''), "empty or duplicate binding ''"],
  [
    'binding names are unique over all kinds',
    (a) => (a.weights[0]!.name = 'left'),
    "empty or duplicate binding 'left'",
  ],
  [
    'slice sizes have 32 bits',
    (a) => (a.inputs[0]!.slices[0]!.size = 2 ** 32),
    "binding 'left' slice is too large: 4294967296 bytes",
  ],
  [
    'slice addresses have 32 bits',
    (a) => (a.inputs[0]!.slices[0]!.size = 0xffffffff),
    "binding 'left' binding address overflow: 0x80000 + 4294967295 bytes",
  ],
  [
    'slice tiles exist',
    (a) => (a.inputs[0]!.slices[0]!.tile = 1),
    "binding 'left' references invalid tile memory: tile 1, 0x80000..0x80020",
  ],
  [
    'slices start in tile memory',
    (a) => (a.weights[0]!.slices[0]!.tileAddress = 0x4bffc),
    "binding 'right' references invalid tile memory: tile 2, 0x4bffc..0x4c004",
  ],
  [
    'slices end in tile memory',
    (a) => (a.outputs[0]!.slices[0]!.size = 20),
    "binding 'product' references invalid tile memory: tile 2, 0xe7ff0..0xe8004",
  ],
  [
    'pages are unique',
    (a) => (a.hostExchange.pages[1]!.index = 0),
    'invalid host page table: page 0 is listed twice',
  ],
  [
    'attached pages exist',
    (a) => a.hostExchange.attachOrder.push(7),
    'invalid host page table: attach order names page 7, which does not exist',
  ],
  [
    'the command page exists',
    (a) => (a.hostExchange.commandPage = 9),
    'invalid host startup protocol: command word at offset 4092 of page 9, which does not exist',
  ],
  [
    'the command word fits its page',
    (a) => (a.hostExchange.commandOffset = 4093),
    'invalid host startup protocol: command word at offset 4093 of page 0, which has 4096 bytes',
  ],
  ['calls run', (a) => (a.hostExchange.calls[0]!.invocations = 0), "host call 'run' has no invocations"],
  [
    'batches are not empty',
    (a) => (a.hostExchange.calls[0]!.inputBatchEnds = [0, 2]),
    "host call 'run' has invalid input batch boundary 0",
  ],
  [
    'batch ends increase',
    (a) => (a.hostExchange.calls[0]!.inputBatchEnds = [1, 1, 2]),
    "host call 'run' has invalid input batch boundary 1",
  ],
  [
    'batch ends are slices',
    (a) => (a.hostExchange.calls[0]!.outputBatchEnds = [2]),
    "host call 'run' has invalid output batch boundary 2",
  ],
  [
    'batches cover every slice',
    (a) => (a.hostExchange.calls[0]!.inputBatchEnds = [1]),
    "host call 'run' input batches cover 1 of 2 slices",
  ],
  [
    'batches are explicit',
    (a) => (a.hostExchange.calls[0]!.outputBatchEnds = []),
    "host call 'run' output batches cover 0 of 1 slices",
  ],
  [
    'slice pages exist',
    (a) => (a.hostExchange.calls[0]!.outputs[0]!.page = 4),
    "host call 'run' references missing page 4",
  ],
  [
    'slices fit their page',
    (a) => (a.hostExchange.calls[0]!.inputs[1]!.size = 4097),
    "host call 'run' slice of 4097 bytes at offset 4096 exceeds page bounds of page 1, 8192 bytes",
  ],
];

describe('package rules', () => {
  it('accept the sample, in memory and in a file', () => {
    validateApplication(sampleApplication);
    expect(readPackage(writePackage(sampleApplication))).toEqual(sampleApplication);
  });

  it.each(RULES)('%s', (_, change, message) => {
    const application = broken(change);
    const written = errorOf(() => writePackage(application));
    expect([written.message, written.kind, written.verdict]).toEqual([
      `invalid package: ${message}`,
      'invalid',
      'compile-error',
    ]);
    expect(errorOf(() => validateApplication(application)).message).toBe(written.message);
    const file = encodePackage(application, checkFields(application));
    const read = errorOf(() => readPackage(file));
    expect([read.message, read.kind, read.verdict]).toEqual([written.message, 'invalid', 'infra-error']);
    expect(read.advice).not.toBe('');
  });

  it('are checked in the order of their kinds', () => {
    // Kinds by the start of their message, in the order of the format.
    const order = [
      /no tiles/,
      /configuration/,
      /physical tile|segment/,
      /profile plan/,
      /debug map/,
      /^(empty or duplicate )?binding/,
      /page table/,
      /startup/,
      /^host call/,
    ];
    const kindOf = (message: string) => order.findIndex((kind) => kind.test(message));
    let compared = 0;
    for (const [, change, message] of RULES) {
      for (const [, later, laterMessage] of RULES) {
        if (kindOf(message) >= kindOf(laterMessage)) continue;
        const both = broken((application) => {
          later(application);
          change(application);
        });
        expect(errorOf(() => writePackage(both)).message).toBe(`invalid package: ${message}`);
        compared += 1;
      }
    }
    expect(new Set(RULES.map(([, , message]) => kindOf(message))).size).toBe(order.length);
    expect(compared).toBeGreaterThan(400);
  });

  it('allow what the format allows', () => {
    const changes: Break[] = [
      (a) => a.tiles.reverse(),
      (a) => (a.tiles[0]!.segments[1]!.address = 0x57ff8),
      (a) => (a.tiles[0]!.segments[1]!.address = 0x586e0),
      (a) => (a.tiles[0]!.segments = []),
      (a) =>
        a.tiles[0]!.segments.push({ address: 0x58100, memorySize: 0, data: new Uint8Array(0), flags: 0 }),
      (a) => (a.tiles[0]!.segments[1]!.address = 0xe7ff8),
      (a) => (a.hostExchange = { ...a.hostExchange, pages: [], attachOrder: [], calls: [], commandPage: 9 }),
      (a) => (a.hostExchange.attachOrder = [1, 1]),
      (a) => (a.hostExchange.calls[0]!.phases = 0),
      (a) => (a.inputs[0]!.slices = []),
    ];
    for (const change of changes) {
      const application = broken(change);
      expect(readPackage(writePackage(application))).toEqual(application);
    }
  });
});

describe('package header', () => {
  /** Byte of a header field: framing, root pointer, then the data section. */
  const patched = (offset: number, value: number) => {
    const bytes = writePackage(sampleApplication);
    new DataView(bytes.buffer).setUint32(16 + offset, value, true);
    return bytes;
  };

  it.each([
    ['schemaVersion', 0, 4, 'schema version 4'],
    ['schemaVersion', 0, 6, 'schema version 6'],
    ['tileMemoryBase', 4, 0x40000, 'at 0x40000;'],
    ['tileMemorySize', 8, 1, 'tile memory of 1 bytes'],
  ])('%s must match', (_, offset, value, text) => {
    const error = errorOf(() => readPackage(patched(offset, value)));
    expect(error.kind).toBe('invalid');
    expect(error.message).toMatch(/^invalid package: incompatible package header: /);
    expect(error.message).toContain(text);
  });

  it('target must match', () => {
    const bytes = writePackage(sampleApplication);
    const at = Buffer.from(bytes.buffer).indexOf('ipu21');
    bytes[at + 4] = '2'.charCodeAt(0);
    expect(() => readPackage(bytes)).toThrow(
      /incompatible package header: .*target 'ipu22'.*expected.*target 'ipu21'/,
    );
  });
});
