import { LinkError } from '../errors.ts';
import type { ObjectFile, ObjectSection, ObjectSymbol } from '../model.ts';

/** A section of one of the objects of a link; a link compares these by identity. */
export interface InputSection {
  readonly object: InputObject;
  readonly section: ObjectSection;
}

/** An object of a link with its names indexed. */
export interface InputObject {
  readonly name: string;
  readonly file: ObjectFile;
  readonly sections: ReadonlyMap<string, InputSection>;
  /** Symbols that relocations may name. */
  readonly symbols: ReadonlyMap<string, ObjectSymbol>;
}

export interface Definition {
  readonly object: InputObject;
  readonly symbol: ObjectSymbol;
}

export function inputObject(file: ObjectFile): InputObject {
  const sections = new Map<string, InputSection>();
  const object: InputObject = {
    name: file.name,
    file,
    sections,
    symbols: new Map(file.symbols.map((symbol) => [symbol.name, symbol])),
  };
  for (const section of file.sections) sections.set(section.name, { object, section });
  return object;
}

/**
 * What every name means across objects. A name defined twice is an error, weak or not [S].
 *
 * @throws LinkError 'duplicate-symbol' naming both objects.
 */
export function globalDefinitions(objects: readonly InputObject[]): Map<string, Definition> {
  const definitions = new Map<string, Definition>();
  for (const object of objects) {
    for (const symbol of object.file.symbols) {
      if (symbol.section === undefined || symbol.binding === 'local') continue;
      refuseSecond(symbol.name, definitions.get(symbol.name), object);
      definitions.set(symbol.name, { object, symbol });
    }
  }
  return definitions;
}

export function refuseSecond(name: string, first: Definition | undefined, second: InputObject): void {
  if (first === undefined) return;
  throw new LinkError(
    'duplicate-symbol',
    [first.object.name, second.name],
    `duplicate symbol ${name}: defined by ${first.object.name} and by ${second.name}`,
    { symbol: name },
  );
}

/**
 * The definition a relocation's symbol stands for: the object's own, else the one all objects share;
 * undefined when no object defines it.
 */
export function definitionOf(
  object: InputObject,
  name: string,
  globals: ReadonlyMap<string, Definition>,
): Definition | undefined {
  const symbol = object.symbols.get(name);
  if (symbol !== undefined && symbol.section !== undefined) return { object, symbol };
  return globals.get(name);
}

/** Section of a definition; undefined for an absolute one. */
export const sectionOf = ({ object, symbol }: Definition): InputSection | undefined =>
  symbol.section === undefined || symbol.section === 'absolute'
    ? undefined
    : object.sections.get(symbol.section);
