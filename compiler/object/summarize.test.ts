import { expect, it } from 'vitest';
import { readElf } from './elf/readElf.ts';
import { summarize } from './summarize.ts';
import { externalSymbol, globalSymbol, object, reloc, textSection, words } from './testing/build.ts';
import { FOREIGN_ELF } from './testing/foreign.ts';

it('summarizes a file of an outside assembler', () => {
  expect(summarize(readElf(FOREIGN_ELF))).toEqual({
    architecture: 'Colossus',
    sections: ['.text', '.text.run', '.rodata.table', '.bss', '.comment'],
    defined_symbols: ['run', 'scratch', 'table'],
    undefined_symbols: ['helper'],
    relocation_types: [4],
  });
});

it('sorts names and types, counts untyped symbols only with a size', () => {
  const text = textSection('.text', words(0, 0), [
    reloc(0, '21', 'z'),
    reloc(0, '8', 'a'),
    reloc(0, '21', 'a'),
    reloc(4, 'RUN', 'a'),
  ]);
  const symbols = [
    externalSymbol('z'),
    externalSymbol('a'),
    globalSymbol('label', '.text'),
    { ...globalSymbol('sized', '.text'), size: 4 },
    { ...globalSymbol('fixed', 'absolute', 4), kind: 'object' as const },
  ];
  expect(summarize(object('', [text], symbols))).toEqual({
    architecture: 'Colossus',
    sections: ['.text'],
    defined_symbols: ['sized'],
    undefined_symbols: ['a', 'z'],
    relocation_types: [1, 9, 17],
  });
});
