import { hex, ObjectError } from './errors.ts';
import type { ObjectFile, ObjectSection, ObjectSymbol } from './model.ts';
import { relocationRow } from './relocate.ts';

const isU32 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
const isI32 = (value: number): boolean => Number.isInteger(value) && (value | 0) === value;

/** True for 1, 2, 4, ..., 2^31. */
export const isAlignment = (value: number): boolean =>
  isU32(value) && value > 0 && Number.isInteger(Math.log2(value));

/**
 * The rules of an object model that its types do not say. Throws `ObjectError` for the first broken one. The
 * ELF reader, the writer and the linker all check with it, so an object from any source meets the same rules.
 */
export function verifyObject(object: ObjectFile): void {
  const sections = new Map<string, ObjectSection>();
  for (const section of object.sections) {
    if (section.name === '' || section.name === 'absolute' || sections.has(section.name)) {
      throw new ObjectError(object.name, `section name '${section.name}' is taken`, {
        section: section.name,
      });
    }
    sections.set(section.name, section);
    const broken = brokenSection(section);
    if (broken)
      throw new ObjectError(object.name, `section ${section.name}: ${broken}`, { section: section.name });
  }
  const globals = new Set<string>();
  /** How many symbols carry a name: a relocation needs exactly one. */
  const carriers = new Map<string, number>();
  for (const symbol of object.symbols) {
    const broken = brokenSymbol(symbol, sections);
    if (broken)
      throw new ObjectError(object.name, `symbol ${symbol.name}: ${broken}`, { symbol: symbol.name });
    if (symbol.binding !== 'local') {
      if (globals.has(symbol.name)) {
        throw new ObjectError(object.name, `duplicate symbol ${symbol.name}`, { symbol: symbol.name });
      }
      globals.add(symbol.name);
    }
    carriers.set(symbol.name, (carriers.get(symbol.name) ?? 0) + 1);
  }
  for (const { kind, name } of object.symbols) {
    if (kind === 'section' && carriers.get(name) !== 1) {
      throw new ObjectError(object.name, `the section symbol ${name} shares its name`, { symbol: name });
    }
  }
  for (const section of object.sections) verifyRelocations(object, section, carriers);
}

function brokenSection(section: ObjectSection): string | undefined {
  if (!isAlignment(section.alignment)) return `non-power-of-two section alignment ${section.alignment}`;
  if (!isU32(section.size)) return `size ${section.size}`;
  const stored = section.kind === 'zero' ? 0 : section.size;
  if (section.bytes.length !== stored) return `${section.bytes.length} bytes of content, not ${stored}`;
  if (section.kind === 'code' && !section.executable) return 'code that is not executable';
  if (section.kind === 'data' && section.executable) return 'data that is executable';
  return undefined;
}

function brokenSymbol(
  symbol: ObjectSymbol,
  sections: ReadonlyMap<string, ObjectSection>,
): string | undefined {
  if (symbol.name === '') return 'it has no name';
  if (!isU32(symbol.value) || !isU32(symbol.size)) return `value ${symbol.value}, size ${symbol.size}`;
  const placed = symbol.section !== undefined && symbol.section !== 'absolute';
  if (placed && !sections.has(symbol.section)) return `its section ${symbol.section} does not exist`;
  if (symbol.section === undefined && symbol.binding === 'local') return 'it is external and local at once';
  if (symbol.kind !== 'section') return undefined;
  if (symbol.name !== symbol.section) return `section symbol of ${symbol.section}`;
  if (symbol.binding !== 'local' || symbol.value !== 0) return 'a section symbol is local and has value 0';
  return undefined;
}

function verifyRelocations(
  object: ObjectFile,
  section: ObjectSection,
  carriers: ReadonlyMap<string, number>,
): void {
  for (const { offset, type, symbol, addend } of section.relocations) {
    const refuse = (detail: string): never => {
      const place = `${section.name}+${hex(offset)}`;
      throw new ObjectError(object.name, `relocation at ${place}: ${detail}`, {
        section: section.name,
        offset,
      });
    };
    const row = relocationRow(type);
    if (row === undefined) refuse(`unknown Colossus relocation ${type}`);
    if (!isU32(offset)) refuse('the offset is no 32-bit number');
    if (!isI32(addend)) refuse(`addend ${addend} has more than 32 bits`);
    if (symbol === '') {
      if (row.bytes > 0) refuse('it names no symbol');
    } else if (carriers.get(symbol) === undefined) {
      refuse(`symbol ${symbol} is not in the symbol table`);
    } else if (carriers.get(symbol)! > 1) {
      refuse(`${carriers.get(symbol)} symbols are named ${symbol}`);
    }
  }
}
