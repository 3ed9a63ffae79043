import { LinkError } from '../errors.ts';
import { type Definition, definitionOf, type InputObject, type InputSection, sectionOf } from './symbols.ts';

/**
 * Sections that the roots lead to through relocations; all sections when there is no root.
 *
 * @throws LinkError 'missing-retained-symbol' for a root that no object defines.
 */
export function reachable(
  objects: readonly InputObject[],
  roots: readonly string[],
  globals: ReadonlyMap<string, Definition>,
): ReadonlySet<InputSection> {
  if (roots.length === 0) return new Set(objects.flatMap((object) => [...object.sections.values()]));
  const reached = new Set<InputSection>();
  const waiting: InputSection[] = [];
  const visit = (definition: Definition | undefined): void => {
    const section = definition && sectionOf(definition);
    if (section === undefined || reached.has(section)) return;
    reached.add(section);
    waiting.push(section);
  };
  for (const root of roots) {
    const definition = globals.get(root);
    if (definition === undefined) {
      throw new LinkError('missing-retained-symbol', [], `missing retained symbol ${root}`, { symbol: root });
    }
    visit(definition);
  }
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const { symbol } of from.section.relocations) visit(definitionOf(from.object, symbol, globals));
  }
  return reached;
}
