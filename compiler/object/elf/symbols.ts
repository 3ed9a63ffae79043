import { ObjectError } from '../errors.ts';
import type { ObjectSymbol } from '../model.ts';
import { SECTION_INDEX, SYMBOL_BINDING, SYMBOL_BYTES, SYMBOL_TYPE, SYMBOL_TYPE_FILE } from './format.ts';
import { StringReader } from './names.ts';
import type { RawSection } from './sectionHeaders.ts';

/** The symbol table of a file: entry i is what ELF symbol i means, or why no relocation may use it. */
export interface SymbolTable {
  readonly entries: readonly (ObjectSymbol | string)[];
  /** Name of the source file, when the table says. */
  readonly fileName: string | undefined;
}

const KINDS = new Map(
  Object.entries(SYMBOL_TYPE).map(([kind, type]) => [type as number, kind as ObjectSymbol['kind']]),
);
const BINDINGS = new Map(
  Object.entries(SYMBOL_BINDING).map(([name, bits]) => [bits as number, name as ObjectSymbol['binding']]),
);

/**
 * Reads a symbol table. `sectionNames` has the model's name of every section index that the model keeps.
 * File symbols, common symbols, nameless ones and those of dropped sections (symbol tables, groups) become no
 * symbol of the model; only a relocation that uses one is an error.
 */
export function readSymbols(
  table: RawSection,
  strings: Uint8Array,
  sectionNames: ReadonlyMap<number, string>,
  object: string,
): SymbolTable {
  if (table.entryBytes !== SYMBOL_BYTES || table.content.length % SYMBOL_BYTES !== 0) {
    throw new ObjectError(object, `symbol table of ${table.size} bytes with entries of ${table.entryBytes}`);
  }
  const names = new StringReader(object, strings);
  const view = new DataView(table.content.buffer, table.content.byteOffset, table.content.byteLength);
  let fileName: string | undefined;

  const entry = (index: number): ObjectSymbol | string => {
    const at = index * SYMBOL_BYTES;
    const info = view.getUint8(at + 12);
    const sectionIndex = view.getUint16(at + 14, true);
    const name = names.at(view.getUint32(at, true));
    if ((info & 15) === SYMBOL_TYPE_FILE) {
      fileName ??= name;
      return 'it is a file symbol';
    }
    if (sectionIndex === SECTION_INDEX.common) return 'relocation symbol has no section';
    const kind = KINDS.get(info & 15);
    const binding = BINDINGS.get(info >> 4);
    if (kind === undefined || binding === undefined) {
      throw new ObjectError(
        object,
        `symbol ${index} ${name}: unsupported type and binding 0x${info.toString(16)}`,
      );
    }
    const section = sectionOf(sectionIndex);
    if (section === null) return 'its section is not part of the program';
    const shown = kind === 'section' && typeof section === 'string' ? section : name;
    if (shown === '') return 'it has no name';
    const [value, size] = [view.getUint32(at + 4, true), view.getUint32(at + 8, true)];
    return { name: shown, section, value, size, kind, binding };
  };

  /** The model's section of a symbol; null when the model dropped that section. */
  const sectionOf = (index: number): string | undefined | null => {
    if (index === SECTION_INDEX.undefined) return undefined;
    if (index === SECTION_INDEX.absolute) return 'absolute';
    if (index >= SECTION_INDEX.reserved) {
      throw new ObjectError(object, `symbol section index 0x${index.toString(16)} is not supported`);
    }
    return sectionNames.get(index) ?? null;
  };

  const count = table.content.length / SYMBOL_BYTES;
  const entries = Array.from({ length: count }, (_, index) =>
    index === 0 ? 'it is no symbol' : entry(index),
  );
  return { entries, fileName };
}
