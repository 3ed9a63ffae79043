import { type Place, SourceError } from './source.ts';
import { is, placeAfter, type Token } from './token.ts';

/** Reads the words of one statement from left to right. */
export class Cursor {
  readonly #tokens: readonly Token[];
  readonly #end: Place;
  #at = 0;

  constructor(tokens: readonly Token[], end?: Place) {
    this.#tokens = tokens;
    this.#end = end ?? placeAfter(tokens);
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** The word behind the next one. */
  get second(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** Where the next word stands, or the end of the statement. */
  get place(): Place {
    return this.next?.place ?? this.#end;
  }

  take(): Token {
    const token = this.next;
    if (token === undefined) throw this.error('the statement ends here', 'more text');
    this.#at++;
    return token;
  }

  /** Takes the next word when it is this mark or name. */
  accept(text: string): Token | undefined {
    const token = this.next;
    if (!is(token, text)) return undefined;
    this.#at++;
    return token;
  }

  expect(text: string): Token {
    const token = this.accept(text);
    if (token === undefined) throw this.error(`${this.found} instead of "${text}"`, `"${text}"`);
    return token;
  }

  name(what: string): Token {
    if (this.next?.kind !== 'name') throw this.error(`${this.found} instead of ${what}`, what);
    return this.take();
  }

  /** Words not taken yet. */
  get remaining(): readonly Token[] {
    return this.#tokens.slice(this.#at);
  }

  /** Takes everything up to the end. */
  rest(): readonly Token[] {
    const rest = this.remaining;
    this.#at = this.#tokens.length;
    return rest;
  }

  finish(what: string): void {
    if (!this.done)
      throw this.error(`${this.found} behind ${what}`, `the end of the statement behind ${what}`);
  }

  /** The next word for a message. */
  get found(): string {
    return this.next === undefined ? 'the end of the statement' : `"${this.next.text}"`;
  }

  error(message: string, expected: string): SourceError {
    return new SourceError(this.place, message, expected);
  }
}
