import { hex, ObjectError } from '../errors.ts';

/** Longest name in bytes, read and written. */
const LONGEST_NAME = 16384;
/** Decoded text per byte of table a reader grants; tails shared by several names stay far below. */
const DECODE_FACTOR = 8;
const DECODE_FLOOR = 4096;

/**
 * Names of one string table of a file. Each offset is decoded once, and the total is bounded so that many
 * offsets into one endless name cost no more than the file is worth.
 */
export class StringReader {
  readonly #object: string;
  readonly #table: Uint8Array;
  readonly #known = new Map<number, string>();
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #budget: number;

  constructor(object: string, table: Uint8Array) {
    this.#object = object;
    this.#table = table;
    this.#budget = DECODE_FLOOR + DECODE_FACTOR * table.length;
  }

  at(offset: number): string {
    if (offset === 0) return '';
    const known = this.#known.get(offset);
    if (known !== undefined) return known;
    const end = offset < this.#table.length ? this.#table.indexOf(0, offset) : -1;
    if (end < 0) throw new ObjectError(this.#object, `name at ${hex(offset)} leaves its string table`);
    if (end - offset > LONGEST_NAME) throw new ObjectError(this.#object, 'a name is too long');
    this.#budget -= end - offset;
    if (this.#budget < 0) throw new ObjectError(this.#object, 'the names are longer than their string table');
    const text = this.#decode(this.#table.subarray(offset, end));
    this.#known.set(offset, text);
    return text;
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw new ObjectError(this.#object, 'a name is not valid UTF-8');
    }
  }
}

/** Builds a string table: offset 0 is the empty name, equal names share one entry. */
export class StringWriter {
  readonly #object: string;
  readonly #parts: Uint8Array[] = [new Uint8Array(1)];
  readonly #offsets = new Map<string, number>([['', 0]]);
  #length = 1;

  constructor(object: string) {
    this.#object = object;
  }

  add(name: string): number {
    const known = this.#offsets.get(name);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`${name}\0`, 'utf8');
    if (bytes.length > LONGEST_NAME + 1) throw new ObjectError(this.#object, 'a name is too long');
    if (bytes.indexOf(0) !== bytes.length - 1 || bytes.toString('utf8') !== `${name}\0`) {
      throw new ObjectError(this.#object, `the name ${JSON.stringify(name)} cannot be stored`);
    }
    const offset = this.#length;
    this.#offsets.set(name, offset);
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return offset;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}
