/** Where an object of a resegmented message goes, and how pointers from other segments reach it. */
export interface Placement {
  readonly segment: number;
  readonly doubleFar: boolean;
}

/**
 * Spreads a well-formed one-segment message over `segmentCount` segments, with far and double-far pointers
 * in place of plain ones, as the growing arenas of other writers produce them. Content stays the same.
 * `place` is asked once per object, in depth-first order.
 */
export function resegment(message: Uint8Array, segmentCount: number, place: () => Placement): Uint8Array {
  const view = new DataView(message.buffer, message.byteOffset + 8, message.byteLength - 8);
  const source = (word: number) => view.getBigUint64(8 * word, true);
  const segments: bigint[][] = Array.from({ length: segmentCount }, () => []);

  const allocate = (segment: number, words: number): number => {
    const start = segments[segment]!.length;
    for (let index = 0; index < words; index += 1) segments[segment]!.push(0n);
    return start;
  };

  /** Copies what the pointer at `from` leads to and writes a pointer to the copy. */
  const copyPointer = (from: number, segment: number, word: number): void => {
    const pointer = source(from);
    if (pointer === 0n) return;
    const content = from + 1 + Number(BigInt.asIntN(30, (pointer & 0xffffffffn) >> 2n));
    const placement = place();
    const copy =
      (pointer & 3n) === 0n
        ? copyStruct(pointer, content, placement.segment)
        : copyList(pointer, content, placement.segment);
    const shape = (pointer & 3n) | ((pointer >> 32n) << 32n);
    if (placement.segment === segment) {
      segments[segment]![word] = shape | offset(copy - word - 1);
      return;
    }
    if (!placement.doubleFar) {
      const pad = allocate(placement.segment, 1);
      segments[placement.segment]![pad] = shape | offset(copy - pad - 1);
      segments[segment]![word] = far(false, pad, placement.segment);
      return;
    }
    const padSegment = (placement.segment + 1) % segmentCount;
    const pad = allocate(padSegment, 2);
    segments[padSegment]![pad] = far(false, copy, placement.segment);
    segments[padSegment]![pad + 1] = shape;
    segments[segment]![word] = far(true, pad, padSegment);
  };

  const copyStruct = (pointer: bigint, content: number, segment: number): number => {
    const dataWords = Number((pointer >> 32n) & 0xffffn);
    const pointers = Number(pointer >> 48n);
    const copy = allocate(segment, dataWords + pointers);
    copyBody(content, segment, copy, dataWords, pointers);
    return copy;
  };

  const copyBody = (from: number, segment: number, to: number, dataWords: number, pointers: number): void => {
    for (let index = 0; index < dataWords; index += 1) segments[segment]![to + index] = source(from + index);
    for (let index = 0; index < pointers; index += 1) {
      copyPointer(from + dataWords + index, segment, to + dataWords + index);
    }
  };

  const copyList = (pointer: bigint, content: number, segment: number): number => {
    const code = Number((pointer >> 32n) & 7n);
    const count = Number(pointer >> 35n);
    if (code === 7) {
      const tag = source(content);
      const copy = allocate(segment, 1 + count);
      segments[segment]![copy] = tag;
      const dataWords = Number((tag >> 32n) & 0xffffn);
      const pointers = Number(tag >> 48n);
      const elements = Number((tag & 0xffffffffn) >> 2n);
      for (let index = 0; index < elements; index += 1) {
        const at = 1 + index * (dataWords + pointers);
        copyBody(content + at, segment, copy + at, dataWords, pointers);
      }
      return copy;
    }
    const bits = [0, 1, 8, 16, 32, 64]![code]!;
    const words = Math.ceil((count * bits) / 64);
    const copy = allocate(segment, words);
    copyBody(content, segment, copy, words, 0);
    return copy;
  };

  copyPointer(0, 0, allocate(0, 1));
  return frame(segments);
}

/** Offset bits of a struct or list pointer, in words. */
function offset(words: number): bigint {
  return BigInt.asUintN(30, BigInt(words)) << 2n;
}

function far(double: boolean, pad: number, segment: number): bigint {
  return 2n | (double ? 4n : 0n) | (BigInt(pad) << 3n) | (BigInt(segment) << 32n);
}

/** Stream framing: segment table, padded to a word, then the segments. */
export function frame(segments: readonly (readonly bigint[])[]): Uint8Array {
  const header = 8 * Math.ceil((4 + 4 * segments.length) / 8);
  const words = segments.flat();
  const bytes = new Uint8Array(header + 8 * words.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, segments.length - 1, true);
  for (const [index, segment] of segments.entries()) view.setUint32(4 + 4 * index, segment.length, true);
  for (const [index, word] of words.entries()) view.setBigUint64(header + 8 * index, word, true);
  return bytes;
}
