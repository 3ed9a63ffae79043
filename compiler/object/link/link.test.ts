import { describe, expect, it } from 'vitest';
import {
  dataSection,
  externalSymbol,
  globalSymbol,
  localSymbol,
  object,
  reloc,
  textSection,
  weakSymbol,
  words,
  zeroSection,
} from '../testing/build.ts';
import { unit } from '../testing/failure.ts';
import { link } from './link.ts';

describe('link', () => {
  it('joins two objects: addresses, patched words, symbols, map', () => {
    const main = object(
      'main.o',
      [
        // setzi m2, table; bri helper; a run word; a half that holds table / 8
        textSection(
          '.text',
          words(0x19200000, 0x40800000, 0x1500f000),
          [reloc(0, '20', 'table'), reloc(4, '19_S2', 'helper', 4), reloc(8, 'RUN', 'loop')],
          8,
        ),
        dataSection('.rodata', Uint8Array.from([7, 0, 0, 0xee]), 1, [reloc(1, '16_S3', 'table')]),
      ],
      [
        globalSymbol('start', '.text'),
        localSymbol('loop', '.text', 4),
        weakSymbol('constants', '.rodata'),
        externalSymbol('helper'),
        externalSymbol('table'),
      ],
    );
    const helper = object(
      'helper.o',
      [
        textSection('.text', words(0x43000000, 0x43a00000)),
        dataSection('.data', words(1, 2), 16),
        zeroSection('.bss', 6, 2),
      ],
      [
        globalSymbol('helper', '.text'),
        globalSymbol('table', '.data'),
        globalSymbol('limit', 'absolute', 0x101),
      ],
    );
    const image = link([main, helper], {
      regions: [{ start: 0x4c018, end: 0x50000 }],
      entry: 'start',
      retained: ['constants'],
    });
    // .text 0x4c018..24, .rodata ..28, helper .text 28..30, .data aligned to 16: 30..38; .bss not reached
    expect(image.entry).toBe(0x4c018);
    expect([...image.symbols]).toEqual([
      ['constants', 0x4c024],
      ['helper', 0x4c028],
      ['limit', 0x101],
      ['loop', 0x4c01c],
      ['start', 0x4c018],
      ['table', 0x4c030],
    ]);
    expect(image.segments).toEqual([
      {
        address: 0x4c018,
        memorySize: 0x20,
        bytes: Uint8Array.from([
          ...words(0x1924c030, 0x4081300b, 0x1500f007),
          ...[7, 0x06, 0x98, 0xee],
          ...words(0x43000000, 0x43a00000, 1, 2),
        ]),
      },
    ]);
    expect(image.map).toBe(`address     size        kind  section (object)
0x0004c018  0x0000000c  code  .text (main.o)
0x0004c024  0x00000004  data  .rodata (main.o)
0x0004c028  0x00000008  code  .text (helper.o)
0x0004c030  0x00000008  data  .data (helper.o)

value       symbol
0x00000101  limit
0x0004c018  start
0x0004c01c  loop
0x0004c024  constants
0x0004c028  helper
0x0004c030  table

dropped
.bss (helper.o)
`);
  });

  it('follows relocations through objects and drops the rest', () => {
    const objects = [unit('a', ['b']), unit('b', ['c', 'a']), unit('c'), unit('d', ['c'])];
    const names = (roots: object) => [...link(objects, roots).symbols.keys()];
    expect(names({ entry: 'a' })).toEqual(['a', 'b', 'c']);
    expect(names({ entry: 'c' })).toEqual(['c']);
    expect(names({ entry: 'c', retained: ['d'] })).toEqual(['c', 'd']);
    expect(names({ retained: ['d'] })).toEqual(['c', 'd']);
    expect(names({})).toEqual(['a', 'b', 'c', 'd']);
    expect(link(objects, { retained: ['d'] }).entry).toBeUndefined();
  });

  it('follows relocations that patch nothing', () => {
    const keeper = object(
      'keeper.o',
      [textSection('.text', words(0), [reloc(0, 'NONE', 'd'), reloc(0, 'NONE', '')])],
      [globalSymbol('keeper', '.text'), externalSymbol('d')],
    );
    expect([...link([keeper, unit('d')], { entry: 'keeper' }).symbols.keys()]).toEqual(['d', 'keeper']);
  });

  it('lets externals win, differently for every link', () => {
    const objects = [unit('a', ['b', 'tile']), unit('b')];
    const placement = (tile: number, b: number) => ({
      entry: 'a',
      externals: new Map([
        ['tile', 8 * tile],
        ['b', b],
      ]),
    });
    for (const [tile, b] of [
      [0, 0x60000],
      [1471, 0x70004],
    ] as const) {
      const image = link(objects, placement(tile, b));
      expect(image.segments[0]!.bytes.subarray(0, 8)).toEqual(
        words(0x40800000 + b / 4, 0x40800000 + 2 * tile),
      );
      expect([image.symbols.get('b'), image.symbols.get('tile')]).toEqual([b, 8 * tile]);
    }
  });

  it('keeps own definitions against externals of the same name', () => {
    const own = object(
      'own.o',
      [textSection('.text', words(0x40800000), [reloc(0, '19_S2', 'own')])],
      [globalSymbol('own', '.text')],
    );
    const image = link([own], { externals: new Map([['own', 0x60000]]) });
    expect(image.segments[0]!.bytes).toEqual(words(0x40800000 + 0x4c000 / 4));
  });

  it('counts relative relocations from the image base', () => {
    const run = object(
      'run.o',
      [
        textSection('.text', words(0, 0x15000000), [
          reloc(0, 'RELATIVE_16_S2', 'go', 4),
          reloc(4, 'RUN', 'go'),
        ]),
      ],
      [globalSymbol('go', '.text')],
    );
    const regions = [{ start: 0x5c000, end: 0x5d000 }];
    expect(link([run], { regions }).segments[0]!.bytes).toEqual(words(0x4001, 0x15040000));
    expect(link([run], { regions, imageBase: 0x58000 }).segments[0]!.bytes).toEqual(
      words(0x1001, 0x15010000),
    );
  });
});
