import { BUNDLE_ALIGNMENT, encode } from '../../../device/ipu21/index.ts';
import type { ObjectFile, ObjectSymbol, Relocation, RelocationType } from '../../object/model.ts';
import type { Cursor } from './cursor.ts';
import { type Expression, evaluate, parseExpression, type Value } from './expression.ts';
import {
  type EncodedInstruction,
  encodeBundle,
  encodeInstruction,
  type SourceInstruction,
  wordCount,
} from './instruction.ts';
import type { CodeMode } from './operand.ts';
import type { Complain } from './preprocess.ts';
import {
  impliedTraits,
  LARGEST_SECTION,
  type LineRange,
  SectionBuilder,
  type SectionTraits,
} from './section.ts';
import { type Place, SourceError } from './source.ts';
import { isTemporary, SymbolTable } from './symbols.ts';
import type { Token } from './token.ts';

/** A symbol that another object has to define, and the first place that names it. */
export interface ExternalUse {
  readonly symbol: string;
  readonly place: Place;
}

const NOP = encode('nop', []);
const DATA_RELOCATIONS: Readonly<Record<number, RelocationType>> = { 1: '8', 2: '16', 4: '32', 8: '64' };

/** Work that waits until every symbol is known. */
type Deferred = () => void;

/**
 * The program under assembly: sections, symbols, and the words that wait for the values of symbols. The
 * place of everything is known at once, because sizes never depend on values.
 */
export class Program {
  readonly symbols = new SymbolTable();
  readonly lines: LineRange[] = [];
  mode: CodeMode = 'any';
  readonly #sections = new Map<string, SectionBuilder>();
  readonly #relocations = new Map<string, Relocation[]>();
  readonly #externals = new Map<string, Place>();
  readonly #deferred: Deferred[] = [];
  readonly #stack: SectionBuilder[] = [];
  #section: SectionBuilder;
  #previous: SectionBuilder;

  constructor() {
    this.#section = this.#open('.text', impliedTraits('.text'));
    this.#previous = this.#section;
  }

  get section(): SectionBuilder {
    return this.#section;
  }

  /** Goes on in a section; without traits those it has, or those its name implies. */
  enter(name: string, place: Place, traits?: SectionTraits): void {
    const known = this.#sections.get(name);
    const { kind, executable } = known?.traits ?? {};
    if (
      known !== undefined &&
      traits !== undefined &&
      (kind !== traits.kind || executable !== traits.executable)
    )
      throw new SourceError(place, `section ${name} was ${kind} before`, 'the flags it was opened with');
    this.#previous = this.#section;
    this.#section = known ?? this.#open(name, traits ?? impliedTraits(name));
  }

  pushSection(): void {
    this.#stack.push(this.#section);
  }

  popSection(place: Place): void {
    const back = this.#stack.pop();
    if (back === undefined)
      throw new SourceError(place, '.popsection without .pushsection', '.pushsection before');
    this.#section = back;
  }

  returnToPrevious(): void {
    [this.#section, this.#previous] = [this.#previous, this.#section];
  }

  /** Byte address of the next byte, as far as it is known. */
  here(): Value {
    return { base: { kind: 'section', section: this.#section.name }, offset: BigInt(this.#section.size) };
  }

  label(token: Token): void {
    this.symbols.label(token, this.here());
  }

  /** Reads an expression; `.` and numbered labels mean what they mean here. */
  expression(cursor: Cursor): Expression {
    return parseExpression(cursor, this.names);
  }

  readonly names = (token: Token): Expression | undefined =>
    token.text === '.' ? { kind: 'value', value: this.here() } : this.symbols.read(token);

  /** Number an expression is worth now. Throws SourceError when it is none yet. */
  number(cursor: Cursor): number {
    const { place } = cursor;
    const result = evaluate(this.expression(cursor), (name) => this.symbols.valueOf(name));
    if ('missing' in result)
      throw new SourceError(
        result.place,
        `${result.missing} has no value yet`,
        'a number known at this point',
      );
    if (result.value.base !== undefined)
      throw new SourceError(
        place,
        'an address is not a number before the link',
        'a number known at this point',
      );
    return Number(result.value.offset);
  }

  align(bytes: number, place: Place, fill?: number): void {
    const section = this.#section;
    const missing = (bytes - (section.size % bytes)) % bytes;
    section.alignment = Math.max(section.alignment, bytes);
    this.#room(missing, place);
    // Code is padded with instructions that do nothing, so that it may run through the padding.
    if (section.traits.executable && fill === undefined && missing % 4 === 0)
      for (let at = 0; at < missing; at += 4) section.append(littleEndian(BigInt(NOP), 4));
    else section.fill(missing, fill ?? 0);
  }

  fill(count: number, place: Place, value = 0): void {
    this.#room(count, place);
    this.#section.fill(count, value);
  }

  bytes(bytes: Uint8Array, place: Place): void {
    this.#room(bytes.length, place);
    this.#refuseZeroSection(place);
    this.#note(bytes.length, place, 'data');
    this.#section.append(bytes);
  }

  /** One data value of 1, 2, 4 or 8 bytes. */
  data(expression: Expression, size: number, place: Place): void {
    this.#room(size, place);
    this.#refuseZeroSection(place);
    const section = this.#section;
    const offset = section.size;
    this.#note(size, place, 'data');
    section.fill(size);
    this.#later(() => {
      const value = this.#value(expression);
      if (value.base !== undefined) {
        this.#relocate(section, offset, { type: DATA_RELOCATIONS[size], value });
        return;
      }
      const limit = 1n << BigInt(8 * size);
      if (value.offset >= limit || value.offset < -limit / 2n)
        throw new SourceError(
          place,
          `${value.offset} does not fit ${size} bytes`,
          `${-limit / 2n}..${limit - 1n}`,
        );
      section.patch(offset, littleEndian(value.offset, size));
    });
  }

  instruction(source: SourceInstruction): void {
    const { section, offset } = this.#reserve(4 * wordCount(source.mnemonic.text), 4, source);
    this.#later(() => {
      const encoded = this.#encode(source);
      if (encoded.words.length === 2 && offset % BUNDLE_ALIGNMENT !== 0)
        throw new SourceError(
          source.mnemonic.place,
          `${source.mnemonic.text} is not on ${BUNDLE_ALIGNMENT} bytes`,
          '.align 8 or a nop before it',
        );
      this.#place(section, offset, encoded.words, [encoded]);
    });
  }

  bundle(main: SourceInstruction, aux: SourceInstruction): void {
    const { section, offset } = this.#reserve(8, BUNDLE_ALIGNMENT, main);
    this.#later(() => {
      const both = [this.#encode(main), this.#encode(aux)] as const;
      this.#place(section, offset, encodeBundle(both[0], both[1], [main, aux]), both);
    });
  }

  /** Works out everything that waits. */
  finish(
    name: string,
    complain: Complain,
  ): { readonly object: ObjectFile; readonly externals: readonly ExternalUse[] } {
    for (const work of this.#deferred) {
      try {
        work();
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        complain(error);
      }
    }
    const sections = [...this.#sections.values()]
      .filter((section) => section.size > 0)
      .map((section) => ({
        name: section.name,
        ...section.traits,
        alignment: section.alignment,
        size: section.size,
        bytes: section.bytes(),
        relocations: this.#relocations.get(section.name) ?? [],
      }));
    const named = new Set(sections.map((section) => section.name));
    const symbols = [
      ...sections.map(({ name: section }) => sectionSymbol(section)),
      ...this.#objectSymbols(named, complain),
    ];
    const externals = [...this.#externals].map(([symbol, place]) => ({ symbol, place }));
    return { object: { name, sections, symbols }, externals };
  }

  *#objectSymbols(sections: ReadonlySet<string>, complain: Complain): Generator<ObjectSymbol> {
    const listed = new Set<string>();
    for (const [name, { value, kind, binding, size }] of this.symbols) {
      listed.add(name);
      if (value === undefined) {
        if (binding !== 'local' || this.#externals.has(name))
          yield {
            name,
            section: undefined,
            value: 0,
            size: 0,
            kind,
            binding: binding === 'weak' ? 'weak' : 'global',
          };
        continue;
      }
      if (isTemporary(name)) continue;
      try {
        const found = this.symbols.valueOf(name, external);
        if (found?.base?.kind === 'external' || found === undefined) continue;
        const section = found.base === undefined ? 'absolute' : found.base.section;
        // A label at the end of an empty section marks nothing that is kept.
        if (found.base !== undefined && !sections.has(section)) continue;
        // Objects store 32 bits, -1 as 0xffffffff. A wider constant serves this source alone.
        const fits = found.offset >= -(2n ** 31n) && found.offset < 2n ** 32n;
        if (!fits && binding === 'local') continue;
        const stored = fits ? BigInt.asUintN(32, found.offset) : found.offset;
        const bytes = size === undefined ? 0 : Number(this.#value(size).offset);
        yield { name, section, value: Number(stored), size: bytes, kind, binding };
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        complain(error);
      }
    }
    for (const symbol of this.#externals.keys())
      if (!listed.has(symbol))
        yield { name: symbol, section: undefined, value: 0, size: 0, kind: 'none', binding: 'global' };
  }

  #open(name: string, traits: SectionTraits): SectionBuilder {
    const section = new SectionBuilder(name, traits);
    // Bundles keep their place when the section is placed.
    if (traits.executable) section.alignment = BUNDLE_ALIGNMENT;
    this.#sections.set(name, section);
    return section;
  }

  #reserve(bytes: number, alignment: number, { mnemonic }: SourceInstruction) {
    const section = this.#section;
    const { place } = mnemonic;
    if (!section.traits.executable)
      throw new SourceError(
        place,
        `an instruction in section ${section.name}`,
        'a section of code, such as .text',
      );
    const skewed = section.size % alignment;
    if (skewed !== 0) {
      const at = section.size;
      // What follows is read as if it stood right, so that one mistake is one complaint.
      section.fill(alignment - skewed + bytes);
      throw new SourceError(
        place,
        `${alignment === 8 ? 'a bundle' : 'an instruction'} at byte ${at} of ${section.name}`,
        `a multiple of ${alignment}: ${alignment === 8 ? '.align 8, or a nop or fnop before it' : '.align 4 before it'}`,
      );
    }
    this.#room(bytes, place);
    const offset = section.size;
    this.#note(bytes, place, 'code');
    section.fill(bytes);
    return { section, offset };
  }

  #encode(source: SourceInstruction): EncodedInstruction {
    return encodeInstruction(source, ({ expression }) => this.#value(expression));
  }

  #place(
    section: SectionBuilder,
    offset: number,
    words: readonly number[],
    parts: readonly EncodedInstruction[],
  ): void {
    words.forEach((word, index) => {
      section.patch(offset + 4 * index, littleEndian(BigInt(word), 4));
    });
    parts.forEach(({ patch }, index) => {
      if (patch !== undefined) this.#relocate(section, offset + 4 * index, patch);
    });
  }

  #relocate(
    section: SectionBuilder,
    offset: number,
    { type, value }: { type: RelocationType; value: Value },
  ): void {
    const { base } = value;
    if (base === undefined) return;
    const list = this.#relocations.get(section.name) ?? [];
    this.#relocations.set(section.name, list);
    const symbol = base.kind === 'section' ? base.section : base.symbol;
    list.push({ offset, type, symbol, addend: Number(value.offset) });
  }

  /** Value at the end of the source; what nothing defines is another object's. */
  #value(expression: Expression): Value {
    const result = evaluate(expression, (name) => this.symbols.valueOf(name, external));
    if ('missing' in result) {
      const label = result.missing.replace(/:.*/, '');
      throw new SourceError(result.place, `there is no label ${label}`, `a label ${label}: in this source`);
    }
    const { base } = result.value;
    if (base?.kind === 'external' && !this.#externals.has(base.symbol)) {
      const place = placeOfSymbol(expression);
      if (place !== undefined) this.#externals.set(base.symbol, place);
    }
    return result.value;
  }

  #later(work: Deferred): void {
    this.#deferred.push(work);
  }

  #note(size: number, { line }: Place, kind: LineRange['kind']): void {
    this.lines.push({
      section: this.#section.name,
      offset: this.#section.size,
      size,
      line,
      kind,
      mode: this.mode,
    });
  }

  #room(bytes: number, place: Place): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new SourceError(place, `${bytes} bytes`, 'a count of 0 or more');
    if (this.#section.size + bytes > LARGEST_SECTION)
      throw new SourceError(
        place,
        `section ${this.#section.name} would have ${this.#section.size + bytes} bytes`,
        `at most ${LARGEST_SECTION}`,
      );
  }

  #refuseZeroSection(place: Place): void {
    if (this.#section.traits.kind === 'zero')
      throw new SourceError(place, `data in section ${this.#section.name}, which holds zeros only`, '.zero');
  }
}

const sectionSymbol = (section: string): ObjectSymbol => ({
  name: section,
  section,
  value: 0,
  size: 0,
  kind: 'section',
  binding: 'local',
});

/** A name nobody defines here is another object's, unless it cannot leave this one. */
const external = (name: string): Value | undefined =>
  isTemporary(name) ? undefined : { base: { kind: 'external', symbol: name }, offset: 0n };

/** Where an expression names its first symbol. */
function placeOfSymbol(expression: Expression): Place | undefined {
  switch (expression.kind) {
    case 'symbol':
      return expression.place;
    case 'unary':
      return placeOfSymbol(expression.operand);
    case 'binary':
      return placeOfSymbol(expression.left) ?? placeOfSymbol(expression.right);
    default:
      return undefined;
  }
}

/** The lowest `size` bytes of a number. */
export function littleEndian(value: bigint, size: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, value), true);
  return bytes.slice(0, size);
}
