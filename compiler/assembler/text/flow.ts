import { Cursor } from './cursor.ts';
import { expandBody, type Macro, macroArguments, readMacroHead } from './macro.ts';
import type { Complain } from './preprocess.ts';
import { type Place, SourceError } from './source.ts';
import type { Statement } from './statement.ts';
import { is, placeOf, type Token, textOf } from './token.ts';

/** Questions that directives of the flow ask about the program so far. */
export interface Answers {
  /** Number that an expression is worth now. */
  readonly number: (cursor: Cursor) => number;
  readonly defined: (symbol: string) => boolean;
}

/** Statements that macros and repetitions may make in one source; more means they have no end. */
const MOST_STATEMENTS = 4_000_000;
const DEEPEST_MACRO = 128;

const COMPARISONS: Readonly<Record<string, (value: number) => boolean>> = {
  '.if': (value) => value !== 0,
  '.ifne': (value) => value !== 0,
  '.ifeq': (value) => value === 0,
  '.iflt': (value) => value < 0,
  '.ifle': (value) => value <= 0,
  '.ifgt': (value) => value > 0,
  '.ifge': (value) => value >= 0,
};
const TEXT_CONDITIONS = ['.ifdef', '.ifndef', '.ifb', '.ifnb', '.ifc', '.ifnc'];
/** Directive that opens a block, and the one that closes it. */
const BLOCK_ENDS: Readonly<Record<string, readonly string[]>> = {
  '.macro': ['.endm', '.endmacro'],
  '.rept': ['.endr'],
  '.irp': ['.endr'],
};

interface Branch {
  readonly place: Place;
  active: boolean;
  taken: boolean;
  readonly outer: boolean;
  elseSeen: boolean;
}

interface Block {
  readonly head: Statement;
  readonly body: Statement[];
  readonly opener: string;
  depth: number;
}

const opensConditional = (name: string): boolean =>
  Object.hasOwn(COMPARISONS, name) || TEXT_CONDITIONS.includes(name);

/**
 * Flow of the assembler itself: .macro, .rept, .irp and the .if family. Statements go in; those that are to
 * be assembled come out, macros expanded.
 */
export class Flow {
  readonly #macros = new Map<string, Macro>();
  readonly #branches: Branch[] = [];
  readonly #answers: Answers;
  readonly #complain: Complain;
  #block: Block | undefined;
  #statements = 0;
  #uses = 0;
  #exit = false;

  constructor(answers: Answers, complain: Complain) {
    this.#answers = answers;
    this.#complain = complain;
  }

  *take(statement: Statement, depth = 0): Generator<Statement> {
    try {
      yield* this.#take(statement, depth);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.#complain(error);
    }
  }

  /** Complains about blocks that are still open at the end of the source. */
  finish(): void {
    if (this.#block !== undefined) {
      const end = BLOCK_ENDS[this.#block.opener][0];
      const place = placeOf(this.#block.head.tokens);
      this.#complain(new SourceError(place, `${this.#block.opener} without ${end}`, end));
    }
    for (const { place } of this.#branches)
      this.#complain(new SourceError(place, '.if without .endif', '.endif'));
  }

  *#take(statement: Statement, depth: number): Generator<Statement> {
    const first = statement.tokens[0];
    const name = statement.kind === 'words' ? first.text : '';
    this.#count(placeOf(statement.tokens));
    if (this.#block !== undefined) {
      yield* this.#collect(this.#block, statement, name, depth);
      return;
    }
    if (this.#conditional(name, statement)) return;
    if (!(this.#branches.at(-1)?.active ?? true)) return;
    if (Object.hasOwn(BLOCK_ENDS, name)) {
      this.#block = { head: statement, body: [], opener: name, depth: 0 };
      return;
    }
    const macro = statement.kind === 'words' ? this.#macros.get(name) : undefined;
    if (macro !== undefined) {
      yield* this.#use(macro, statement.tokens, depth);
      return;
    }
    switch (name) {
      case '.purgem':
        this.#macros.delete(new Cursor(statement.tokens.slice(1), first.place).name('a macro').text);
        return;
      case '.exitm':
        if (depth === 0) throw new SourceError(first.place, '.exitm outside a macro', 'a macro around it');
        this.#exit = true;
        return;
      case '.endm':
      case '.endmacro':
      case '.endr':
        throw new SourceError(first.place, `${name} closes nothing`, '.macro or .rept before it');
      default:
        yield statement;
    }
  }

  *#collect(block: Block, statement: Statement, name: string, depth: number): Generator<Statement> {
    const ends = BLOCK_ENDS[block.opener];
    if (ends.includes(name) && block.depth === 0) {
      this.#block = undefined;
      yield* this.#close(block, depth);
      return;
    }
    if (Object.hasOwn(BLOCK_ENDS, name) && BLOCK_ENDS[name][0] === ends[0]) block.depth++;
    if (ends.includes(name)) block.depth--;
    block.body.push(statement);
  }

  *#close({ head, body, opener }: Block, depth: number): Generator<Statement> {
    const cursor = new Cursor(head.tokens);
    const place = cursor.take().place;
    if (opener === '.macro') {
      const macro = readMacroHead(cursor, body);
      this.#macros.set(macro.name, macro);
      return;
    }
    if (depth > DEEPEST_MACRO)
      throw new SourceError(place, 'repetitions are nested too deeply', `at most ${DEEPEST_MACRO} levels`);
    for (const values of this.#rounds(opener, cursor, place))
      for (const inner of expandBody(body, values, `in ${opener}`, place, this.#uses))
        yield* this.#take(inner, depth + 1);
  }

  /** Parameter values of every round of a repetition. */
  *#rounds(opener: string, cursor: Cursor, place: Place): Generator<ReadonlyMap<string, string>> {
    if (opener === '.irp') {
      const parameter = cursor.name('a parameter').text;
      cursor.accept(',');
      for (const value of macroArguments(cursor.rest())) yield new Map([[parameter, textOf(value)]]);
      return;
    }
    const count = this.#answers.number(cursor);
    cursor.finish('the count');
    if (count < 0) throw new SourceError(place, `${count} repetitions`, 'a count of 0 or more');
    for (let round = 0; round < count; round++) {
      this.#count(place);
      yield new Map();
    }
  }

  #count(place: Place): void {
    if (++this.#statements <= MOST_STATEMENTS) return;
    throw new SourceError(
      place,
      'macros and repetitions have no end',
      `at most ${MOST_STATEMENTS} statements`,
    );
  }

  *#use(macro: Macro, tokens: readonly Token[], depth: number): Generator<Statement> {
    const place = placeOf(tokens);
    if (depth >= DEEPEST_MACRO)
      throw new SourceError(
        place,
        `macro ${macro.name} uses itself without end`,
        `at most ${DEEPEST_MACRO} levels`,
      );
    const values = macro.bind(tokens.slice(1), place);
    const use = this.#uses++;
    const branches = this.#branches.length;
    for (const inner of expandBody(macro.body, values, `in macro ${macro.name} used`, place, use)) {
      yield* this.take(inner, depth + 1);
      if (this.#exit) break;
    }
    if (this.#exit) this.#branches.length = branches;
    this.#exit = false;
  }

  /** True when the statement belongs to the .if family. */
  #conditional(name: string, { tokens }: Statement): boolean {
    const place = tokens[0].place;
    const outer = this.#branches.at(-1)?.active ?? true;
    if (opensConditional(name)) {
      const branch: Branch = { place, active: false, taken: false, outer, elseSeen: false };
      this.#branches.push(branch);
      branch.active = branch.taken = outer && this.#holds(name, tokens);
      return true;
    }
    if (name !== '.elseif' && name !== '.else' && name !== '.endif') return false;
    const top = this.#branches.at(-1);
    if (top === undefined) throw new SourceError(place, `${name} without .if`, '.if before it');
    if (name === '.endif') {
      this.#branches.pop();
      return true;
    }
    if (top.elseSeen) throw new SourceError(place, `${name} behind .else`, '.endif');
    if (name === '.else') top.elseSeen = true;
    top.active = top.outer && !top.taken && (name === '.else' || this.#holds('.if', tokens));
    top.taken ||= top.active;
    return true;
  }

  #holds(name: string, tokens: readonly Token[]): boolean {
    const cursor = new Cursor(tokens);
    cursor.take();
    switch (name) {
      case '.ifdef':
        return this.#answers.defined(cursor.name('a symbol').text);
      case '.ifndef':
        return !this.#answers.defined(cursor.name('a symbol').text);
      case '.ifb':
        return cursor.done;
      case '.ifnb':
        return !cursor.done;
      case '.ifc':
      case '.ifnc': {
        const words = cursor.rest();
        const comma = words.findIndex((word) => is(word, ','));
        if (comma < 0) throw cursor.error('there is one text only', 'two texts with a comma between');
        const same = textOf(words.slice(0, comma)) === textOf(words.slice(comma + 1));
        return (name === '.ifc') === same;
      }
      default: {
        const value = this.#answers.number(cursor);
        cursor.finish('the condition');
        return COMPARISONS[name](value);
      }
    }
  }
}
