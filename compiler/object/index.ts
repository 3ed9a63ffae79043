/** Relocatable objects of the Colossus: model, ELF32 files, linker. */

export { readElf } from './elf/readElf.ts';
export { writeElf } from './elf/writeElf.ts';
export * from './errors.ts';
export { type LinkedImage, link } from './link/link.ts';
export type { Placement, Region } from './link/placement.ts';
export type { LinkedSegment } from './link/segments.ts';
export type * from './model.ts';
export { RELOCATION_TYPES, type RelocationRow } from './relocationTypes.ts';
export { type ObjectSummary, summarize } from './summarize.ts';
export { verifyObject } from './verify.ts';
