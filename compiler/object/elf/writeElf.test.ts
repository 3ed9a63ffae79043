import { describe, expect, it } from 'vitest';
import type { ObjectFile } from '../model.ts';
import { sectionSymbol } from '../testing/arbitrary.ts';
import { code, external, headerOf, local, SAMPLE } from '../testing/surgery.ts';
import { writeElf } from './writeElf.ts';

describe('writeElf', () => {
  it('aligns contents in the file and says where the global symbols start', () => {
    const sections = [
      code('00', { alignment: 1 }),
      code('11', { name: '.eight', alignment: 8 }),
      code('22', { name: '.huge', alignment: 2 ** 20 }),
    ];
    const symbols = [external('first'), local('second', 0)];
    const bytes = writeElf({ name: 'sample', sections, symbols });
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const table = view.getUint32(32, true);
    const offsets = [1, 2, 3].map((index) => view.getUint32(table + 40 * index + 16, true));
    expect(offsets.map((offset) => bytes[offset])).toEqual([0, 0x11, 0x22]);
    expect([offsets[1]! % 8, offsets[2]! % 16, bytes.length < 1000]).toEqual([0, 0, true]);
    // null, file and `second` come before `first`
    expect(view.getUint32(headerOf(bytes, 2) + 28, true)).toBe(3);
  });

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
    [
      'a name for two symbols',
      { symbols: [...SAMPLE.symbols, local('alpha', 8)] },
      /2 symbols are named alpha/,
    ],
    [
      'a section symbol with a namesake',
      { symbols: [...SAMPLE.symbols, sectionSymbol('.text'), local('.text', 4)] },
      /section symbol .text shares its name/,
    ],
    ['a missing section', { sections: [] }, /its section .text does not exist/],
    ['a local external', { symbols: [{ ...external('x'), binding: 'local' }] }, /external and local/],
    ['a nameless symbol', { symbols: [external('')] }, /it has no name/],
  ])('refuses %s', (_, change, message) => {
    expect(() => writeElf({ ...SAMPLE, ...change })).toThrow(message);
  });
});
