import type { ObjectFile, ObjectSection, ObjectSymbol, Relocation, RelocationType } from '../model.ts';

/** Little-endian words as bytes. */
export const words = (...values: readonly number[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff)));

export const reloc = (offset: number, type: RelocationType, symbol: string, addend = 0): Relocation => ({
  offset,
  type,
  symbol,
  addend,
});

export const textSection = (
  name: string,
  bytes: Uint8Array,
  relocations: readonly Relocation[] = [],
  alignment = 4,
): ObjectSection => ({
  name,
  kind: 'code',
  writable: false,
  executable: true,
  alignment,
  size: bytes.length,
  bytes,
  relocations,
});

export const dataSection = (
  name: string,
  bytes: Uint8Array,
  alignment = 4,
  relocations: readonly Relocation[] = [],
): ObjectSection => ({
  ...textSection(name, bytes, relocations, alignment),
  kind: 'data',
  executable: false,
});

export const zeroSection = (name: string, size: number, alignment = 4): ObjectSection => ({
  ...dataSection(name, new Uint8Array(0), alignment),
  kind: 'zero',
  writable: true,
  size,
});

const symbol =
  (binding: ObjectSymbol['binding']) =>
  (name: string, section: string | undefined, value = 0): ObjectSymbol => ({
    name,
    section,
    value,
    size: 0,
    kind: 'none',
    binding,
  });

export const globalSymbol = symbol('global');
export const weakSymbol = symbol('weak');
export const localSymbol = symbol('local');
export const externalSymbol = (name: string): ObjectSymbol => globalSymbol(name, undefined);

export const object = (
  name: string,
  sections: readonly ObjectSection[],
  symbols: readonly ObjectSymbol[],
): ObjectFile => ({ name, sections, symbols });
