import { inflateSync } from 'node:zlib';
import { ObjectError } from '../errors.ts';
import type { ObjectFile, ObjectSection, ObjectSymbol, Relocation } from '../model.ts';
import { verifyObject } from '../verify.ts';
import { COMPRESSION_HEADER_BYTES, COMPRESSION_ZLIB, SECTION_FLAG, SECTION_TYPE } from './format.ts';
import { readRelocations } from './relocations.ts';
import { type RawSection, readSectionHeaders } from './sectionHeaders.ts';
import { readSymbols, type SymbolTable } from './symbols.ts';

/** Most bytes that the compressed sections of one file may inflate to. */
const INFLATED_LIMIT = 16 * 1024 * 1024;

/** Section types that describe the file and are no sections of the model. */
const BOOKKEEPING: ReadonlySet<number> = new Set([
  SECTION_TYPE.null,
  SECTION_TYPE.symtab,
  SECTION_TYPE.strtab,
  SECTION_TYPE.rela,
  SECTION_TYPE.group,
]);

const NO_SYMBOLS: SymbolTable = { entries: [], fileName: undefined };

/**
 * Reads a relocatable ELF32 file of the Colossus. Anything else - another machine, a cut or hostile file -
 * throws one `ObjectError`; memory and time stay in proportion to the file. The result holds copies, so the
 * file's bytes may be reused.
 *
 * Names become unique: a second section `.a` is called `.a#2`, and so on.
 *
 * @param name of the object in messages and maps; by default the source name the file carries, or ''.
 */
export function readElf(bytes: Uint8Array, name?: string): ObjectFile {
  const shown = name ?? 'object';
  const raw = readSectionHeaders(bytes, shown);
  for (const { type, name: section } of raw) {
    if (type === SECTION_TYPE.rel || type === SECTION_TYPE.symtabShndx) {
      throw new ObjectError(shown, `section ${section}: records of ELF type ${type} are not supported`);
    }
  }
  const kept = raw.filter((section) => !BOOKKEEPING.has(section.type));
  const sectionNames = uniqueNames(kept, bytes.length, shown);
  const table = symbolTable(raw, sectionNames, shown);
  const symbols = table.entries.filter((entry) => typeof entry !== 'string');

  const carriers = new Map<string, number>();
  for (const symbol of symbols) {
    if (symbol.kind !== 'section') carriers.set(symbol.name, (carriers.get(symbol.name) ?? 0) + 1);
  }
  const used = new Set<string>();
  const relocations = new Map<number, Relocation[]>();
  for (const rela of raw) {
    if (rela.type !== SECTION_TYPE.rela) continue;
    if (!sectionNames.has(rela.info)) throw new ObjectError(shown, `${rela.name} patches no section`);
    if (raw[rela.link]?.type !== SECTION_TYPE.symtab) {
      throw new ObjectError(shown, `${rela.name} has no symbol table`);
    }
    const known = relocations.get(rela.info) ?? [];
    for (const record of readRelocations(rela, table, carriers, used, shown)) known.push(record);
    relocations.set(rela.info, known);
  }

  let inflated = 0;
  const sections = kept.map((section) => {
    const content = contentOf(section, INFLATED_LIMIT - inflated, shown);
    if (section.flags & SECTION_FLAG.compressed) inflated += content.length;
    return toModel(section, sectionNames.get(section.index)!, content, relocations.get(section.index) ?? []);
  });
  const object = {
    name: name ?? table.fileName ?? '',
    sections,
    symbols: withSectionSymbols(symbols, carriers, used),
  };
  verifyObject(object);
  return object;
}

function symbolTable(
  raw: readonly RawSection[],
  sectionNames: ReadonlyMap<number, string>,
  object: string,
): SymbolTable {
  const tables = raw.filter((section) => section.type === SECTION_TYPE.symtab);
  if (tables.length > 1) throw new ObjectError(object, 'there are several symbol tables');
  const table = tables[0];
  if (table === undefined) return NO_SYMBOLS;
  const strings = raw[table.link];
  if (strings?.type !== SECTION_TYPE.strtab) throw new ObjectError(object, 'the symbols have no names');
  return readSymbols(table, strings.content, sectionNames, object);
}

/**
 * Model names by section index. `limit` bounds the text made for repeated names: short ones such as
 * `.stack_sizes` always fit, since each has a header in the file.
 */
function uniqueNames(sections: readonly RawSection[], limit: number, object: string): Map<number, string> {
  let repeated = 0;
  const taken = new Set(['', 'absolute']);
  const last = new Map<string, number>();
  return new Map(
    sections.map(({ index, name }) => {
      let unique = name;
      if (taken.has(name)) repeated += name.length;
      if (repeated > limit) throw new ObjectError(object, 'too many sections share long names');
      while (taken.has(unique)) {
        const next = (last.get(name) ?? 1) + 1;
        last.set(name, next);
        unique = `${name}#${next}`;
      }
      taken.add(unique);
      return [index, unique];
    }),
  );
}

function contentOf(section: RawSection, limit: number, object: string): Uint8Array {
  // not slice(), which returns a view when the file is a Buffer
  if ((section.flags & SECTION_FLAG.compressed) === 0) return new Uint8Array(section.content);
  const view = new DataView(section.content.buffer, section.content.byteOffset, section.content.byteLength);
  const fail = (detail: string): never => {
    throw new ObjectError(object, `compressed section ${section.name}: ${detail}`);
  };
  if (view.byteLength < COMPRESSION_HEADER_BYTES) fail('it ends inside its header');
  if (view.getUint32(0, true) !== COMPRESSION_ZLIB) fail('the compression is not zlib');
  const size = view.getUint32(4, true);
  if (size > limit) fail(`it inflates to ${size} bytes, more than the ${limit} allowed`);
  let content: Uint8Array;
  try {
    content = inflateSync(section.content.subarray(COMPRESSION_HEADER_BYTES), {
      maxOutputLength: Math.max(size, 1),
    });
  } catch {
    return fail('it does not inflate to its declared size');
  }
  if (content.length !== size) fail('it does not inflate to its declared size');
  return new Uint8Array(content);
}

function toModel(
  section: RawSection,
  name: string,
  bytes: Uint8Array,
  relocations: readonly Relocation[],
): ObjectSection {
  const executable = (section.flags & SECTION_FLAG.execute) !== 0;
  const compressed = (section.flags & SECTION_FLAG.compressed) !== 0;
  return {
    name,
    kind: kindOf(section, executable),
    writable: (section.flags & SECTION_FLAG.write) !== 0,
    executable,
    alignment: section.alignment || 1,
    size: compressed ? bytes.length : section.size,
    bytes,
    relocations,
  };
}

/** Only allocated PROGBITS and NOBITS reach an image [S]. */
function kindOf(section: RawSection, executable: boolean): ObjectSection['kind'] {
  if ((section.flags & SECTION_FLAG.alloc) === 0) return 'note';
  if (section.type === SECTION_TYPE.nobits) return 'zero';
  if (section.type !== SECTION_TYPE.progbits) return 'note';
  return executable ? 'code' : 'data';
}

/** The symbols without doubled or ambiguous section symbols, and with those that records need. */
function withSectionSymbols(
  symbols: readonly ObjectSymbol[],
  carriers: ReadonlyMap<string, number>,
  used: ReadonlySet<string>,
): ObjectSymbol[] {
  const seen = new Set<string>();
  const kept = symbols.filter((symbol) => {
    if (symbol.kind !== 'section') return true;
    if (carriers.has(symbol.name) || seen.has(symbol.name)) return false;
    seen.add(symbol.name);
    return true;
  });
  const missing = [...used].filter((name) => !seen.has(name));
  return [
    ...missing.map(
      (name): ObjectSymbol => ({
        name,
        section: name,
        value: 0,
        size: 0,
        kind: 'section',
        binding: 'local',
      }),
    ),
    ...kept,
  ];
}
