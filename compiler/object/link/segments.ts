import type { PlacedSection } from './place.ts';

/** Memory from `address` on: `bytes`, then zeros up to `memorySize`. */
export interface LinkedSegment {
  readonly address: number;
  readonly bytes: Uint8Array;
  readonly memorySize: number;
}

/**
 * Joins placed sections to maximal runs. Alignment gaps inside a region become zeros; between regions a
 * segment goes on only when one section ends where the next begins. Zero memory at the end of a segment has
 * no bytes.
 */
export function segmentsOf(contents: ReadonlyMap<PlacedSection, Uint8Array>): LinkedSegment[] {
  const sorted = [...contents].sort(([a], [b]) => a.address - b.address);
  const runs: (typeof sorted)[] = [];
  for (const entry of sorted) {
    const run = runs.at(-1);
    const last = run?.at(-1)?.[0];
    const joins =
      last !== undefined &&
      (last.region === entry[0].region || last.address + last.section.size === entry[0].address);
    if (run !== undefined && joins) run.push(entry);
    else runs.push([entry]);
  }
  return runs.map((run) => {
    const address = run[0]![0].address;
    const stored = run.reduce(
      (end, [{ address: start }, content]) => (content.length > 0 ? start + content.length - address : end),
      0,
    );
    const bytes = new Uint8Array(stored);
    for (const [{ address: start }, content] of run) {
      // zero memory may lie behind the last stored byte
      if (content.length > 0) bytes.set(content, start - address);
    }
    const last = run.at(-1)![0];
    return { address, bytes, memorySize: last.address + last.section.size - address };
  });
}
