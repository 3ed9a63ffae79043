import { is, type Token } from './token.ts';

/**
 * One statement: a label, a bracket of a bundle, or the words of a directive, a macro use or an instruction.
 */
export type Statement =
  | { readonly kind: 'label'; readonly tokens: readonly Token[] }
  | { readonly kind: 'open' | 'close'; readonly tokens: readonly Token[] }
  | { readonly kind: 'words'; readonly tokens: readonly Token[] };

/** Splits a logical line at `;`, at the brackets of bundles, and behind labels. */
export function* statementsOf(line: readonly Token[]): Generator<Statement> {
  let words: Token[] = [];
  const flush = function* (): Generator<Statement> {
    if (words.length > 0) yield { kind: 'words', tokens: words };
    words = [];
  };
  for (const token of line) {
    if (is(token, ';')) yield* flush();
    else if (is(token, '{') || is(token, '}')) {
      yield* flush();
      yield { kind: token.text === '{' ? 'open' : 'close', tokens: [token] };
    } else if (is(token, ':') && words.length === 1 && isLabelName(words[0])) {
      yield { kind: 'label', tokens: words };
      words = [];
    } else words.push(token);
  }
  yield* flush();
}

const isLabelName = (token: Token): boolean =>
  (token.kind === 'name' && token.text !== '.') || (token.kind === 'number' && /^\d+$/.test(token.text));
