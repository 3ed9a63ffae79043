import { describe, expect, it } from 'vitest';
import { ObjectError } from '../errors.ts';
import { contentOf, external, headerOf, many, patched, SAMPLE } from '../testing/surgery.ts';
import { readElf } from './readElf.ts';
import { writeElf } from './writeElf.ts';

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

  it('many sections that share one long name are refused', () => {
    const object = { ...many(400), symbols: [external('x')] };
    object.sections = object.sections.map((section, index) =>
      index ? section : { ...section, name: 'z'.repeat(9000) },
    );
    const bytes = patched((view) => {
      const table = view.getUint32(32, true);
      for (let index = 1; index <= 400; index += 1) view.setUint32(table + 40 * index, 1, true);
    }, object);
    expect(() => readElf(bytes)).toThrow(/too many sections share long names/);
  });
});
