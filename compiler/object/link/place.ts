import { EXECUTABLE_END } from '../../../device/ipu21/index.ts';
import { hex, LinkError } from '../errors.ts';
import type { PlacementPlan, Region } from './placement.ts';
import type { InputObject, InputSection } from './symbols.ts';

export interface PlacedSection extends InputSection {
  readonly address: number;
  readonly region: Region;
}

/** Fills regions upwards and never goes back, not even when a later section would fit below [S]. */
class Cursor {
  readonly #regions: readonly Region[];
  #index = 0;
  #next: number;

  constructor(regions: readonly Region[]) {
    this.#regions = regions;
    this.#next = regions[0]!.start;
  }

  /** Takes the first place for `size` bytes that ends at or below `limit`; undefined when none is left. */
  take(size: number, alignment: number, limit: number): { address: number; region: Region } | undefined {
    for (;;) {
      const region = this.#regions[this.#index];
      if (region === undefined) return undefined;
      const address = Math.ceil(this.#next / alignment) * alignment;
      if (address + size <= Math.min(region.end, limit)) {
        this.#next = address + size;
        return { address, region };
      }
      this.#index += 1;
      this.#next = this.#regions[this.#index]?.start ?? 0;
    }
  }
}

/**
 * Gives every kept section its address: objects in order, sections in file order, addresses aligned
 * absolutely. Notes and empty sections take no memory. Executable sections end at or below 0x80000, where
 * instruction fetch ends.
 *
 * @throws LinkError 'no-room' or 'not-executable'
 */
export function placeSections(
  objects: readonly InputObject[],
  kept: ReadonlySet<InputSection>,
  plan: PlacementPlan,
): Map<InputSection, PlacedSection> {
  const code = new Cursor(plan.code);
  const data = plan.data === plan.code ? code : new Cursor(plan.data);
  const placed = new Map<InputSection, PlacedSection>();
  for (const object of objects) {
    for (const input of object.sections.values()) {
      const { kind, size, alignment, executable } = input.section;
      if (!kept.has(input) || kind === 'note' || size === 0) continue;
      const place = executable
        ? code.take(size, alignment, EXECUTABLE_END)
        : data.take(size, alignment, Number.POSITIVE_INFINITY);
      if (place === undefined) throw noRoom(input, executable ? plan.code : plan.data);
      placed.set(input, { ...input, ...place });
    }
  }
  return placed;
}

function noRoom({ object, section }: InputSection, regions: readonly Region[]): LinkError {
  const list = regions.map(({ start, end }) => `${hex(start)}..${hex(end)}`).join(', ');
  const facts = { section: section.name, size: section.size, alignment: section.alignment };
  const wanted = `section ${section.name}, ${section.size} bytes aligned to ${section.alignment}`;
  return section.executable && regions.some(({ end }) => end > EXECUTABLE_END)
    ? new LinkError(
        'not-executable',
        [object.name],
        `${wanted}, does not fit below ${hex(EXECUTABLE_END)} where code executes; regions: ${list}`,
        facts,
      )
    : new LinkError('no-room', [object.name], `${wanted}, does not fit into what is left of ${list}`, facts);
}
