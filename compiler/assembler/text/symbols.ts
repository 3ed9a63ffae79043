import { FLAG_VALUES } from '../../../device/ipu21/index.ts';
import { type Expression, evaluate, type SymbolValues, type Value } from './expression.ts';
import { type Place, SourceError } from './source.ts';
import type { Token } from './token.ts';

export type SymbolBinding = 'local' | 'global' | 'weak';
export type SymbolKind = 'none' | 'object' | 'function';

interface Entry {
  /** A label, or the right side of `.set`. */
  value?: { readonly label: Value } | { readonly set: Expression };
  place: Place;
  binding: SymbolBinding;
  kind: SymbolKind;
  size?: Expression;
}

/** A numbered label's definitions become symbols of their own; the name cannot be written in a source. */
const instanceName = (number: string, instance: number): string => `${number}:${instance}`;
/** Names that stay inside the object: those that begin with .L and the numbered labels. */
export const isTemporary = (name: string): boolean => name.startsWith('.L') || name.includes(':');

/** Longest chain of symbols set to symbols. */
const DEEPEST_SET = 64;

/** The symbols of one source. */
export class SymbolTable {
  readonly #entries = new Map<string, Entry>();
  readonly #instances = new Map<string, number>();

  /** Declares what a directive says of a symbol; nothing is defined by it. */
  declare(name: Token, change: Partial<Pick<Entry, 'binding' | 'kind' | 'size'>>): void {
    Object.assign(this.#entry(name.text, name.place), change);
  }

  label(token: Token, value: Value): string {
    const name = token.kind === 'number' ? this.#nextInstance(token.text) : token.text;
    const entry = this.#entry(name, token.place);
    if (entry.value !== undefined)
      throw new SourceError(
        token.place,
        `${name} is defined twice, first at line ${entry.place.line.number}`,
        'a name that is not used yet',
      );
    entry.value = { label: value };
    entry.place = token.place;
    return name;
  }

  /** `.set name, expression`; may be repeated, but not for a label. */
  set(token: Token, expression: Expression): void {
    const entry = this.#entry(token.text, token.place);
    if (entry.value !== undefined && 'label' in entry.value)
      throw new SourceError(token.place, `${token.text} is a label`, 'a name that is no label');
    entry.value = { set: expression };
    entry.place = token.place;
  }

  /** True for labels and set symbols defined so far. */
  isDefined(name: string): boolean {
    return this.#entries.get(name)?.value !== undefined;
  }

  /** Reads a name while a statement is read: numbered labels and set symbols mean what they mean here. */
  read(token: Token): Expression | undefined {
    if (token.kind === 'number') return this.#reference(token);
    const entry = this.#entries.get(token.text);
    if (entry?.value !== undefined && 'set' in entry.value) return entry.value.set;
    return undefined;
  }

  /**
   * Value of a name, flag names of the instruction set included. `outside` answers for names that nothing
   * here defines; without it they have no value.
   */
  valueOf(name: string, outside: SymbolValues = () => undefined, depth = 0): Value | undefined {
    const value = this.#entries.get(name)?.value;
    if (value === undefined) {
      const flag = FLAG_VALUES.get(name);
      return flag === undefined ? outside(name) : { offset: BigInt(flag) };
    }
    if ('label' in value) return value.label;
    // Symbols set to each other have no value.
    if (depth > DEEPEST_SET) return undefined;
    const result = evaluate(value.set, (inner) => this.valueOf(inner, outside, depth + 1));
    return 'value' in result ? result.value : undefined;
  }

  *[Symbol.iterator](): Generator<readonly [string, Readonly<Entry>]> {
    yield* this.#entries;
  }

  #entry(name: string, place: Place): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = { place, binding: 'local', kind: 'none' };
      this.#entries.set(name, entry);
    }
    return entry;
  }

  #nextInstance(number: string): string {
    const instance = (this.#instances.get(number) ?? 0) + 1;
    this.#instances.set(number, instance);
    return instanceName(number, instance);
  }

  /** `1b` is the last label 1 before here, `1f` the next one. */
  #reference(token: Token): Expression | undefined {
    const match = /^(\d+)([bf])$/.exec(token.text);
    if (match === null) return undefined;
    const [, number, direction] = match;
    const last = this.#instances.get(number) ?? 0;
    if (direction === 'b' && last === 0)
      throw new SourceError(
        token.place,
        `no label ${number} stands before here`,
        `${number}: above, or ${number}f`,
      );
    const name = instanceName(number, direction === 'b' ? last : last + 1);
    return { kind: 'symbol', name, place: token.place };
  }
}
