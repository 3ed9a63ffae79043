import type { RelocationType } from './relocationTypes.ts';

/**
 * A relocatable object: what an assembler produces, an ELF32 file stores and the linker joins. All numbers
 * are bytes; values of symbols are offsets in their section, or the value itself when absolute.
 */
export interface ObjectFile {
  /** For messages and maps only, e.g. the file name. */
  readonly name: string;
  /** In file order, names unique. */
  readonly sections: readonly ObjectSection[];
  readonly symbols: readonly ObjectSymbol[];
}

export interface ObjectSection {
  readonly name: string;
  /** `code`, `data` and `zero` take memory in a linked image; a `note` never does. */
  readonly kind: 'code' | 'data' | 'zero' | 'note';
  readonly writable: boolean;
  readonly executable: boolean;
  /** Power of two, at least 1. */
  readonly alignment: number;
  readonly size: number;
  /** `size` bytes, little-endian words; empty for `zero`. */
  readonly bytes: Uint8Array;
  readonly relocations: readonly Relocation[];
}

/** `symbol address + addend` is to be written at `offset` of the section, as the row of `type` says. */
export interface Relocation {
  readonly offset: number;
  readonly type: RelocationType;
  /** Name of a symbol of the same object; '' means none and goes with type NONE only. */
  readonly symbol: string;
  readonly addend: number;
}

export interface ObjectSymbol {
  /** A symbol of kind `section` carries the name of its section. */
  readonly name: string;
  /** Name of the defining section, 'absolute', or undefined when the symbol is external. */
  readonly section: string | 'absolute' | undefined;
  readonly value: number;
  readonly size: number;
  readonly kind: 'none' | 'object' | 'function' | 'section';
  readonly binding: 'local' | 'global' | 'weak';
}

export type { RelocationType } from './relocationTypes.ts';
