import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectError } from '../errors.ts';
import type { ObjectFile, ObjectSymbol } from '../model.ts';
import { anyObject, sectionSymbol } from '../testing/arbitrary.ts';
import { FOREIGN_ELF } from '../testing/foreign.ts';
import { readElf } from './readElf.ts';
import { inFileOrder, writeElf } from './writeElf.ts';

const code = (bytes: string, extra: object = {}) => ({
  name: '.text',
  kind: 'code' as const,
  writable: false,
  executable: true,
  alignment: 4,
  size: bytes.length / 2,
  bytes: Uint8Array.from(Buffer.from(bytes, 'hex')),
  relocations: [],
  ...extra,
});
const local = (name: string, value: number): ObjectSymbol => ({
  name,
  section: '.text',
  value,
  size: 0,
  kind: 'none',
  binding: 'local',
});
const external = (name: string): ObjectSymbol => ({
  name,
  section: undefined,
  value: 0,
  size: 0,
  kind: 'none',
  binding: 'global',
});

/** Two locals, one external, relocations against all three. Symbol table: null, file, alpha, bravo, outer. */
const SAMPLE: ObjectFile = {
  name: 'sample',
  sections: [
    code('0000000000000000000000000000000000000000', {
      relocations: [
        { offset: 0, type: '19_S2', symbol: 'alpha', addend: 4 },
        { offset: 4, type: 'RUN', symbol: 'bravo', addend: -8 },
        { offset: 8, type: '32', symbol: 'outer', addend: 0 },
      ],
    }),
  ],
  symbols: [local('alpha', 4), local('bravo', 12), external('outer')],
};

/** File offset of the section header with this ELF type, of the sample. */
function headerOf(bytes: Uint8Array, type: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const table = view.getUint32(32, true);
  for (let at = table; at < bytes.length; at += 40) if (view.getUint32(at + 4, true) === type) return at;
  throw new Error(`no section of type ${type}`);
}
/** File offset of the contents of the section of this type. */
const contentOf = (bytes: Uint8Array, type: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(headerOf(bytes, type) + 16, true);

function patched(edit: (view: DataView, bytes: Uint8Array) => void, object = SAMPLE): Uint8Array {
  const bytes = Uint8Array.from(writeElf(object));
  edit(new DataView(bytes.buffer), bytes);
  return bytes;
}

describe('readElf', () => {
  it('reads a file of an outside assembler', () => {
    const shape = { writable: false, executable: false, relocations: [] };
    const named = { value: 0, size: 0, kind: 'none', binding: 'global' };
    expect(readElf(FOREIGN_ELF)).toEqual({
      name: 'kernel.c',
      sections: [
        {
          ...shape,
          name: '.text',
          kind: 'code',
          executable: true,
          alignment: 4,
          size: 0,
          bytes: new Uint8Array(0),
        },
        {
          name: '.text.run',
          kind: 'code',
          writable: false,
          executable: true,
          alignment: 8,
          size: 12,
          bytes: Uint8Array.from([0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0, 0, 0, 0, 0]),
          relocations: [
            { offset: 4, type: '32', symbol: 'helper', addend: 8 },
            { offset: 8, type: '32', symbol: 'table', addend: 0 },
          ],
        },
        {
          name: '.rodata.table',
          kind: 'data',
          writable: false,
          executable: false,
          alignment: 4,
          size: 12,
          bytes: Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 6, 0]),
          relocations: [{ offset: 4, type: '32', symbol: 'run', addend: 0 }],
        },
        {
          ...shape,
          name: '.bss',
          kind: 'zero',
          writable: true,
          alignment: 16,
          size: 48,
          bytes: new Uint8Array(0),
        },
        {
          ...shape,
          name: '.comment',
          kind: 'note',
          alignment: 1,
          size: 5,
          bytes: Uint8Array.from(Buffer.from('hand\0')),
        },
      ],
      symbols: [
        { ...named, name: 'table', section: '.rodata.table', size: 12, kind: 'object', binding: 'local' },
        { ...named, name: 'run', section: '.text.run', size: 12, kind: 'function' },
        { ...named, name: 'helper', section: undefined },
        { ...named, name: 'scratch', section: '.bss', size: 48, kind: 'object', binding: 'weak' },
        { ...named, name: 'limit', section: 'absolute', value: 0x101 },
      ],
    });
  });

  it('gives back what was written, and the same bytes again', () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        const bytes = writeElf(object);
        const read = readElf(bytes);
        expect(read).toEqual({ ...object, symbols: inFileOrder(object.symbols) });
        expect(Buffer.compare(writeElf(read), bytes)).toBe(0);
      }),
      { numRuns: 500, seed: 2 },
    );
  });

  it('is not fooled by a buffer with an offset and keeps no view of it', () => {
    const bytes = writeElf(SAMPLE);
    for (const holder of [new Uint8Array(bytes.length + 7), Buffer.alloc(bytes.length + 7)]) {
      holder.set(bytes, 7);
      const read = readElf(holder.subarray(7));
      holder.fill(0xff);
      expect(read).toEqual(SAMPLE);
    }
  });

  it('moves relocations of repeated local names to their section', () => {
    const bytes = patched((_, file) => {
      const at = Buffer.from(file.buffer).indexOf('bravo');
      file.set(Buffer.from('alpha'), at);
    });
    const read = readElf(bytes);
    expect(read.symbols).toEqual([
      sectionSymbol('.text'),
      local('alpha', 4),
      local('alpha', 12),
      external('outer'),
    ]);
    expect(read.sections[0]!.relocations).toEqual([
      { offset: 0, type: '19_S2', symbol: '.text', addend: 8 },
      { offset: 4, type: 'RUN', symbol: '.text', addend: 4 },
      { offset: 8, type: '32', symbol: 'outer', addend: 0 },
    ]);
    expect(readElf(writeElf(read))).toEqual(read);
  });

  it('numbers sections that share a name', () => {
    const sections = ['.a', '.b', '.c', '.d'].map((name) => code('00000000', { name }));
    const bytes = patched(
      (_, file) => {
        for (const name of ['.b\0', '.c\0'])
          file.set(Buffer.from('.a\0'), Buffer.from(file.buffer).indexOf(name));
      },
      { name: '', sections, symbols: [] },
    );
    expect(readElf(bytes).sections.map((section) => section.name)).toEqual(['.a', '.a#2', '.a#3', '.d']);
  });

  it('inflates a compressed section', () => {
    const content = Buffer.from('again and again and again and again');
    const header = Buffer.alloc(12);
    header.writeUInt32LE(1, 0);
    header.writeUInt32LE(content.length, 4);
    const stored = Buffer.concat([header, deflateSync(content)]).toString('hex');
    const object = { name: '', sections: [code(stored, { kind: 'note', executable: false })], symbols: [] };
    const read = readElf(patched((view, file) => view.setUint32(headerOf(file, 1) + 8, 0x800, true), object));
    expect(Buffer.from(read.sections[0]!.bytes)).toEqual(content);
    expect(read.sections[0]!.size).toBe(content.length);
    for (const wrong of [content.length - 1, content.length + 1, 0xffffffff]) {
      const bytes = patched((view, file) => {
        view.setUint32(headerOf(file, 1) + 8, 0x800, true);
        view.setUint32(contentOf(file, 1) + 4, wrong, true);
      }, object);
      expect(() => readElf(bytes)).toThrow(/compressed section .text: it (does not )?inflates? to/);
    }
  });
});

describe('readElf refuses', () => {
  const SYMTAB = 2;
  const STRTAB = 3;
  const RELA = 4;
  const PROGBITS = 1;
  it.each<[string, (view: DataView, file: Uint8Array) => void, RegExp]>([
    ['another magic', (view) => view.setUint8(0, 0x7e), /not little-endian ELF32/],
    ['64-bit files', (view) => view.setUint8(4, 2), /not little-endian ELF32/],
    ['big-endian files', (view) => view.setUint8(5, 2), /not little-endian ELF32/],
    ['another machine', (view) => view.setUint16(18, 0xf3, true), /ELF machine 0xf3 is not Colossus/],
    ['executables', (view) => view.setUint16(16, 2, true), /not relocatable/],
    ['headers outside', (view) => view.setUint32(32, 0xffffffff, true), /section headers leave the file/],
    ['odd headers', (view) => view.setUint16(46, 64, true), /section headers of 64 bytes/],
    ['no names', (view) => view.setUint16(50, 0, true), /no section names/],
    ['extended numbering', (view) => view.setUint16(48, 0, true), /more sections than supported/],
    [
      'contents outside',
      (view, f) => view.setUint32(headerOf(f, PROGBITS) + 20, 1e6, true),
      /leaves the file/,
    ],
    [
      'names outside',
      (view, f) => view.setUint32(headerOf(f, PROGBITS), 1e6, true),
      /leaves its string table/,
    ],
    ['odd alignment', (view, f) => view.setUint32(headerOf(f, PROGBITS) + 32, 12, true), /non-power-of-two/],
    ['broken UTF-8', (view, f) => view.setUint8(contentOf(f, STRTAB) + 1, 0xff), /not valid UTF-8/],
    ['odd symbol sizes', (view, f) => view.setUint32(headerOf(f, SYMTAB) + 36, 24, true), /symbol table of/],
    [
      'symbols without names',
      (view, f) => view.setUint32(headerOf(f, SYMTAB) + 24, 0, true),
      /have no names/,
    ],
    [
      'TLS symbols',
      (view, f) => view.setUint8(contentOf(f, SYMTAB) + 2 * 16 + 12, 6),
      /symbol 2 alpha: unsup/,
    ],
    [
      'special sections',
      (view, f) => view.setUint16(contentOf(f, SYMTAB) + 2 * 16 + 14, 0xffff, true),
      /0xffff/,
    ],
    ['implicit addends', (view, f) => view.setUint32(headerOf(f, RELA) + 4, 9, true), /ELF type 9/],
    ['rela of nothing', (view, f) => view.setUint32(headerOf(f, RELA) + 28, 0, true), /patches no section/],
    [
      'rela without symbols',
      (view, f) => view.setUint32(headerOf(f, RELA) + 24, 1, true),
      /has no symbol table/,
    ],
    [
      'unknown types',
      (view, f) => view.setUint8(contentOf(f, RELA) + 4, 10),
      /unknown Colossus relocation 10/,
    ],
    [
      'missing symbols',
      (view, f) => view.setUint8(contentOf(f, RELA) + 5, 9),
      /symbol 9 is not in the symbol/,
    ],
    [
      'file symbols',
      (view, f) => view.setUint8(contentOf(f, RELA) + 5, 1),
      /record 0: symbol 1: it is a file/,
    ],
    ['no symbol', (view, f) => view.setUint8(contentOf(f, RELA) + 5, 0), /it names no symbol/],
    [
      'common symbols in records',
      (view, f) => view.setUint16(contentOf(f, SYMTAB) + 2 * 16 + 14, 0xfff2, true),
      /symbol 2: relocation symbol has no section/,
    ],
    [
      'ambiguous externals',
      (_, f) => f.set(Buffer.from('alpha'), Buffer.from(f.buffer).indexOf('outer')),
      /several symbols are named alpha/,
    ],
  ])('%s', (_, edit, message) => {
    const bytes = patched(edit);
    expect(() => readElf(bytes, 'x.o')).toThrow(ObjectError);
    expect(() => readElf(bytes, 'x.o')).toThrow(message);
    expect(() => readElf(bytes, 'x.o')).toThrow(/^x\.o: /);
  });

  it('every cut of a file', () => {
    const bytes = writeElf(SAMPLE);
    for (let end = 0; end < bytes.length; end += 1) {
      expect(() => readElf(bytes.subarray(0, end))).toThrow(ObjectError);
    }
  });

  it('many sections that are the same large range', () => {
    const bytes = patched((view, file) => {
      for (let index = 1; index <= 200; index += 1) {
        const at = view.getUint32(32, true) + 40 * index;
        view.setUint32(at + 16, 0, true);
        view.setUint32(at + 20, file.length - 1, true);
      }
    }, many(200));
    expect(() => readElf(bytes)).toThrow(/sections overlap/);
  });

  it('many names inside one endless name', () => {
    const long = { ...many(200), symbols: [{ ...external('z'.repeat(16000)) }] };
    const bytes = patched((view) => {
      const table = view.getUint32(32, true);
      const shstrtab = view.getUint16(50, true);
      // the section names move into the symbol names, one character apart
      for (let index = 1; index <= 200; index += 1) view.setUint32(table + 40 * index, index, true);
      view.setUint16(50, shstrtab - 1, true);
    }, long);
    expect(() => readElf(bytes)).toThrow(/longer than their string table/);
  });
});

const many = (count: number): ObjectFile => ({
  name: '',
  sections: Array.from({ length: count }, (_, index) => code('00000000', { name: `s${index}` })),
  symbols: [],
});

describe('hostile files', () => {
  /** The only two outcomes allowed; returns which one. */
  function outcome(bytes: Uint8Array): 'read' | 'refused' {
    try {
      readElf(bytes);
      return 'read';
    } catch (error) {
      if (error instanceof ObjectError) return 'refused';
      throw error;
    }
  }

  it('random bytes behind a valid identification are read or refused', () => {
    const head = writeElf(SAMPLE).subarray(0, 20);
    fc.assert(
      fc.property(fc.boolean(), fc.uint8Array({ maxLength: 400 }), (identified, tail) => {
        outcome(identified ? Buffer.concat([head, tail]) : tail);
      }),
      { numRuns: 3000, seed: 3 },
    );
  });

  it('mutated files are read or refused, and both happen', () => {
    const seen = new Set<string>();
    const edit = fc.record({
      at: fc.nat(),
      value: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)),
      width: fc.constantFrom(1, 2, 4),
    });
    const sources = [writeElf(SAMPLE), Uint8Array.from(FOREIGN_ELF), writeElf(many(20))];
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        (source, edits) => {
          const bytes = Uint8Array.from(source);
          for (const { at, value, width } of edits) {
            const start = at % bytes.length;
            bytes.fill(value, start, start + width);
          }
          seen.add(outcome(bytes));
        },
      ),
      { numRuns: 6000, seed: 4 },
    );
    expect(seen).toEqual(new Set(['read', 'refused']));
  });

  it('what was read from a mutated file can be written and read again', () => {
    const sample = writeElf(SAMPLE);
    let survivors = 0;
    for (let at = 0; at < sample.length; at += 1) {
      for (const value of [0, 1, 0x40, 0xff]) {
        const bytes = Uint8Array.from(sample);
        bytes[at] = value;
        if (outcome(bytes) === 'refused') continue;
        survivors += 1;
        const object = readElf(bytes);
        expect(readElf(writeElf(object))).toEqual({ ...object, symbols: inFileOrder(object.symbols) });
      }
    }
    expect(survivors).toBeGreaterThan(100);
  });
});

describe('writeElf', () => {
  it.each<[string, Partial<ObjectFile>, RegExp]>([
    ['a name with NUL', { symbols: [...SAMPLE.symbols, external('a\0b')] }, /cannot be stored/],
    ['half a surrogate pair', { symbols: [...SAMPLE.symbols, external('\ud800')] }, /cannot be stored/],
    ['a doubled section', { sections: [code(''), code('')] }, /'.text' is taken/],
    ['a section called absolute', { sections: [code('', { name: 'absolute' })] }, /'absolute' is taken/],
    ['a wrong size', { sections: [code('00', { size: 2 })] }, /1 bytes of content, not 2/],
    ['zero memory with bytes', { sections: [code('00', { kind: 'zero' })] }, /1 bytes of content, not 0/],
    ['code that cannot run', { sections: [code('00', { executable: false })] }, /not executable/],
    ['a missing symbol', { symbols: [] }, /symbol alpha is not in the symbol table/],
    ['a doubled global', { symbols: [...SAMPLE.symbols, external('outer')] }, /duplicate symbol outer/],
    ['a missing section', { sections: [] }, /its section .text does not exist/],
    ['a local external', { symbols: [{ ...external('x'), binding: 'local' }] }, /external and local/],
    ['a nameless symbol', { symbols: [external('')] }, /it has no name/],
  ])('refuses %s', (_, change, message) => {
    expect(() => writeElf({ ...SAMPLE, ...change })).toThrow(message);
  });
});
