import type { ObjectFile, ObjectSymbol } from './model.ts';
import { relocationRow } from './relocate.ts';

/** What an inspection of an object prints, field names as in the JSON [S]. */
export interface ObjectSummary {
  readonly architecture: 'Colossus';
  /** Names in file order; the file's own tables (symbols, names, relocations) are not part of a model. */
  readonly sections: readonly string[];
  /** Sorted. Functions and objects of a section, and untyped symbols with a size. */
  readonly defined_symbols: readonly string[];
  /** Sorted. */
  readonly undefined_symbols: readonly string[];
  /** ELF numbers, sorted, each once. */
  readonly relocation_types: readonly number[];
}

export function summarize(object: ObjectFile): ObjectSummary {
  const types = object.sections.flatMap((section) => section.relocations.map(({ type }) => type));
  return {
    architecture: 'Colossus',
    sections: object.sections.map((section) => section.name),
    defined_symbols: namesOf(object.symbols.filter(isDefinition)),
    undefined_symbols: namesOf(object.symbols.filter((symbol) => symbol.section === undefined)),
    relocation_types: [...new Set(types)].map((type) => relocationRow(type).number).sort((a, b) => a - b),
  };
}

/** Absolute symbols count neither as defined nor as undefined. */
function isDefinition({ section, kind, size }: ObjectSymbol): boolean {
  if (section === undefined || section === 'absolute') return false;
  return kind === 'function' || kind === 'object' || (kind === 'none' && size > 0);
}

const namesOf = (symbols: readonly ObjectSymbol[]): string[] => symbols.map(({ name }) => name).sort();
