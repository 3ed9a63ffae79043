import { PackageError } from '../error.ts';
import { DAMAGED, type ListShape, malformed, Segments } from './segments.ts';

/** Read access to one struct; absent fields of shorter (older) structs read as their defaults. */
export class StructReader {
  readonly #segments: Segments;
  #segment = 0;
  /** Absolute byte offset of the data section. */
  #data = 0;
  #dataBytes = 0;
  #pointerWord = 0;
  #pointers = 0;

  private constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** The root struct of a framed message. Throws PackageError of kind `capnp`. */
  static root(bytes: Uint8Array): StructReader {
    const segments = new Segments(bytes);
    segments.spend(1, 'root');
    return new StructReader(segments).#follow(0, 0, 'root');
  }

  u16(offset: number): number {
    return offset + 2 <= this.#dataBytes ? this.#segments.view.getUint16(this.#data + offset, true) : 0;
  }

  u32(offset: number, defaultValue = 0): number {
    if (offset + 4 > this.#dataBytes) return defaultValue;
    return (this.#segments.view.getUint32(this.#data + offset, true) ^ defaultValue) >>> 0;
  }

  /** 64-bit unsigned integer; above 2^53 - 1 it is an `invalid` error, as no number could hold it. */
  u64(offset: number, name: string): number {
    if (offset + 8 > this.#dataBytes) return 0;
    const value = this.#segments.view.getBigUint64(this.#data + offset, true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new PackageError('invalid', `${name} is ${value}, above the largest exact integer 2^53 - 1`, {
        verdict: 'infra-error',
        facts: { value: value.toString() },
        advice: DAMAGED,
      });
    }
    return Number(value);
  }

  /** View of a byte blob; empty when absent. */
  data(slot: number, name: string): Uint8Array {
    return this.#bytes(slot, name) ?? new Uint8Array(0);
  }

  /** Text without its terminator; empty when absent. Broken UTF-8 is an `utf8` error. */
  text(slot: number, name: string): string {
    const bytes = this.#bytes(slot, name);
    if (bytes === undefined) return '';
    if (bytes.length === 0 || bytes[bytes.length - 1] !== 0) {
      throw malformed(`${name}: text of ${bytes.length} bytes has no terminating zero`, {
        length: bytes.length,
      });
    }
    return decodeUtf8(bytes.subarray(0, bytes.length - 1), name);
  }

  u32List(slot: number, name: string): number[] {
    const list = this.#list(slot, name);
    if (list === undefined) return [];
    if (list.dataBytes < 4) {
      throw malformed(
        `${name}: elements with ${list.dataBytes} bytes of data stand where 32-bit integers belong`,
      );
    }
    const values: number[] = [];
    const start = this.#segments.byteOf(list.segment, list.word);
    for (let index = 0; index < list.count; index += 1) {
      values.push(this.#segments.view.getUint32(start + index * list.stepBytes, true));
    }
    return values;
  }

  /** Decodes every struct of a list; `decode` must not keep the reader, which moves on to the next struct. */
  structs<T>(slot: number, name: string, decode: (struct: StructReader, index: number) => T): T[] {
    const list = this.#list(slot, name);
    const decoded: T[] = [];
    if (list === undefined) return decoded;
    const element = new StructReader(this.#segments);
    element.#segment = list.segment;
    element.#dataBytes = list.dataBytes;
    element.#pointers = list.pointers;
    const start = this.#segments.byteOf(list.segment, list.word);
    for (let index = 0; index < list.count; index += 1) {
      element.#data = start + index * list.stepBytes;
      element.#pointerWord = list.word + (index * list.stepBytes + list.dataBytes) / 8;
      decoded.push(decode(element, index));
    }
    return decoded;
  }

  /** A nested struct; all defaults when absent. */
  struct(slot: number, name: string): StructReader {
    const reader = new StructReader(this.#segments);
    return slot < this.#pointers ? reader.#follow(this.#segment, this.#pointerWord + slot, name) : reader;
  }

  #bytes(slot: number, name: string): Uint8Array | undefined {
    const list = this.#list(slot, name);
    if (list === undefined) return undefined;
    if (list.dataBytes !== 1) {
      throw malformed(`${name}: elements with ${list.dataBytes} bytes of data stand where bytes belong`);
    }
    const start = this.#segments.byteOf(list.segment, list.word);
    return this.#segments.bytes.subarray(start, start + list.count);
  }

  #list(slot: number, name: string): ListShape | undefined {
    if (slot >= this.#pointers) return undefined;
    return this.#segments.list(this.#segment, this.#pointerWord + slot, name);
  }

  #follow(segment: number, word: number, name: string): StructReader {
    const target = this.#segments.target(segment, word, name);
    if (target === undefined) return this;
    if ((target.low & 3) !== 0)
      throw malformed(`${name}: a list stands where a struct belongs`, { segment, word });
    const dataWords = target.high & 0xffff;
    this.#pointers = target.high >>> 16;
    this.#segments.claim(target.segment, target.word, dataWords + this.#pointers, name);
    this.#segment = target.segment;
    this.#data = this.#segments.byteOf(target.segment, target.word);
    this.#dataBytes = 8 * dataWords;
    this.#pointerWord = target.word + dataWords;
    return this;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new PackageError('utf8', `${name}: ${bytes.length} bytes are not valid UTF-8`, {
      verdict: 'infra-error',
      facts: { length: bytes.length },
      advice: DAMAGED,
      cause,
    });
  }
}
