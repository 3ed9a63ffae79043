import type { Cursor } from './cursor.ts';
import { type Place, SourceError, type SourceLine } from './source.ts';
import { type Statement, statementsOf } from './statement.ts';
import { is, placeOf, type Token, textOf, tokensOf } from './token.ts';

interface Parameter {
  readonly name: string;
  readonly fallback?: string;
  readonly required: boolean;
  readonly rest: boolean;
}

/** A definition of .macro. */
export interface Macro {
  readonly name: string;
  readonly body: readonly Statement[];
  /** Texts of the parameters for the words behind the macro's name. */
  readonly bind: (words: readonly Token[], place: Place) => ReadonlyMap<string, string>;
}

/** Reads what follows `.macro`: the name and the parameters, e.g. `COPY from, to, count=4`. */
export function readMacroHead(cursor: Cursor, body: readonly Statement[]): Macro {
  const name = cursor.name('the name of the macro').text;
  const parameters: Parameter[] = [];
  cursor.accept(',');
  while (!cursor.done) {
    parameters.push(readParameter(cursor));
    cursor.accept(',');
  }
  return { name, body, bind: (words, place) => bind(name, parameters, words, place) };
}

function readParameter(cursor: Cursor): Parameter {
  const name = cursor.name('a parameter').text;
  let required = false;
  let rest = false;
  if (cursor.accept(':') !== undefined) {
    const kind = cursor.name('req or vararg').text;
    if (kind !== 'req' && kind !== 'vararg') throw cursor.error(`no parameter is ${kind}`, 'req or vararg');
    required = kind === 'req';
    rest = kind === 'vararg';
  }
  if (cursor.accept('=') === undefined) return { name, required, rest };
  const value: Token[] = [cursor.take()];
  while (!cursor.done && !is(cursor.next, ',') && !cursor.next?.spaced) value.push(cursor.take());
  return { name, fallback: textOf(value), required, rest };
}

function bind(
  macro: string,
  parameters: readonly Parameter[],
  words: readonly Token[],
  place: Place,
): ReadonlyMap<string, string> {
  const given = macroArguments(words);
  const values = new Map<string, string>();
  let next = 0;
  for (const [index, value] of given.entries()) {
    const named = is(value[1], '=') ? parameters.find(({ name }) => name === value[0].text) : undefined;
    if (named !== undefined) {
      values.set(named.name, textOf(value.slice(2)));
      continue;
    }
    const parameter = parameters[next++];
    if (parameter === undefined)
      throw new SourceError(
        placeOf(value),
        `macro ${macro} takes ${parameters.length} arguments`,
        'the end of the statement',
      );
    if (parameter.rest) {
      values.set(parameter.name, given.slice(index).map(textOf).join(', '));
      break;
    }
    values.set(parameter.name, textOf(value));
  }
  for (const { name, fallback, required } of parameters) {
    if ((values.get(name) ?? '') !== '') continue;
    if (required) throw new SourceError(place, `macro ${macro} needs a value for ${name}`, `${name}=VALUE`);
    values.set(name, fallback ?? '');
  }
  return values;
}

/** True where white space between two words separates two arguments: `a b`, `(a) $b`, but not `a + b`. */
function separates(left: Token, right: Token): boolean {
  if (!right.spaced) return false;
  const ends = left.kind !== 'mark' || [')', '+=', '++', '@'].includes(left.text);
  const begins = right.kind !== 'mark' || ['$', '(', '\\', '{'].includes(right.text);
  return ends && begins;
}

/** Splits the words of a use at commas and at the white space between whole operands. */
export function macroArguments(words: readonly Token[]): readonly (readonly Token[])[] {
  const list: Token[][] = [];
  let current: Token[] = [];
  let depth = 0;
  let comma = false;
  for (const word of words) {
    if (is(word, ',') && depth === 0) {
      list.push(current);
      current = [];
      comma = true;
      continue;
    }
    const last = current.at(-1);
    if (last !== undefined && depth === 0 && separates(last, word)) {
      list.push(current);
      current = [];
    }
    if (is(word, '(')) depth++;
    if (is(word, ')')) depth--;
    current.push(word);
    comma = false;
  }
  if (current.length > 0 || comma) list.push(current);
  return list;
}

/**
 * The statements of a body with the parameters put in: `\name`, `\()` for nothing, `\@` for the number of
 * the use. Statements without a backslash are handed on as they are.
 */
export function* expandBody(
  body: readonly Statement[],
  values: ReadonlyMap<string, string>,
  what: string,
  use: Place,
  count: number,
): Generator<Statement> {
  for (const statement of body) {
    const { tokens } = statement;
    const text = textOf(tokens);
    const from: SourceLine = {
      file: tokens[0].place.line.file,
      number: tokens[0].place.line.number,
      text: statement.kind === 'label' ? `${text}:` : text,
      from: { what, line: use.line },
    };
    const filled = from.text.replaceAll(/\\(@|\(\)|[A-Za-z_.][A-Za-z0-9_.]*)/g, (whole, name: string) => {
      if (name === '@') return String(count);
      if (name === '()') return '';
      return parameterText(name, values) ?? whole;
    });
    if (!text.includes('\\')) {
      yield statement;
      continue;
    }
    yield* statementsOf(tokensOf({ ...from, text: filled }));
  }
}

/** `\size.field` and the like: the parameter is the longest part of the name up to a dot. */
function parameterText(name: string, values: ReadonlyMap<string, string>): string | undefined {
  const whole = values.get(name);
  if (whole !== undefined) return whole;
  const dot = name.indexOf('.');
  const head = dot > 0 ? values.get(name.slice(0, dot)) : undefined;
  return head === undefined ? undefined : `${head}${name.slice(dot)}`;
}
