import fc from 'fast-check';
import type { ObjectFile, ObjectSection, ObjectSymbol } from '../model.ts';
import { RELOCATION_TYPES } from '../relocationTypes.ts';

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !text.includes('\0') && text !== 'absolute');

const u32 = fc.oneof(fc.nat(64), fc.nat(0xffffffff));

function section(sectionName: string): fc.Arbitrary<Omit<ObjectSection, 'relocations'>> {
  return fc
    .record({
      kind: fc.constantFrom('code', 'data', 'zero', 'note'),
      writable: fc.boolean(),
      flag: fc.boolean(),
      shift: fc.nat(31),
      bytes: fc.uint8Array({ maxLength: 40 }),
      zeros: u32,
    })
    .map(({ kind, writable, flag, shift, bytes, zeros }) => ({
      name: sectionName,
      kind,
      writable,
      executable: kind === 'code' || (kind !== 'data' && flag),
      alignment: 2 ** shift,
      size: kind === 'zero' ? zeros : bytes.length,
      bytes: kind === 'zero' ? new Uint8Array(0) : Uint8Array.from(bytes),
    }));
}

/** One symbol of any kind but `section`. */
function symbol(symbolName: string, sections: readonly string[]): fc.Arbitrary<ObjectSymbol> {
  return fc
    .record({
      section: fc.constantFrom(undefined, 'absolute', ...sections),
      value: u32,
      size: u32,
      kind: fc.constantFrom('none', 'object', 'function'),
      binding: fc.constantFrom('local', 'global', 'weak'),
    })
    .map((fields) => ({
      ...fields,
      name: symbolName,
      binding: fields.section === undefined && fields.binding === 'local' ? 'global' : fields.binding,
    }));
}

/** Any legal object: odd names, every kind of section, symbol and relocation. */
export const anyObject: fc.Arbitrary<ObjectFile> = fc
  .record({
    object: fc.oneof(fc.constant(''), name),
    names: fc.uniqueArray(name, { maxLength: 12 }),
    split: fc.nat(6),
    withSectionSymbol: fc.boolean(),
  })
  .chain(({ object, names, split, withSectionSymbol }) => {
    const sectionNames = names.slice(0, split);
    const symbolNames = names.slice(split);
    return fc
      .tuple(
        fc.tuple(...sectionNames.map(section)),
        fc.tuple(...symbolNames.map((symbolName) => symbol(symbolName, sectionNames))),
      )
      .chain(([sections, symbols]) => {
        const own = withSectionSymbol && sectionNames.length > 0 ? [sectionSymbol(sectionNames[0]!)] : [];
        const all = [...own, ...symbols];
        const relocation = fc.record({
          offset: u32,
          type: fc.constantFrom(...RELOCATION_TYPES.map((row) => row.name)),
          symbol: fc.constantFrom('', ...all.map((entry) => entry.name)),
          addend: fc.integer(),
        });
        const legal = relocation.map((record) =>
          record.symbol === '' ? { ...record, type: 'NONE' as const } : record,
        );
        return fc.tuple(...sections.map(() => fc.array(legal, { maxLength: 4 }))).map((relocations) => ({
          name: object,
          sections: sections.map((fields, index) => ({ ...fields, relocations: relocations[index]! })),
          symbols: all,
        }));
      });
  });

export const sectionSymbol = (sectionName: string): ObjectSymbol => ({
  name: sectionName,
  section: sectionName,
  value: 0,
  size: 0,
  kind: 'section',
  binding: 'local',
});
