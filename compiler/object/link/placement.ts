import { ADDRESS_BITS, SRAM_BASE, SRAM_END } from '../../../device/ipu21/index.ts';
import { hex, LinkError } from '../errors.ts';

/** Byte addresses `start` (inclusive) to `end` (exclusive) of a tile. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/** Where and how objects become an image. */
export interface Placement {
  /** What relative relocations count from, and the start of the default region; default 0x4c000. */
  readonly imageBase?: number;
  /** Free memory, filled upwards; default from the image base to the end of the SRAM. */
  readonly regions?: readonly Region[];
  /** Free memory for sections that hold no code, e.g. interleaved; default: they share `regions`. */
  readonly dataRegions?: readonly Region[];
  /** Symbol at which execution starts. */
  readonly entry?: string;
  /** Symbols that stay although no relocation leads to them. Without any root everything stays. */
  readonly retained?: readonly string[];
  /** Addresses of symbols that no object defines; they win over definitions of the same name. */
  readonly externals?: ReadonlyMap<string, number>;
}

/** A placement with its defaults filled in and its rules checked. */
export interface PlacementPlan {
  readonly imageBase: number;
  readonly code: readonly Region[];
  /** The same array as `code` when data shares it. */
  readonly data: readonly Region[];
  readonly roots: readonly string[];
}

const ADDRESS_LIMIT = 2 ** ADDRESS_BITS;

/** @throws LinkError 'invalid-placement' */
export function planPlacement(placement: Placement): PlacementPlan {
  const imageBase = placement.imageBase ?? SRAM_BASE;
  if (!isAddress(imageBase)) refuse(`the image base ${imageBase} is no tile address`);
  const given = placement.regions ?? [];
  const code = sorted(given.length > 0 ? given : [{ start: imageBase, end: SRAM_END }]);
  const data = placement.dataRegions?.length ? sorted(placement.dataRegions) : code;
  const all = data === code ? code : sorted([...code, ...data]);
  all.forEach(({ start, end }, index) => {
    const text = `${hex(start)}..${hex(end)}`;
    if (!isAddress(start) || !Number.isInteger(end) || end > ADDRESS_LIMIT || start >= end) {
      refuse(`invalid region ${text}`);
    }
    if (index > 0 && start < all[index - 1]!.end) refuse(`region ${text} overlaps the one below it`);
  });
  for (const [name, value] of placement.externals ?? []) {
    if (!Number.isSafeInteger(value)) refuse(`external ${name} is ${value}, not an integer`);
  }
  const entry = placement.entry === undefined ? [] : [placement.entry];
  return { imageBase, code, data, roots: [...entry, ...(placement.retained ?? [])] };
}

const isAddress = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < ADDRESS_LIMIT;

const sorted = (regions: readonly Region[]): Region[] => [...regions].sort((a, b) => a.start - b.start);

function refuse(detail: string): never {
  throw new LinkError('invalid-placement', [], detail);
}
