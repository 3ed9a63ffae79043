import { PackageError, type PackageErrorFacts } from '../error.ts';

/** Where a field stands, e.g. `tiles[3].segments[0].`; asked for only when a rule is broken. */
export type Place = () => string;

/** Largest element count a list pointer can hold (29 bits). */
const MAXIMUM_COUNT = 2 ** 29 - 1;

/** Half of a UTF-16 pair without the other half; it has no UTF-8 form. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Checks the fields of a model one by one and adds up the message words they will need. Empty lists
 * need none: they are written as null pointers. Throws PackageError.
 */
export class FieldWalk {
  /** Message words so far. */
  words = 0;

  u32(value: number, field: string, place: Place): void {
    if (value >>> 0 === value) return;
    refuse('invalid', `${place()}${field} is ${value}, not an unsigned 32-bit integer`, {
      value: `${value}`,
    });
  }

  u64(value: number, field: string, place: Place): void {
    if (Number.isSafeInteger(value) && value >= 0) return;
    refuse('invalid', `${place()}${field} is ${value}, not an integer from 0 to 2^53 - 1`, {
      value: `${value}`,
    });
  }

  member(value: string, members: readonly string[], field: string, place: Place): void {
    if (members.includes(value)) return;
    refuse('enum', `${place()}${field} '${value}'; known are ${members.join(', ')}`, { value });
  }

  text(value: string, field: string, place: Place): void {
    if (LONE_SURROGATE.test(value)) {
      refuse('utf8', `${place()}${field} holds half of a surrogate pair`, { length: value.length });
    }
    this.#list(utf8Length(value) + 1, 1 / 8, field, place);
  }

  data(value: Uint8Array, field: string, place: Place): void {
    this.#list(value.byteLength, 1 / 8, field, place);
  }

  u32List(values: readonly number[], field: string, place: Place): void {
    this.#list(values.length, 1 / 2, field, place);
    for (let index = 0; index < values.length; index += 1) {
      this.u32(values[index]!, `${field}[${index}]`, place);
    }
  }

  /** A struct of `words` words behind a pointer of its own. */
  struct(words: number): void {
    this.words += words;
  }

  /** A list of structs of `words` words each, after a tag word. */
  structs<T>(
    items: readonly T[],
    words: number,
    field: string,
    place: Place,
    visit: (item: T, place: Place) => void,
  ): void {
    if (items.length === 0) return;
    this.#list(items.length, words, field, place);
    this.words += 1;
    let index = 0;
    const here: Place = () => `${place()}${field}[${index}].`;
    for (; index < items.length; index += 1) visit(items[index]!, here);
  }

  #list(count: number, wordsPerElement: number, field: string, place: Place): void {
    const words = Math.ceil(count * wordsPerElement);
    if (Math.max(count, words) > MAXIMUM_COUNT) {
      refuse(
        'invalid',
        `${place()}${field} has ${count} elements, ${words} words; at most ${MAXIMUM_COUNT} fit`,
        {
          count,
          words,
        },
      );
    }
    this.words += words;
  }
}

function utf8Length(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // A surrogate pair is two units and four bytes.
    length += unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
  }
  return length;
}

function refuse(kind: 'invalid' | 'utf8' | 'enum', detail: string, facts: PackageErrorFacts): never {
  throw new PackageError(kind, detail, {
    verdict: 'compile-error',
    facts,
    advice: 'Correct the value in the model.',
  });
}
