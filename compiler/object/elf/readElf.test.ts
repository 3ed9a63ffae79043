import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyObject, sectionSymbol } from '../testing/arbitrary.ts';
import { FOREIGN_ELF } from '../testing/foreign.ts';
import { code, contentOf, external, headerOf, local, patched, SAMPLE } from '../testing/surgery.ts';
import { readElf } from './readElf.ts';
import { inFileOrder, writeElf } from './writeElf.ts';

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

  it('refuses to do so when the section shares its name with a symbol', () => {
    const object = { ...SAMPLE, symbols: [...SAMPLE.symbols, { ...external('.text'), section: 'absolute' }] };
    const bytes = patched(
      (_, file) => file.set(Buffer.from('alpha'), Buffer.from(file.buffer).indexOf('bravo')),
      object,
    );
    expect(() => readElf(bytes)).toThrow(/record 0: several symbols are named alpha/);
  });

  it('keeps the first of several file and section symbols', () => {
    const FILE = 4;
    const SECTION = 3;
    const object = {
      ...SAMPLE,
      sections: [code('0000')],
      symbols: [sectionSymbol('.text'), local('alpha', 0), local('bravo', 0)],
    };
    const bytes = patched((view, file) => {
      const symbols = contentOf(file, 2);
      view.setUint8(symbols + 3 * 16 + 12, SECTION);
      view.setUint8(symbols + 4 * 16 + 12, FILE);
    }, object);
    expect(readElf(bytes)).toEqual({ ...object, symbols: [sectionSymbol('.text')] });
    expect(readElf(bytes, 'given').name).toBe('given');
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
