import { ObjectError } from '../errors.ts';
import type { ObjectSymbol, Relocation } from '../model.ts';
import { relocationTypeOf } from '../relocate.ts';
import { RELA_BYTES } from './format.ts';
import type { RawSection } from './sectionHeaders.ts';
import type { SymbolTable } from './symbols.ts';

/**
 * Reads the records of one RELA section. ELF refers to symbols by number, the model by name: where several
 * symbols share a name, a record is rewritten to the symbol's section plus its value, as assemblers do for
 * local labels. `used` collects the section symbols that records need.
 */
export function readRelocations(
  rela: RawSection,
  symbols: SymbolTable,
  carriers: ReadonlyMap<string, number>,
  used: Set<string>,
  object: string,
): Relocation[] {
  if (rela.entryBytes !== RELA_BYTES || rela.content.length % RELA_BYTES !== 0) {
    throw new ObjectError(object, `${rela.name}: ${rela.size} bytes with entries of ${rela.entryBytes}`);
  }
  const view = new DataView(rela.content.buffer, rela.content.byteOffset, rela.content.byteLength);
  return Array.from({ length: rela.content.length / RELA_BYTES }, (_, index) => {
    const at = index * RELA_BYTES;
    const offset = view.getUint32(at, true);
    const info = view.getUint32(at + 4, true);
    const addend = view.getInt32(at + 8, true);
    const fail = (detail: string): never => {
      throw new ObjectError(object, `${rela.name} record ${index}: ${detail}`, { offset });
    };
    const type = relocationTypeOf(info & 0xff) ?? fail(`unknown Colossus relocation ${info & 0xff}`);
    const number = info >>> 8;
    if (number === 0) {
      return type === 'NONE' ? { offset, type, symbol: '', addend } : fail('it names no symbol');
    }
    const symbol = symbols.entries[number] ?? fail(`symbol ${number} is not in the symbol table`);
    if (typeof symbol === 'string') return fail(`symbol ${number}: ${symbol}`);
    const target = byName(symbol, carriers);
    if (target === undefined) return fail(`several symbols are named ${symbol.name}`);
    if (target.kind === 'section') used.add(target.name);
    return { offset, type, symbol: target.name, addend: addend + target.offset };
  });
}

function byName(
  symbol: ObjectSymbol,
  carriers: ReadonlyMap<string, number>,
): { name: string; offset: number; kind: 'section' | 'named' } | undefined {
  if (symbol.kind !== 'section' && carriers.get(symbol.name) === 1) {
    return { name: symbol.name, offset: 0, kind: 'named' };
  }
  const section = symbol.section;
  if (section === undefined || section === 'absolute' || carriers.has(section)) return undefined;
  return { name: section, offset: symbol.value, kind: 'section' };
}
