import type { Cursor } from './cursor.ts';
import { type Place, SourceError, type SourceLine } from './source.ts';
import { is, placeOf, type Token, textOf, tokensOf } from './token.ts';

interface Definition {
  readonly name: string;
  /** Undefined for a definition without a parameter list. */
  readonly parameters?: readonly string[];
  readonly variadic: boolean;
  readonly body: readonly Token[];
}

/** Words one line may grow to; definitions that feed each other grow without end. */
const LONGEST_LINE = 65536;

/** Preprocessor definitions and their expansion. */
export class Definitions {
  readonly #byName = new Map<string, Definition>();

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  undefine(name: string): void {
    this.#byName.delete(name);
  }

  /** A definition from outside the source, such as one of the command line. */
  set(name: string, text: string, file = '<definitions>'): void {
    const body = tokensOf({ file, number: 1, text });
    this.#byName.set(name, { name, variadic: false, body });
  }

  /** What follows `#define`. */
  define(cursor: Cursor): void {
    const name = cursor.name('a name to define');
    let parameters: string[] | undefined;
    let variadic = false;
    // Only a bracket that touches the name begins a parameter list.
    if (is(cursor.next, '(') && cursor.next?.spaced === false) {
      cursor.take();
      parameters = [];
      while (!is(cursor.next, ')')) {
        const parameter = cursor.name('a parameter');
        if (parameter.text === '...') variadic = true;
        parameters.push(parameter.text === '...' ? '__VA_ARGS__' : parameter.text);
        if (cursor.accept(',') === undefined) break;
      }
      cursor.expect(')');
    }
    const body = cursor.rest();
    this.#byName.set(name.text, {
      name: name.text,
      ...(parameters === undefined ? {} : { parameters }),
      variadic,
      body,
    });
  }

  /** Replaces `defined X` and `defined(X)` by 1 or 0. */
  answerDefined(tokens: readonly Token[]): Token[] {
    const output: Token[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at];
      if (!is(token, 'defined')) {
        output.push(token);
        continue;
      }
      const bracket = is(tokens[at + 1], '(');
      const name = tokens[bracket ? at + 2 : at + 1];
      if (name?.kind !== 'name' || (bracket && !is(tokens[at + 3], ')')))
        throw new SourceError(token.place, 'defined without a name', 'defined(NAME)');
      output.push({ ...token, kind: 'number', text: this.has(name.text) ? '1' : '0' });
      at += bracket ? 3 : 1;
    }
    return output;
  }

  /** The words with definitions put in; each word put in stands where its use stood. */
  expand(tokens: readonly Token[], hidden: ReadonlySet<string> = new Set()): readonly Token[] {
    if (!tokens.some((token) => token.kind === 'name' && this.#byName.has(token.text))) return tokens;
    const output: Token[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at];
      const definition = token.kind === 'name' && !hidden.has(token.text) && this.#byName.get(token.text);
      if (!definition) {
        output.push(token);
        continue;
      }
      let body: readonly Token[] = definition.body;
      let last = token;
      if (definition.parameters !== undefined) {
        if (!is(tokens[at + 1], '(')) {
          output.push(token);
          continue;
        }
        const call = argumentsOf(tokens, at + 1);
        body = this.#substitute(definition, call.list, token, hidden);
        at = call.end;
        last = tokens[at];
      }
      const place = placeOf([token, last]);
      const pasted = paste(body, place);
      const moved = pasted.map((word, index) => ({
        ...word,
        place,
        spaced: index === 0 ? token.spaced : word.spaced,
      }));
      output.push(...this.expand(moved, new Set([...hidden, definition.name])));
      if (output.length > LONGEST_LINE)
        throw new SourceError(place, `definitions grow the line beyond ${LONGEST_LINE} words`, 'less');
    }
    return output;
  }

  #substitute(
    { name, parameters = [], variadic, body }: Definition,
    given: readonly (readonly Token[])[],
    use: Token,
    hidden: ReadonlySet<string>,
  ): Token[] {
    const fixed = variadic ? parameters.length - 1 : parameters.length;
    const empty = given.length === 1 && given[0].length === 0;
    const count = empty && fixed === 0 ? 0 : given.length;
    if (variadic ? count < fixed : count !== fixed)
      throw new SourceError(use.place, `${name} is given ${count} arguments`, `${fixed} arguments`);
    const raw = new Map<string, readonly Token[]>();
    parameters.forEach((parameter, index) => {
      raw.set(parameter, variadic && index === fixed ? joined(given.slice(fixed)) : (given[index] ?? []));
    });
    const output: Token[] = [];
    for (let at = 0; at < body.length; at++) {
      const word = body[at];
      const quoted = is(word, '#') ? raw.get(body[at + 1]?.text ?? '') : undefined;
      if (quoted !== undefined) {
        output.push({ ...word, kind: 'string', text: JSON.stringify(textOf(quoted)) });
        at++;
        continue;
      }
      const argument = word.kind === 'name' ? raw.get(word.text) : undefined;
      if (argument === undefined) {
        output.push(word);
        continue;
      }
      // Arguments beside ## are taken as they are, others expanded first.
      const beside = is(body[at - 1], '##') || is(body[at + 1], '##');
      const words = beside ? argument : this.expand(argument, hidden);
      output.push(...words.map((one, index) => (index === 0 ? { ...one, spaced: word.spaced } : one)));
    }
    return output;
  }
}

function joined(groups: readonly (readonly Token[])[]): Token[] {
  return groups.flatMap((group, index) => {
    if (index === 0 || group.length === 0) return [...group];
    return [{ ...group[0], kind: 'mark', text: ',', spaced: false } as Token, ...group];
  });
}

/** Arguments of a use whose bracket stands at `open`; `end` is the closing bracket. */
function argumentsOf(
  tokens: readonly Token[],
  open: number,
): { readonly list: readonly (readonly Token[])[]; readonly end: number } {
  const list: Token[][] = [[]];
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at];
    if (is(token, '(') && depth++ === 0) continue;
    if (is(token, ')') && --depth === 0) return { list, end: at };
    if (is(token, ',') && depth === 1) list.push([]);
    else list.at(-1)?.push(token);
  }
  throw new SourceError(tokens[open].place, 'the bracket is not closed on this line', '")"');
}

/** Joins the words on both sides of each ##. */
function paste(body: readonly Token[], place: Place): readonly Token[] {
  if (!body.some((word) => is(word, '##'))) return body;
  const output: Token[] = [];
  for (let at = 0; at < body.length; at++) {
    if (!is(body[at], '##')) {
      output.push(body[at]);
      continue;
    }
    const left = output.pop();
    const right = body[++at];
    const text = `${left?.text ?? ''}${right?.text ?? ''}`;
    const line: SourceLine = {
      file: place.line.file,
      number: place.line.number,
      text,
      from: { what: 'pasted', line: place.line },
    };
    output.push(
      ...tokensOf(line).map((word, index) => ({ ...word, spaced: index === 0 && (left?.spaced ?? false) })),
    );
  }
  return output;
}
