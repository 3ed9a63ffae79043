import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataSection, globalSymbol, object, textSection, words, zeroSection } from '../testing/build.ts';
import { failure, rule } from '../testing/failure.ts';
import { link } from './link.ts';

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
