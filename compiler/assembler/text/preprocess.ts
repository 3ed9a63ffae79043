import { Cursor } from './cursor.ts';
import type { Definitions } from './definitions.ts';
import { constant, evaluate, parseExpression } from './expression.ts';
import { type Place, SourceError, type SourceLine } from './source.ts';
import {
  is,
  isPreprocessorLine,
  type LexerState,
  placeOf,
  stringValue,
  type Token,
  textOf,
  tokensOf,
} from './token.ts';

/** Text of an included file and the name messages call it by; undefined when there is none. */
export type Includes = (
  name: string,
  from: string,
) => { readonly file: string; readonly text: string } | undefined;

/** Reports a complaint and lets the reading go on. */
export type Complain = (error: SourceError) => void;

interface Condition {
  readonly place: Place;
  /** Lines of the present branch count. */
  active: boolean;
  /** A branch was already taken. */
  taken: boolean;
  readonly outer: boolean;
  elseSeen: boolean;
}

const DEEPEST_INCLUDE = 64;

/**
 * The C preprocessor as far as assembly sources use it: #define with and without parameters, # and ##,
 * #undef, #include, #if with defined(), #ifdef, #ifndef, #elif, #else, #endif, #error. Gives the logical
 * lines that remain, definitions put in.
 */
export class Preprocessor {
  readonly definitions: Definitions;
  readonly #includes: Includes;
  readonly #complain: Complain;
  readonly #conditions: Condition[] = [];

  constructor(definitions: Definitions, includes: Includes, complain: Complain) {
    this.definitions = definitions;
    this.#includes = includes;
    this.#complain = complain;
  }

  *file(file: string, text: string, from?: SourceLine['from'], depth = 0): Generator<readonly Token[]> {
    const opened = this.#conditions.length;
    for (const tokens of logicalLines(file, text, from, this.#complain)) {
      try {
        if (is(tokens[0], '#')) yield* this.#directive(tokens, depth);
        else if (this.#active) yield this.definitions.expand(tokens);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        this.#complain(error);
      }
    }
    for (const { place } of this.#conditions.splice(opened))
      this.#complain(new SourceError(place, '#if without #endif', '#endif before the end of the file'));
  }

  get #active(): boolean {
    return this.#conditions.at(-1)?.active ?? true;
  }

  *#directive(tokens: readonly Token[], depth: number): Generator<readonly Token[]> {
    const cursor = new Cursor(tokens);
    const place = cursor.take().place;
    const name = cursor.name('a preprocessor directive').text;
    if (this.#conditional(name, cursor, place) || !this.#active) return;
    switch (name) {
      case 'define':
        this.definitions.define(cursor);
        return;
      case 'undef':
        this.definitions.undefine(cursor.name('the name of a definition').text);
        return;
      case 'include':
        yield* this.#include(cursor, place, depth);
        return;
      case 'error':
        throw new SourceError(
          placeOf(tokens),
          `#error ${textOf(cursor.rest())}`.trim(),
          'a source without #error',
        );
      default:
        // #warning, #pragma and #line say nothing that code depends on.
        return;
    }
  }

  *#include(cursor: Cursor, place: Place, depth: number): Generator<readonly Token[]> {
    const words = this.definitions.expand(cursor.rest());
    const name =
      words[0]?.kind === 'string'
        ? stringValue(words[0])
        : is(words[0], '<') && is(words.at(-1), '>')
          ? textOf(words.slice(1, -1))
          : undefined;
    if (name === undefined) throw new SourceError(place, '#include without a file', '"file" or <file>');
    if (depth >= DEEPEST_INCLUDE)
      throw new SourceError(
        place,
        'files include each other without end',
        `at most ${DEEPEST_INCLUDE} levels`,
      );
    const found = this.#includes(name, place.line.file);
    if (found === undefined)
      throw new SourceError(
        placeOf(words, place),
        `there is no file ${name}`,
        'a file beside the source, in an include folder, or a built-in header',
      );
    yield* this.file(found.file, found.text, { what: 'included', line: place.line }, depth + 1);
  }

  /** True when the directive was one of the conditional family. */
  #conditional(name: string, cursor: Cursor, place: Place): boolean {
    const outer = this.#active;
    if (name === 'if' || name === 'ifdef' || name === 'ifndef') {
      const holds = outer && this.#holds(name, cursor);
      this.#conditions.push({ place, active: holds, taken: holds, outer, elseSeen: false });
      return true;
    }
    if (name !== 'elif' && name !== 'else' && name !== 'endif') return false;
    const top = this.#conditions.at(-1);
    if (top === undefined) throw new SourceError(place, `#${name} without #if`, '#if before it');
    if (name === 'endif') {
      this.#conditions.pop();
      return true;
    }
    if (top.elseSeen) throw new SourceError(place, `#${name} behind #else`, '#endif');
    if (name === 'else') top.elseSeen = true;
    top.active = top.outer && !top.taken && (name === 'else' || this.#holds('if', cursor));
    top.taken ||= top.active;
    return true;
  }

  #holds(name: string, cursor: Cursor): boolean {
    if (name !== 'if') {
      const known = this.definitions.has(cursor.name('a name').text);
      return name === 'ifdef' ? known : !known;
    }
    const place = cursor.place;
    const words = this.definitions.expand(this.definitions.answerDefined(cursor.rest()));
    if (words.length === 0) throw new SourceError(place, '#if without a condition', 'an expression');
    const condition = new Cursor(words);
    // A name without a definition is 0, as in C.
    const expression = parseExpression(condition, (token) =>
      token.kind === 'name' ? constant(0) : undefined,
    );
    condition.finish('the condition');
    const result = evaluate(expression, () => undefined);
    return 'value' in result && result.value.offset !== 0n;
  }
}

/** Lines with continued ones joined. The words keep their own lines. */
function* logicalLines(
  file: string,
  text: string,
  from: SourceLine['from'],
  complain: Complain,
): Generator<readonly Token[]> {
  const state: LexerState = { inComment: false };
  let pending: Token[] = [];
  let number = 0;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    number++;
    const continues = /\\[ \t]*$/.test(raw);
    const line: SourceLine = { file, number, text: raw, ...(from === undefined ? {} : { from }) };
    try {
      const insideDirective = is(pending[0], '#');
      const tokens = tokensOf(line, state, insideDirective || isPreprocessorLine(raw));
      if (continues && is(tokens.at(-1), '\\')) tokens.pop();
      pending.push(...tokens);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      complain(error);
    }
    if (continues) continue;
    if (pending.length > 0) yield pending;
    pending = [];
  }
  if (pending.length > 0) yield pending;
}
