import { ObjectError } from '../errors.ts';
import type { ObjectFile, ObjectSection, ObjectSymbol } from '../model.ts';
import { relocationRow } from '../relocate.ts';
import { verifyObject } from '../verify.ts';
import {
  RELA_BYTES,
  SECTION_FLAG,
  SECTION_INDEX,
  SECTION_TYPE,
  SYMBOL_BINDING,
  SYMBOL_BYTES,
  SYMBOL_TYPE,
  SYMBOL_TYPE_FILE,
} from './format.ts';
import { layOut, type Pending } from './layout.ts';
import { StringWriter } from './names.ts';

/** Symbol numbers in relocation records have 24 bits. */
const SYMBOL_LIMIT = 2 ** 24;

/** ELF wants local symbols before all others; both groups keep their order. */
export const inFileOrder = (symbols: readonly ObjectSymbol[]): ObjectSymbol[] => [
  ...symbols.filter((symbol) => symbol.binding === 'local'),
  ...symbols.filter((symbol) => symbol.binding !== 'local'),
];

/**
 * Writes a relocatable ELF32 file of the Colossus. Reading it gives the same model with its symbols
 * `inFileOrder`; equal models give equal bytes. The object's name is stored as a file symbol.
 *
 * @throws ObjectError when the model breaks a rule or a name cannot be stored.
 */
export function writeElf(object: ObjectFile): Uint8Array {
  verifyObject(object);
  const strings = new StringWriter(object.name);
  const symbols = inFileOrder(object.symbols);
  /** ELF numbers: the null symbol, the file symbol, then the model's. */
  const first = object.name === '' ? 1 : 2;
  if (first + symbols.length > SYMBOL_LIMIT) throw new ObjectError(object.name, 'too many symbols');
  const numbers = new Map(symbols.map((symbol, index) => [symbol.name, first + index]));
  const sectionIndex = new Map(object.sections.map((section, index) => [section.name, 1 + index]));

  const own = object.sections.map(
    (section): Pending => ({
      name: section.name,
      type: section.kind === 'zero' ? SECTION_TYPE.nobits : SECTION_TYPE.progbits,
      flags: flagsOf(section),
      content: section.bytes,
      size: section.size,
      alignment: section.alignment,
    }),
  );
  const patched = object.sections.filter((section) => section.relocations.length > 0);
  const symbolTableIndex = 1 + own.length + patched.length;
  const relas = patched.map(
    (section): Pending => ({
      name: `.rela${section.name}`,
      type: SECTION_TYPE.rela,
      flags: SECTION_FLAG.infoLink,
      content: relocationBytes(section, numbers),
      link: symbolTableIndex,
      info: sectionIndex.get(section.name)!,
      alignment: 4,
      entryBytes: RELA_BYTES,
    }),
  );
  const symbolTable: Pending = {
    name: '.symtab',
    type: SECTION_TYPE.symtab,
    content: symbolBytes(object.name, symbols, sectionIndex, strings),
    link: symbolTableIndex + 1,
    info: first + symbols.filter((symbol) => symbol.binding === 'local').length,
    alignment: 4,
    entryBytes: SYMBOL_BYTES,
  };
  return layOut(object.name, [
    ...own,
    ...relas,
    symbolTable,
    { name: '.strtab', type: SECTION_TYPE.strtab, content: strings.bytes(), alignment: 1 },
  ]);
}

function flagsOf(section: ObjectSection): number {
  return (
    (section.kind === 'note' ? 0 : SECTION_FLAG.alloc) +
    (section.writable ? SECTION_FLAG.write : 0) +
    (section.executable ? SECTION_FLAG.execute : 0)
  );
}

function relocationBytes(section: ObjectSection, numbers: ReadonlyMap<string, number>): Uint8Array {
  const bytes = new Uint8Array(section.relocations.length * RELA_BYTES);
  const view = new DataView(bytes.buffer);
  section.relocations.forEach(({ offset, type, symbol, addend }, index) => {
    const number = symbol === '' ? 0 : numbers.get(symbol)!;
    view.setUint32(index * RELA_BYTES, offset, true);
    view.setUint32(index * RELA_BYTES + 4, number * 256 + relocationRow(type).number, true);
    view.setInt32(index * RELA_BYTES + 8, addend, true);
  });
  return bytes;
}

function symbolBytes(
  fileName: string,
  symbols: readonly ObjectSymbol[],
  sectionIndex: ReadonlyMap<string, number>,
  strings: StringWriter,
): Uint8Array {
  const first = fileName === '' ? 1 : 2;
  const bytes = new Uint8Array((first + symbols.length) * SYMBOL_BYTES);
  const view = new DataView(bytes.buffer);
  const put = (number: number, name: string, value: number, size: number, info: number, section: number) => {
    const at = number * SYMBOL_BYTES;
    view.setUint32(at, strings.add(name), true);
    view.setUint32(at + 4, value, true);
    view.setUint32(at + 8, size, true);
    view.setUint8(at + 12, info);
    view.setUint16(at + 14, section, true);
  };
  if (fileName !== '') put(1, fileName, 0, 0, SYMBOL_TYPE_FILE, SECTION_INDEX.absolute);
  symbols.forEach((symbol, index) => {
    const section =
      symbol.section === undefined
        ? SECTION_INDEX.undefined
        : symbol.section === 'absolute'
          ? SECTION_INDEX.absolute
          : sectionIndex.get(symbol.section)!;
    const info = SYMBOL_BINDING[symbol.binding] * 16 + SYMBOL_TYPE[symbol.kind];
    const name = symbol.kind === 'section' ? '' : symbol.name;
    put(first + index, name, symbol.value, symbol.size, info, section);
  });
  return bytes;
}
