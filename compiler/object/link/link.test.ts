import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkError, ObjectError, RelocationError } from '../errors.ts';
import type { ObjectFile } from '../model.ts';
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
import { link } from './link.ts';

/** Error of a link that must fail. */
function failure(run: () => unknown): LinkError | RelocationError | ObjectError {
  try {
    run();
  } catch (error) {
    if (error instanceof ObjectError) return error;
    throw error;
  }
  throw new Error('the link did not fail');
}

const rule = (run: () => unknown): string => {
  const error = failure(run);
  return error instanceof LinkError ? error.rule : error.name;
};

/** An object with one 8-byte code section `.text.NAME`, global NAME at its start. */
const unit = (name: string, calls: readonly string[] = []): ObjectFile =>
  object(
    `${name}.o`,
    [
      textSection(
        `.text.${name}`,
        words(...(calls.length > 0 ? calls.map(() => 0x40800000) : [0x43000000])),
        calls.map((callee, index) => reloc(4 * index, '19_S2', callee)),
      ),
    ],
    [globalSymbol(name, `.text.${name}`), ...calls.map(externalSymbol)],
  );

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

describe('placement', () => {
  const sized = (name: string, size: number, alignment = 4) =>
    object(
      `${name}.o`,
      [textSection('.text', new Uint8Array(size).fill(1), [], alignment)],
      [globalSymbol(name, '.text')],
    );
  const regions = [
    { start: 0x5c000, end: 0x5c100 },
    { start: 0x4c018, end: 0x4c040 },
  ];

  it('moves to the next region and never back', () => {
    // 16 bytes of the lower region, then 32 do not fit its last 24, then 4 that would
    const image = link([sized('a', 16), sized('b', 32), sized('c', 4)], { regions });
    expect(Object.fromEntries(image.symbols)).toEqual({ a: 0x4c018, b: 0x5c000, c: 0x5c020 });
    expect(image.segments.map(({ address, memorySize }) => [address, memorySize])).toEqual([
      [0x4c018, 16],
      [0x5c000, 36],
    ]);
  });

  it('aligns absolutely and fills the gap with zeros', () => {
    const image = link([sized('a', 4), sized('b', 4, 16)], { regions });
    expect(image.symbols.get('b')).toBe(0x4c020);
    expect(image.segments[0]!.bytes).toEqual(words(0x01010101, 0, 0x01010101));
  });

  it('joins segments of regions that touch', () => {
    const touching = [
      { start: 0x4c000, end: 0x4c010 },
      { start: 0x4c010, end: 0x4c020 },
    ];
    expect(link([sized('a', 16), sized('b', 16)], { regions: touching }).segments).toHaveLength(1);
    expect(link([sized('a', 12), sized('b', 16)], { regions: touching }).segments).toHaveLength(2);
  });

  it('puts data into regions of its own, code elsewhere', () => {
    const mixed = object(
      'mixed.o',
      [
        dataSection('.data', words(1), 16),
        textSection('.text', words(2)),
        zeroSection('.bss', 64, 8),
        dataSection('.more', words(3)),
      ],
      [
        globalSymbol('data', '.data'),
        globalSymbol('text', '.text'),
        globalSymbol('bss', '.bss'),
        globalSymbol('more', '.more'),
      ],
    );
    const image = link([mixed], {
      regions: [{ start: 0x5c000, end: 0x80000 }],
      dataRegions: [{ start: 0x80004, end: 0xe8000 }],
    });
    expect(Object.fromEntries(image.symbols)).toEqual({
      bss: 0x80018,
      data: 0x80010,
      more: 0x80058,
      text: 0x5c000,
    });
    expect(image.segments.map(({ address, memorySize }) => [address, memorySize])).toEqual([
      [0x5c000, 4],
      [0x80010, 0x4c],
    ]);
  });

  it('stores no bytes for zero memory at the end', () => {
    const tail = object('tail.o', [dataSection('.data', words(5)), zeroSection('.bss', 0x4000)], []);
    expect(link([tail]).segments).toEqual([{ address: 0x4c000, bytes: words(5), memorySize: 0x4004 }]);
    const only = object('only.o', [zeroSection('.bss', 0x4000)], []);
    expect(link([only]).segments).toEqual([
      { address: 0x4c000, bytes: new Uint8Array(0), memorySize: 0x4000 },
    ]);
  });

  it('never places notes and empty sections', () => {
    const note = object(
      'note.o',
      [{ ...dataSection('.note', words(1, 2, 3)), kind: 'note' }, textSection('.text', new Uint8Array(0))],
      [globalSymbol('noted', '.note')],
    );
    const image = link([note]);
    expect([image.segments, [...image.symbols]]).toEqual([[], []]);
  });

  it('keeps code below 0x80000 and lets data pass', () => {
    const across = [{ start: 0x7fff8, end: 0x81000 }];
    expect(link([sized('a', 8)], { regions: across }).symbols.get('a')).toBe(0x7fff8);
    const error = failure(() => link([sized('a', 12)], { regions: across }));
    expect(error).toMatchObject({
      rule: 'not-executable',
      object: 'a.o',
      facts: { section: '.text', size: 12 },
    });
    const data = object('d.o', [dataSection('.data', new Uint8Array(12))], [globalSymbol('d', '.data')]);
    expect(link([data], { regions: across }).symbols.get('d')).toBe(0x7fff8);
  });

  it('says what had no room', () => {
    const error = failure(() => link([sized('big', 0x101)], { regions }));
    expect(error).toMatchObject({ rule: 'no-room', objects: ['big.o'], facts: { size: 0x101 } });
    expect(error.message).toBe(
      'big.o: section .text, 257 bytes aligned to 4, does not fit into what is left of 0x4c018..0x4c040, 0x5c000..0x5c100',
    );
    const zeros = object('z.o', [zeroSection('.bss', 0xffffffff)], []);
    expect(rule(() => link([zeros]))).toBe('no-room');
    const aligned = object('z.o', [zeroSection('.bss', 4, 2 ** 31)], []);
    expect(rule(() => link([aligned]))).toBe('no-room');
  });

  it.each([
    ['empty', [{ start: 0x5c000, end: 0x5c000 }]],
    ['backward', [{ start: 0x5c004, end: 0x5c000 }]],
    ['beyond 21 bits', [{ start: 0x5c000, end: 0x200001 }]],
    ['negative', [{ start: -4, end: 4 }]],
    ['broken', [{ start: 0.5, end: 4 }]],
    [
      'overlapping',
      [
        { start: 0x5c000, end: 0x5c010 },
        { start: 0x5c00f, end: 0x5c020 },
      ],
    ],
  ])('refuses %s regions, for code and data', (_, list) => {
    expect(rule(() => link([], { regions: list }))).toBe('invalid-placement');
    expect(rule(() => link([], { dataRegions: list }))).toBe('invalid-placement');
  });

  it('refuses code and data regions that share memory', () => {
    const shared = [{ start: 0x5c000, end: 0x5c010 }];
    expect(rule(() => link([], { regions: shared, dataRegions: shared }))).toBe('invalid-placement');
  });

  it('of any objects is aligned, disjoint, inside the regions and holds the contents', () => {
    const section = fc.record({
      size: fc.nat(64),
      shift: fc.nat(6),
      kind: fc.constantFrom('code', 'data', 'zero'),
    });
    const gaps = fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 400 })), {
      minLength: 1,
      maxLength: 4,
    });
    let linked = 0;
    fc.assert(
      fc.property(fc.array(section, { maxLength: 10 }), gaps, (sections, shapes) => {
        let next = 0x4c000;
        const list = shapes.map(([gap, size]) => {
          const start = next + gap;
          next = start + size;
          return { start, end: next };
        });
        const objects = sections.map(({ size, shift, kind }, index) => {
          const bytes = new Uint8Array(size).fill(index + 1);
          const made =
            kind === 'zero'
              ? zeroSection('.s', size, 2 ** shift)
              : kind === 'code'
                ? textSection('.s', bytes, [], 2 ** shift)
                : dataSection('.s', bytes, 2 ** shift);
          return object(`${index}.o`, [made], [globalSymbol(`s${index}`, '.s')]);
        });
        let image: ReturnType<typeof link>;
        try {
          image = link(objects, { regions: list });
        } catch (error) {
          expect(error).toMatchObject({ rule: 'no-room' });
          return;
        }
        linked += 1;
        const memory = new Map<number, number>();
        for (const { address, bytes, memorySize } of image.segments) {
          for (let at = 0; at < memorySize; at += 1) {
            expect(memory.has(address + at)).toBe(false);
            memory.set(address + at, bytes[at] ?? 0);
          }
        }
        let lowest = 0;
        for (const [index, { size, shift, kind }] of sections.entries()) {
          const address = image.symbols.get(`s${index}`);
          if (size === 0) {
            expect(address).toBeUndefined();
            continue;
          }
          expect(address! % 2 ** shift).toBe(0);
          expect(address!).toBeGreaterThanOrEqual(lowest);
          lowest = address! + size;
          expect(list.some(({ start, end }) => address! >= start && lowest <= end)).toBe(true);
          for (let at = address!; at < lowest; at += 1)
            expect(memory.get(at)).toBe(kind === 'zero' ? 0 : index + 1);
        }
      }),
      { numRuns: 500, seed: 5 },
    );
    expect(linked).toBeGreaterThan(100);
  });
});

describe('link refuses', () => {
  it.each([
    ['strong twice', globalSymbol, globalSymbol],
    ['strong and weak', globalSymbol, weakSymbol],
    ['weak twice', weakSymbol, weakSymbol],
    ['local and global', localSymbol, globalSymbol],
    ['local twice', localSymbol, localSymbol],
  ])('a name defined %s, naming both objects', (_, first, second) => {
    const objects = [first('x', '.text'), second('x', '.text')].map((symbol, index) =>
      object(`${'ab'[index]}.o`, [textSection('.text', words(index))], [symbol]),
    );
    const error = failure(() => link(objects));
    expect(error).toMatchObject({
      rule: 'duplicate-symbol',
      objects: ['a.o', 'b.o'],
      facts: { symbol: 'x' },
    });
    expect(error.message).toBe('a.o, b.o: duplicate symbol x: defined by a.o and by b.o');
  });

  it('doubled globals even in dropped sections, but not doubled locals there', () => {
    const twice = (symbol: typeof globalSymbol) => [
      unit('a'),
      ...['p.o', 'q.o'].map((name) => object(name, [textSection('.text', words(0))], [symbol('x', '.text')])),
    ];
    expect(rule(() => link(twice(globalSymbol), { entry: 'a' }))).toBe('duplicate-symbol');
    expect([...link(twice(localSymbol), { entry: 'a' }).symbols.keys()]).toEqual(['a']);
  });

  it('absolute globals twice, while local ones stay private', () => {
    const twice = (symbol: typeof globalSymbol) =>
      ['p.o', 'q.o'].map((name, index) => object(name, [], [symbol('N', 'absolute', index)]));
    expect(rule(() => link(twice(globalSymbol)))).toBe('duplicate-symbol');
    expect([...link(twice(localSymbol)).symbols]).toEqual([]);
  });

  it('missing roots', () => {
    expect(rule(() => link([unit('a')], { entry: 'b' }))).toBe('missing-retained-symbol');
    expect(rule(() => link([unit('a')], { entry: 'a', retained: ['b'] }))).toBe('missing-retained-symbol');
  });

  it('undefined symbols, weak or not, naming the object that asks', () => {
    const weak = object(
      'weak.o',
      [textSection('.text', words(0), [reloc(0, '32', 'b')])],
      [{ ...externalSymbol('b'), binding: 'weak' }],
    );
    for (const file of [unit('a', ['b']), weak]) {
      const error = failure(() => link([file]));
      expect(error).toMatchObject({ rule: 'undefined-symbol', objects: [file.name], facts: { symbol: 'b' } });
    }
  });

  it('symbols that are local to another object', () => {
    const secret = object('s.o', [textSection('.text', words(0))], [localSymbol('b', '.text')]);
    expect(rule(() => link([unit('a', ['b']), secret]))).toBe('undefined-symbol');
  });

  it('references to notes and empty sections', () => {
    for (const section of [
      { ...dataSection('.n', words(1)), kind: 'note' as const },
      dataSection('.n', new Uint8Array(0)),
    ]) {
      const target = object('n.o', [section], [globalSymbol('b', '.n')]);
      expect(rule(() => link([unit('a', ['b']), target]))).toBe('discarded-section');
      expect(rule(() => link([target], { entry: 'b' }))).toBe('discarded-section');
    }
  });

  it.each([
    ['19_S2', 2, 'misaligned', { min: 0, max: 0x1ffffc, step: 4 }],
    ['8', 0, 'unrepresentable', { min: 0, max: 0xff, step: 1 }],
    ['RUN', -0x8000, 'unrepresentable', { min: 0x4c000, max: 0x8bffc, step: 4 }],
  ] as const)('values that %s cannot store, saying where and why', (type, addend, fault, range) => {
    const file = object(
      'far.o',
      [textSection('.text', words(0, 0), [reloc(4, type, 'far', addend)])],
      [globalSymbol('far', '.text')],
    );
    const error = failure(() => link([file]));
    expect(error).toBeInstanceOf(RelocationError);
    const site = {
      object: 'far.o',
      section: '.text',
      offset: 4,
      type,
      symbol: 'far',
      value: 0x4c000 + addend,
    };
    expect(error).toMatchObject({ fault, site, range });
  });

  it('has one message for a bad relocation', () => {
    const file = object(
      'far.o',
      [textSection('.text', words(0, 0), [reloc(4, '16', 'far')])],
      [globalSymbol('far', '.text')],
    );
    expect(failure(() => link([file])).message).toBe(
      'far.o: unrepresentable relocation type 16 value 0x4c000 at .text+0x4, symbol far; legal: 0x0..0xffff in steps of 1',
    );
  });

  it.each([
    [5, '32'],
    [8, '8'],
    [0xffffffff, '16'],
  ] as const)('a relocation at %i that leaves its section', (offset, type) => {
    const file = object(
      'o.o',
      [textSection('.text', words(0, 0), [reloc(offset, type, 'far')])],
      [globalSymbol('far', 'absolute')],
    );
    expect(failure(() => link([file]))).toMatchObject({ fault: 'outside', object: 'o.o' });
  });

  it('objects that break their own rules', () => {
    const broken = object('o.o', [textSection('.text', words(0), [], 3)], []);
    expect(failure(() => link([broken])).message).toBe(
      'o.o: section .text: non-power-of-two section alignment 3',
    );
  });
});
