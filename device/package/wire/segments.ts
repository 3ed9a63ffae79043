/**
 * Bounds of unpacked Cap'n Proto messages from untrusted bytes (encoding: capnproto.org/encoding).
 *
 * capnp-ts builds our messages but does not read foreign ones: it copies every segment, writes into the
 * message when it meets a null pointer or an older struct (136 hostile bytes made it allocate 800 MB),
 * accepts broken UTF-8, and does not check list lengths against the file. Here every object is checked
 * against its segment before anything is allocated, bytes are returned as views, and the words of all visited
 * objects together may not exceed the words of the file, so shared pointers, loops and endless empty lists
 * end in an error after time and memory proportional to the file size. Nesting is bounded by the schema:
 * only pointers the caller asks for are followed.
 */

import { PackageError, type PackageErrorFacts } from '../error.ts';

/** Largest number of segments readers of this format accept [SW]. */
export const MAXIMUM_SEGMENTS = 511;

/** Words that may be visited beyond the file's own: room for elements without any words. */
const VISIT_SLACK = 64;

/** Advice for every malformed file. */
export const DAMAGED = 'The file is damaged, cut off or of another format; produce it again.';

/** Where a pointer leads: segment, first word there, and the pointer word that describes the object. */
export interface Target {
  readonly segment: number;
  readonly word: number;
  readonly low: number;
  readonly high: number;
}

/** Position and element shape of a list; `stepBytes` apart, `dataBytes` of data, then `pointers` pointers. */
export interface ListShape {
  readonly segment: number;
  readonly word: number;
  readonly count: number;
  readonly stepBytes: number;
  readonly dataBytes: number;
  readonly pointers: number;
}

/** Data bytes and pointers of list elements by their size code; bits (1) and structs (7) are special. */
const ELEMENT_BYTES = [0, 0, 1, 2, 4, 8, 0];
const BITS = 1;
const POINTERS = 6;
const STRUCTS = 7;

/** The segments of one message and the words that may still be visited. */
export class Segments {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly #start: number[] = [];
  readonly #words: number[] = [];
  #budget = VISIT_SLACK;

  constructor(bytes: Uint8Array) {
    // A plain Uint8Array, so that views of a Buffer are no Buffers.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = bytes.byteLength;
    if (size < 16) throw malformed(`the file has ${size} bytes, the smallest message has 16`, { size });
    const count = this.view.getUint32(0, true) + 1;
    if (count > MAXIMUM_SEGMENTS) {
      throw malformed(`${count} segments are declared, at most ${MAXIMUM_SEGMENTS} are accepted`, { count });
    }
    let start = 8 * Math.ceil((4 + 4 * count) / 8);
    if (start > size)
      throw malformed(`the table of ${count} segments does not fit in ${size} bytes`, { count, size });
    for (let segment = 0; segment < count; segment += 1) {
      const words = this.view.getUint32(4 + 4 * segment, true);
      this.#start.push(start);
      this.#words.push(words);
      this.#budget += words;
      start += 8 * words;
    }
    if (start !== size) {
      throw malformed(`the segment table asks for ${start} bytes, the file has ${size}`, {
        expected: start,
        size,
      });
    }
    if (this.#words[0] === 0) throw malformed('the first segment is empty, so there is no root pointer');
  }

  /** Byte offset of a word that `target` has checked. */
  byteOf(segment: number, word: number): number {
    return this.#start[segment]! + 8 * word;
  }

  /** Follows the pointer at a checked word; undefined when it is null. */
  target(segment: number, word: number, name: string): Target | undefined {
    const at = this.byteOf(segment, word);
    const low = this.view.getUint32(at, true);
    const high = this.view.getUint32(at + 4, true);
    if (low === 0 && high === 0) return undefined;
    if ((low & 3) === 2) return this.#far(low, high, name);
    if ((low & 3) === 3) throw malformed(`${name}: pointer of unknown type ${low & 0xff}`, { segment, word });
    return { segment, word: word + 1 + ((low | 0) >> 2), low, high };
  }

  #far(low: number, high: number, name: string): Target {
    const double = (low & 4) !== 0;
    const pad = low >>> 3;
    this.claim(high, pad, double ? 2 : 1, name);
    const at = this.byteOf(high, pad);
    const padLow = this.view.getUint32(at, true);
    const padHigh = this.view.getUint32(at + 4, true);
    if (!double) {
      if ((padLow & 2) !== 0) {
        throw malformed(`${name}: landing pad is neither a struct nor a list pointer`, {
          segment: high,
          word: pad,
        });
      }
      return { segment: high, word: pad + 1 + ((padLow | 0) >> 2), low: padLow, high: padHigh };
    }
    const tagLow = this.view.getUint32(at + 8, true);
    const tagHigh = this.view.getUint32(at + 12, true);
    if ((padLow & 7) !== 2 || tagLow > 1) {
      throw malformed(`${name}: malformed landing pad of a double-far pointer`, { segment: high, word: pad });
    }
    return { segment: padHigh, word: padLow >>> 3, low: tagLow, high: tagHigh };
  }

  /** Checks that an object lies in its segment and takes its words from the budget. */
  claim(segment: number, word: number, words: number, name: string): void {
    const available = this.#words[segment];
    if (available === undefined) {
      throw malformed(`${name}: points into segment ${segment} of ${this.#words.length}`, { segment });
    }
    if (word < 0 || word + words > available) {
      throw malformed(
        `${name}: ${words} words at word ${word} exceed segment ${segment} of ${available} words`,
        {
          segment,
          word,
          words,
          available,
        },
      );
    }
    this.spend(words, name);
  }

  spend(words: number, name: string): void {
    this.#budget -= words;
    if (this.#budget < 0) {
      throw malformed(
        `${name}: pointers visit more words than the file of ${this.bytes.byteLength} bytes holds`,
        {
          size: this.bytes.byteLength,
        },
      );
    }
  }

  /** Follows a list pointer and checks its whole extent; undefined when it is null. */
  list(segment: number, word: number, name: string): ListShape | undefined {
    const target = this.target(segment, word, name);
    if (target === undefined) return undefined;
    if ((target.low & 3) !== 1)
      throw malformed(`${name}: a struct stands where a list belongs`, { segment, word });
    const code = target.high & 7;
    const length = target.high >>> 3;
    if (code === STRUCTS) return this.#structList(target, length, name);
    if (code === BITS)
      throw malformed(`${name}: a list of bits stands where another list belongs`, { segment, word });
    const dataBytes = ELEMENT_BYTES[code]!;
    const stepBytes = code === POINTERS ? 8 : dataBytes;
    this.claim(target.segment, target.word, Math.ceil((length * stepBytes) / 8), name);
    if (stepBytes === 0) this.spend(length, name);
    const pointers = code === POINTERS ? 1 : 0;
    return { segment: target.segment, word: target.word, count: length, stepBytes, dataBytes, pointers };
  }

  #structList({ segment, word }: Target, words: number, name: string): ListShape {
    this.claim(segment, word, words + 1, name);
    const at = this.byteOf(segment, word);
    const low = this.view.getUint32(at, true);
    const dataWords = this.view.getUint16(at + 4, true);
    const pointers = this.view.getUint16(at + 6, true);
    const count = low >>> 2;
    const step = dataWords + pointers;
    if ((low & 3) !== 0 || count * step > words) {
      throw malformed(`${name}: ${count} structs of ${step} words are declared in a list of ${words} words`, {
        segment,
        word,
        count,
        step,
        words,
      });
    }
    if (step === 0) this.spend(count, name);
    return { segment, word: word + 1, count, stepBytes: 8 * step, dataBytes: 8 * dataWords, pointers };
  }
}

/** The error of a message that breaks the encoding. */
export function malformed(detail: string, facts: PackageErrorFacts = {}): PackageError {
  return new PackageError('capnp', detail, { verdict: 'infra-error', facts, advice: DAMAGED });
}
