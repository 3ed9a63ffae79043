import type { CodeMode } from './operand.ts';
import type { SourceLine } from './source.ts';

export type SectionKind = 'code' | 'data' | 'zero' | 'note';

/** What the flags and the type of `.section` say. */
export interface SectionTraits {
  readonly kind: SectionKind;
  readonly writable: boolean;
  readonly executable: boolean;
}

/** A byte range of a section and the line it was written on. */
export interface LineRange {
  readonly section: string;
  readonly offset: number;
  readonly size: number;
  readonly line: SourceLine;
  readonly kind: 'code' | 'data';
  /** Context the code was declared for. */
  readonly mode: CodeMode;
}

/** Largest section an assembly source may make: the SRAM of a tile is smaller [SDK]. */
export const LARGEST_SECTION = 1 << 20;

/** Bytes of one section while it grows. */
export class SectionBuilder {
  readonly name: string;
  readonly traits: SectionTraits;
  alignment = 1;
  #bytes = new Uint8Array(256);
  #size = 0;

  constructor(name: string, traits: SectionTraits) {
    this.name = name;
    this.traits = traits;
  }

  get size(): number {
    return this.#size;
  }

  /** Appends bytes; a section of zeros only counts them. */
  append(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    if (this.traits.kind !== 'zero') this.#bytes.set(bytes, this.#size - bytes.length);
  }

  /** Appends `count` bytes of one value. */
  fill(count: number, value = 0): void {
    this.#grow(count);
    if (this.traits.kind !== 'zero' && value !== 0) this.#bytes.fill(value, this.#size - count, this.#size);
  }

  /** Overwrites bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, offset);
  }

  bytes(): Uint8Array {
    return this.traits.kind === 'zero' ? new Uint8Array() : this.#bytes.slice(0, this.#size);
  }

  #grow(count: number): void {
    this.#size += count;
    if (this.traits.kind === 'zero' || this.#size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#size, 2 * this.#bytes.length));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

const CODE: SectionTraits = { kind: 'code', writable: false, executable: true };
const DATA: SectionTraits = { kind: 'data', writable: true, executable: false };
const READ_ONLY: SectionTraits = { kind: 'data', writable: false, executable: false };
const ZERO: SectionTraits = { kind: 'zero', writable: true, executable: false };
const NOTE: SectionTraits = { kind: 'note', writable: false, executable: false };

/** Traits that the name alone implies. */
export function impliedTraits(name: string): SectionTraits {
  if (/^\.text(\.|$)/.test(name)) return CODE;
  if (/^\.bss(\.|$)/.test(name)) return ZERO;
  if (/^\.rodata(\.|$)/.test(name)) return READ_ONLY;
  if (/^\.(note|debug|comment|stack_sizes)/.test(name)) return NOTE;
  return DATA;
}

/** Traits of `.section name, "flags", @type`. */
export function declaredTraits(flags: string, type: string | undefined): SectionTraits {
  if (!flags.includes('a')) return NOTE;
  const executable = flags.includes('x');
  const writable = flags.includes('w');
  if (type === 'nobits') return { ...ZERO, writable };
  return { kind: executable ? 'code' : 'data', writable, executable };
}
