import type { PlacedSection } from './place.ts';
import type { InputObject, InputSection } from './symbols.ts';

const hex8 = (value: number): string => `0x${value.toString(16).padStart(8, '0')}`;

/** The link map: sections by address, symbols by value then name, dropped sections in input order. */
export function mapText(
  objects: readonly InputObject[],
  placed: ReadonlyMap<InputSection, PlacedSection>,
  symbols: ReadonlyMap<string, number>,
): string {
  const sections = [...placed.values()].sort((a, b) => a.address - b.address);
  const dropped = objects
    .flatMap((object) => [...object.sections.values()])
    .filter((input) => !placed.has(input) && input.section.kind !== 'note' && input.section.size > 0);
  const values = [...symbols].sort((a, b) => a[1] - b[1]);
  return [
    'address     size        kind  section (object)',
    ...sections.map(
      ({ address, section, object }) =>
        `${hex8(address)}  ${hex8(section.size)}  ${section.kind}  ${section.name} (${object.name})`,
    ),
    '',
    'value       symbol',
    ...values.map(([name, value]) => `${value < 0 ? value : hex8(value)}  ${name}`),
    ...(dropped.length > 0 ? ['', 'dropped'] : []),
    ...dropped.map(({ section, object }) => `${section.name} (${object.name})`),
    '',
  ].join('\n');
}
