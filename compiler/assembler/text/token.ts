import { type Place, SourceError, type SourceLine } from './source.ts';

export type TokenKind = 'name' | 'number' | 'string' | 'mark';

/** A word of the source. `spaced` tells that white space stands before it. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly place: Place;
  readonly spaced: boolean;
}

const SPACE = /[ \t\r\f\v]+/y;
const NAME = /[A-Za-z_.][A-Za-z0-9_.]*/y;
// Hexadecimal, binary, a reference to a numbered label (1b, 2f), decimal with an optional fraction.
const NUMBER =
  /0[xX][0-9a-fA-F]+[uUlL]*|0[bB][01]+[uUlL]*|\d+[bf](?![A-Za-z0-9_])|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[uUlL]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const CHARACTER = /'(?:[^'\\]|\\.)'/y;
const MARK = /\+=|\+\+|>>|<<|&&|\|\||==|!=|<=|>=|##|[-+*/%&|^~!<>=(){}[\],;:$@#\\?]/y;
const PREPROCESSOR =
  /^\s*#\s*(?:define|undef|include|if|ifdef|ifndef|elif|else|endif|error|warning|pragma|line)\b/;

/** True for a line the preprocessor reads; every other `#` begins a comment. */
export const isPreprocessorLine = (text: string): boolean => PREPROCESSOR.test(text);

/** State carried from line to line: whether a block comment is open. */
export interface LexerState {
  inComment: boolean;
}

const matcher = (pattern: RegExp) => (text: string, at: number) => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};
const space = matcher(SPACE);
const KINDS: readonly (readonly [TokenKind, (text: string, at: number) => string | undefined])[] = [
  ['name', matcher(NAME)],
  ['number', matcher(NUMBER)],
  ['string', matcher(STRING)],
  ['number', matcher(CHARACTER)],
  ['mark', matcher(MARK)],
];

/** Words of one line, comments left out. */
export function tokensOf(
  line: SourceLine,
  state: LexerState = { inComment: false },
  hashIsMark = isPreprocessorLine(line.text),
): Token[] {
  const { text } = line;
  const tokens: Token[] = [];
  let spaced = false;
  for (let at = 0; at < text.length; ) {
    if (state.inComment) {
      const end = text.indexOf('*/', at);
      if (end < 0) return tokens;
      state.inComment = false;
      at = end + 2;
      spaced = true;
      continue;
    }
    const blank = space(text, at);
    if (blank !== undefined) {
      at += blank.length;
      spaced = true;
      continue;
    }
    if (text.startsWith('//', at) || (text[at] === '#' && !hashIsMark)) break;
    if (text.startsWith('/*', at)) {
      state.inComment = true;
      at += 2;
      continue;
    }
    const token = tokenAt(line, at, spaced);
    tokens.push(token);
    at += token.text.length;
    spaced = false;
  }
  return tokens;
}

function tokenAt(line: SourceLine, at: number, spaced: boolean): Token {
  for (const [kind, match] of KINDS) {
    const text = match(line.text, at);
    if (text !== undefined) return { kind, text, place: { line, column: at, length: text.length }, spaced };
  }
  throw new SourceError(
    { line, column: at, length: 1 },
    `${JSON.stringify(line.text[at])} means nothing here`,
    line.text[at] === '"' ? 'a closing quotation mark on the same line' : 'assembly text',
  );
}

/** Text of tokens as one line, spaces where the source had some. */
export const textOf = (tokens: readonly Token[]): string =>
  tokens.map((token, index) => (token.spaced && index > 0 ? ` ${token.text}` : token.text)).join('');

/** True when the token is this mark or name. */
export const is = (token: Token | undefined, text: string): boolean =>
  token !== undefined && token.kind !== 'string' && token.text === text;

/** From the first to the last of some tokens; they stand on one line unless a definition was put in. */
export function placeOf(tokens: readonly Token[], fallback?: Place): Place {
  const first = tokens[0]?.place ?? fallback;
  const last = tokens.at(-1)?.place ?? first;
  if (first === undefined) throw new RangeError('no place for no tokens');
  if (last === undefined || last.line !== first.line || last.column < first.column) return first;
  return { ...first, length: last.column + last.length - first.column };
}

/** Just behind the last token. */
export function placeAfter(tokens: readonly Token[]): Place {
  const place = tokens.at(-1)?.place;
  if (place === undefined) throw new RangeError('no place after no tokens');
  return { line: place.line, column: place.column + place.length, length: 1 };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

const unquoted = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_whole, letter: string) => ESCAPES[letter] ?? letter);

/** Characters of a string token. */
export const stringValue = (token: Token): string => unquoted(token.text.slice(1, -1));

/** Value of a number token: C notation, `'c'` included. Undefined for label references and fractions. */
export function integerValue(token: Token): number | undefined {
  const { text } = token;
  if (text.startsWith("'")) return unquoted(text.slice(1, -1)).charCodeAt(0);
  const digits = text.replace(/[uUlL]+$/, '');
  if (/^0[bB][01]+$/.test(digits)) return Number.parseInt(digits.slice(2), 2);
  if (/^0[0-7]+$/.test(digits)) return Number.parseInt(digits, 8);
  return /^(?:0[xX][0-9a-fA-F]+|[1-9]\d*|0)$/.test(digits) ? Number(digits) : undefined;
}
