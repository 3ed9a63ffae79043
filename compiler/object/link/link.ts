import { LinkError, RelocationError } from '../errors.ts';
import type { ObjectFile } from '../model.ts';
import { relocate, relocationRow, valueRange } from '../relocate.ts';
import { verifyObject } from '../verify.ts';
import { mapText } from './mapText.ts';
import { type PlacedSection, placeSections } from './place.ts';
import { type Placement, planPlacement } from './placement.ts';
import { reachable } from './reach.ts';
import { type LinkedSegment, segmentsOf } from './segments.ts';
import {
  type Definition,
  definitionOf,
  globalDefinitions,
  type InputObject,
  type InputSection,
  inputObject,
  refuseSecond,
  sectionOf,
} from './symbols.ts';

export interface LinkedImage {
  readonly imageBase: number;
  /** Address of the entry symbol; undefined when none was asked for. */
  readonly entry: number | undefined;
  /** By address, disjoint. */
  readonly segments: readonly LinkedSegment[];
  /** Addresses and absolute values of all names, sorted by name. */
  readonly symbols: ReadonlyMap<string, number>;
  /** The link map as text: placed sections, symbols by address, dropped sections. */
  readonly map: string;
}

/**
 * Joins objects into one image [S]: what the roots reach is placed in order of objects and sections, then
 * patched. Equal inputs give equal images.
 *
 * Names are unique over all placed sections, local ones included, since the image has one table of them; a
 * reference to a symbol of another object sees global and weak ones only. Weak symbols have no special rights:
 * two definitions are an error, and so is a weak reference that nothing defines.
 *
 * @throws LinkError, RelocationError, or ObjectError for an object that breaks its own rules.
 */
export function link(objects: readonly ObjectFile[], placement: Placement = {}): LinkedImage {
  const plan = planPlacement(placement);
  for (const object of objects) verifyObject(object);
  const inputs = objects.map(inputObject);
  const globals = globalDefinitions(inputs);
  const kept = reachable(inputs, plan.roots, globals);
  const placed = placeSections(inputs, kept, plan);
  const externals = placement.externals ?? new Map<string, number>();
  const addresses = new Addresses(placed, globals, externals);
  const contents = new Map(
    [...placed.values()].map((input) => [input, patch(input, addresses, plan.imageBase)] as const),
  );
  const symbols = symbolTable(inputs, addresses, externals);
  return {
    imageBase: plan.imageBase,
    entry: placement.entry === undefined ? undefined : addresses.ofDefinition(globals.get(placement.entry)!),
    segments: segmentsOf(contents),
    symbols,
    map: mapText(inputs, placed, symbols),
  };
}

/** What symbols are worth once sections have addresses. */
class Addresses {
  readonly #placed: ReadonlyMap<InputSection, PlacedSection>;
  readonly #globals: ReadonlyMap<string, Definition>;
  readonly #externals: ReadonlyMap<string, number>;

  constructor(
    placed: ReadonlyMap<InputSection, PlacedSection>,
    globals: ReadonlyMap<string, Definition>,
    externals: ReadonlyMap<string, number>,
  ) {
    this.#placed = placed;
    this.#globals = globals;
    this.#externals = externals;
  }

  /** True for what the symbol table of the image lists. */
  isListed(definition: Definition): boolean {
    const { symbol } = definition;
    if (symbol.kind === 'section' || symbol.section === undefined) return false;
    const section = sectionOf(definition);
    return section === undefined ? symbol.binding !== 'local' : this.#placed.has(section);
  }

  ofDefinition(definition: Definition): number {
    const { object, symbol } = definition;
    const section = sectionOf(definition);
    if (section === undefined) return symbol.value;
    const place = this.#placed.get(section);
    if (place === undefined) {
      throw new LinkError(
        'discarded-section',
        [object.name],
        `symbol ${symbol.name} refers to discarded section ${symbol.section}`,
        { symbol: symbol.name, section: section.section.name },
      );
    }
    return place.address + symbol.value;
  }

  /** What `name` means in a relocation of `object`: own definitions first, then externals, then globals. */
  ofName(object: InputObject, name: string): number {
    const definition = definitionOf(object, name, this.#globals);
    const external = this.#externals.get(name);
    if (external !== undefined && definition?.object !== object) return external;
    if (definition === undefined) {
      throw new LinkError('undefined-symbol', [object.name], `undefined symbol ${name}`, { symbol: name });
    }
    return this.ofDefinition(definition);
  }
}

/** The section's bytes with all its relocations applied. */
function patch(input: PlacedSection, addresses: Addresses, imageBase: number): Uint8Array {
  const { object, section } = input;
  const bytes = new Uint8Array(section.bytes);
  for (const { offset, type, symbol, addend } of section.relocations) {
    if (symbol === '') continue;
    const row = relocationRow(type);
    const value = addresses.ofName(object, symbol) + addend;
    const fault = relocate(bytes, offset, row, value, imageBase);
    if (fault !== undefined) {
      const site = { object: object.name, section: section.name, offset, type, symbol, value };
      throw new RelocationError(fault, site, valueRange(row, imageBase));
    }
  }
  return bytes;
}

/** @throws LinkError 'duplicate-symbol' when a name has two meanings, local ones included. */
function symbolTable(
  objects: readonly InputObject[],
  addresses: Addresses,
  externals: ReadonlyMap<string, number>,
): Map<string, number> {
  const definitions = new Map<string, Definition>();
  for (const object of objects) {
    for (const symbol of object.file.symbols) {
      const definition = { object, symbol };
      if (!addresses.isListed(definition)) continue;
      refuseSecond(symbol.name, definitions.get(symbol.name), object);
      definitions.set(symbol.name, definition);
    }
  }
  const values = [...definitions].map(
    ([name, definition]) => [name, addresses.ofDefinition(definition)] as const,
  );
  const all = [...new Map([...values, ...externals])];
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
