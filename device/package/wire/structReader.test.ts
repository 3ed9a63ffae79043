import { describe, expect, it } from 'vitest';
import { PackageError } from '../error.ts';
import { frame } from '../testing/resegment.ts';
import { StructReader } from './structReader.ts';

const struct = (offset: number, data: number, pointers: number) =>
  (BigInt.asUintN(30, BigInt(offset)) << 2n) | (BigInt(data) << 32n) | (BigInt(pointers) << 48n);
const list = (offset: number, code: number, count: number) =>
  1n | (BigInt.asUintN(30, BigInt(offset)) << 2n) | (BigInt(code) << 32n) | (BigInt(count) << 35n);
const far = (word: number, segment: number, double = false) =>
  2n | (double ? 4n : 0n) | (BigInt(word) << 3n) | (BigInt(segment) << 32n);
/** Tag word of a list of structs. */
const tag = (count: number, data: number, pointers: number) => struct(count, data, pointers);
const bytesOf = (text: string) =>
  [...new TextEncoder().encode(text.padEnd(8, '\0'))].reduce(
    (word, byte, at) => word | (BigInt(byte) << BigInt(8 * at)),
    0n,
  );

/** A root struct with one pointer, which is word 1 of segment 0; further words follow it. */
const withPointer = (pointer: bigint, ...rest: bigint[]) =>
  StructReader.root(frame([[struct(0, 0, 1), pointer, ...rest]]));
const names = (reader: StructReader) => reader.structs(0, 'items', (item) => item.u32(0));

describe('struct reader', () => {
  it('reads fields and gives defaults for what an older writer left out', () => {
    const reader = StructReader.root(frame([[struct(0, 1, 0), 0xaabbccdd_00000003n]]));
    expect([reader.u16(0), reader.u32(0), reader.u32(4), reader.u32(0, 1)]).toEqual([3, 3, 0xaabbccdd, 2]);
    expect([reader.u16(8), reader.u32(8), reader.u32(8, 1), reader.u64(8, 'size')]).toEqual([0, 0, 1, 0]);
    expect([
      reader.text(0, 'name'),
      reader.data(0, 'data'),
      reader.u32List(0, 'shape'),
      names(reader),
    ]).toEqual(['', new Uint8Array(0), [], []]);
    expect(reader.struct(0, 'nested').u32(0)).toBe(0);
  });

  it('reads a null root as all defaults', () => {
    expect(StructReader.root(frame([[0n]])).u32(0, 1)).toBe(1);
  });

  it('ignores what a newer writer added', () => {
    const newer = withPointer(list(0, 7, 6), tag(2, 2, 1), 1n, 99n, far(9, 9), 2n, 99n, far(9, 9));
    expect(names(newer)).toEqual([1, 2]);
  });

  it('reads structs from lists of plain values and values from lists of structs', () => {
    expect(names(withPointer(list(0, 4, 3), 0x2_00000001n, 3n))).toEqual([1, 2, 3]);
    expect(names(withPointer(list(0, 0, 3)))).toEqual([0, 0, 0]);
    const pointers = withPointer(list(0, 6, 2), list(1, 2, 2), 0n, bytesOf('a'));
    expect(pointers.structs(0, 'items', (item) => item.text(0, 'name'))).toEqual(['a', '']);
    expect(withPointer(list(0, 7, 4), tag(2, 2, 0), 7n, 0n, 8n, 0n).u32List(0, 'shape')).toEqual([7, 8]);
  });

  it('follows far and double-far pointers', () => {
    const single = [
      [struct(0, 0, 1), far(1, 1)],
      [bytesOf('text'), list(-2, 2, 5)],
    ];
    expect(StructReader.root(frame(single)).text(0, 'name')).toBe('text');
    const double = [
      [struct(0, 0, 1), far(0, 1, true)],
      [far(1, 2), list(0, 2, 5)],
      [0n, bytesOf('text')],
    ];
    expect(StructReader.root(frame(double)).text(0, 'name')).toBe('text');
    expect(StructReader.root(frame([[far(0, 1)], [struct(0, 1, 0), 5n]])).u32(0)).toBe(5);
  });

  it('keeps a byte order mark and bytes beyond the basic plane', () => {
    const bytes = new TextEncoder().encode('\ufeff😀\0');
    const words = [bytesOf('\ufeff😀'.slice(0, 3))];
    expect(bytes.length).toBe(8);
    expect(withPointer(list(0, 2, 8), ...words).text(0, 'name')).toBe('\ufeff😀');
  });

  it('reads 64-bit numbers up to 2^53 - 1', () => {
    const size = (value: bigint) => StructReader.root(frame([[struct(0, 1, 0), value]])).u64(0, 'size');
    expect(size(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => size(2n ** 53n)).toThrow(
      'invalid package: size is 9007199254740992, above the largest exact integer 2^53 - 1',
    );
    expect(() => size(2n ** 64n - 1n)).toThrow(/is 18446744073709551615/);
  });
});

describe('malformed messages', () => {
  const raw = (...values: number[]) => new Uint8Array(new Uint32Array(values).buffer);
  const root =
    (...words: bigint[]) =>
    () =>
      StructReader.root(frame([words]));
  const text =
    (...words: bigint[]) =>
    () =>
      withPointer(...(words as [bigint])).text(0, 'name');
  const items =
    (...words: bigint[]) =>
    () =>
      names(withPointer(...(words as [bigint])));

  it.each<[string, () => unknown, RegExp]>([
    ['no bytes', () => StructReader.root(new Uint8Array(0)), /the file has 0 bytes/],
    ['half a header', () => StructReader.root(raw(0)), /the file has 4 bytes/],
    [
      'too many segments',
      () => StructReader.root(raw(511, 1, 0, 0)),
      /512 segments are declared, at most 511/,
    ],
    ['a wrapped segment count', () => StructReader.root(raw(0xffffffff, 1, 0, 0)), /4294967296 segments/],
    [
      'a cut segment table',
      () => StructReader.root(raw(9, 1, 0, 0)),
      /table of 10 segments does not fit in 16/,
    ],
    ['a cut segment', () => StructReader.root(raw(0, 2, 0, 0)), /asks for 24 bytes, the file has 16/],
    ['a huge segment', () => StructReader.root(raw(0, 0xffffffff, 0, 0)), /asks for 34359738368 bytes/],
    [
      'bytes after the message',
      () => StructReader.root(raw(0, 1, 0, 0, 0, 0)),
      /asks for 16 bytes, the file has 24/,
    ],
    ['an empty first segment', () => StructReader.root(raw(1, 0, 1, 0, 0, 0)), /first segment is empty/],
    ['a root list', root(list(0, 2, 0)), /root: a list stands where a struct belongs/],
    [
      'a root beyond the segment',
      root(struct(0, 1, 0)),
      /root: 1 words at word 1 exceed segment 0 of 1 words/,
    ],
    ['a root before the segment', root(struct(-2, 0, 0)), /root: 0 words at word -1/],
    ['a capability', root(3n), /root: pointer of unknown type 3/],
    ['a struct for a list', items(struct(-1, 0, 0)), /items: a struct stands where a list belongs/],
    ['a list of bits', items(list(0, 1, 8), 0n), /items: a list of bits/],
    ['a list beyond the segment', items(list(0, 4, 3), 0n), /items: 2 words at word 2 exceed segment 0 of 3/],
    ['a list of 2^29 - 1 elements', items(list(0, 5, 2 ** 29 - 1)), /536870911 words at word 2/],
    ['a missing tag', items(list(0, 7, 0)), /items: 1 words at word 2/],
    [
      'more structs than words',
      items(list(0, 7, 1), tag(2, 1, 0), 0n),
      /2 structs of 1 words are declared in a list of 1/,
    ],
    ['a tag that is no struct', items(list(0, 7, 1), list(1, 0, 0), 0n), /are declared in a list of 1 words/],
    ['2^29 structs without words', items(list(0, 7, 0), tag(2 ** 29, 0, 0)), /pointers visit more words/],
    ['2^29 voids', items(list(0, 0, 2 ** 29 - 1)), /pointers visit more words/],
    [
      'narrow integers',
      () => withPointer(list(0, 3, 4), 0n).u32List(0, 'shape'),
      /shape: elements with 2 bytes/,
    ],
    ['wide text', text(list(0, 4, 1), 0n), /name: elements with 4 bytes of data stand where bytes/],
    [
      'text without end',
      text(list(0, 2, 4), bytesOf('text')),
      /name: text of 4 bytes has no terminating zero/,
    ],
    ['empty text without end', text(list(0, 2, 0)), /name: text of 0 bytes has no terminating zero/],
    ['a missing segment', text(far(0, 1)), /name: points into segment 1 of 1/],
    ['a pad beyond its segment', text(far(9, 0)), /name: 1 words at word 9/],
    ['half a double-far pad', text(far(2, 0, true), far(0, 0)), /name: 2 words at word 2/],
    ['a pad that is far again', text(far(2, 0), far(2, 0)), /landing pad is neither a struct nor a list/],
    ['a double pad without far pointer', text(far(2, 0, true), 0n, list(0, 2, 0)), /malformed landing pad/],
    ['a double pad with offset', text(far(2, 0, true), far(0, 0), list(1, 2, 0)), /malformed landing pad/],
    [
      'a double pad into nowhere',
      text(far(2, 0, true), far(0, 7), list(0, 2, 1)),
      /points into segment 7 of 1/,
    ],
  ])('%s', (_, read, message) => {
    expect(read).toThrow(message);
    expect(read).toThrow(PackageError);
    expect(read).toThrow(/^Cap'n Proto error: /);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['a code point above 0x10ffff', [0xf4, 0x90, 0x80, 0x80]],
  ])('text with %s is a UTF-8 error', (_, bytes) => {
    const word = bytes.reduce((sum, byte, at) => sum | (BigInt(byte) << BigInt(8 * at)), 0n);
    expect(text(list(0, 2, bytes.length + 1), word)).toThrow(
      `invalid UTF-8 text: name: ${bytes.length} bytes are not valid UTF-8`,
    );
  });

  it('a list that contains itself ends', () => {
    const inner = (reader: StructReader): number[] =>
      reader.structs(0, 'items', (item) => inner(item).length);
    // The only element's pointer leads back to its own list.
    expect(() => inner(withPointer(list(0, 7, 1), tag(1, 0, 1), list(-2, 7, 1)))).toThrow(
      /pointers visit more words/,
    );
  });

  it('structs that share one large list are not multiplied', () => {
    const elements = 1000;
    const shared = Array.from({ length: elements }, (_, index) => list(elements - 1 - index, 4, 2000));
    const reader = withPointer(
      list(0, 7, elements),
      tag(elements, 0, 1),
      ...shared,
      ...Array.from({ length: 1000 }, () => 0n),
    );
    let values = 0;
    const visit = () =>
      reader.structs(0, 'items', (item) => {
        values += item.u32List(0, 'values').length;
      });
    expect(visit).toThrow(/pointers visit more words/);
    expect(values).toBeLessThanOrEqual(4000);
  });
});
