import { deriveSeed } from '../../../harness/case/index.ts';
import { type WordStream, wordStream } from '../../../harness/fill/index.ts';
import type { ElementKind } from './row.ts';

/** `ISA_PROOF=full` proves over every pair of the lattice and a million random operands. */
export const FULL = process.env['ISA_PROOF'] === 'full';

/** Seeded words that belong to a name. */
export const wordsFor = (name: string): WordStream => wordStream(deriveSeed(`isa/numbers/${name}`, 'words'));

/**
 * 4,096 f16 patterns: both signs of every exponent with 64 fractions each, where roundings, carries, ties and the two
 * kinds of NaN change.
 */
export const LATTICE: Uint16Array = (() => {
  const words = wordsFor('lattice');
  const edges = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((low) => [low, 0x1f8 + low, 0x200 + low, 0x3f8 + low]);
  for (let bit = 3; bit < 10; bit++) edges.push(1 << bit, (1 << bit) + 1, 0x3ff ^ (1 << bit));
  const codes: number[] = [];
  let next = 0;
  for (let exponent = 0; exponent < 32; exponent++)
    for (const sign of [0, 0x8000]) {
      const fractions = new Set(edges);
      while (fractions.size < 64) fractions.add(words(next++) & 0x3ff);
      for (const fraction of [...fractions].slice(0, 64)) codes.push(sign | (exponent << 10) | fraction);
    }
  return Uint16Array.from(codes);
})();

/** Every pattern of f16. */
export const ALL_HALVES = Uint16Array.from({ length: 65_536 }, (_, code) => code);
/** Every pattern of f8. */
export const ALL_QUARTERS = Uint8Array.from({ length: 256 }, (_, code) => code);

/** Elements packed from the lowest bits on. */
export function packed(elements: ArrayLike<number>, bits: 8 | 16 | 32): Uint32Array {
  const each = 32 / bits;
  return Uint32Array.from({ length: elements.length / each }, (_, word) => {
    let value = 0;
    for (let lane = 0; lane < each; lane++) value |= elements[each * word + lane] << (bits * lane);
    return value >>> 0;
  });
}

/** Zeros, subnormals, powers of two and their neighbours, halfway cases, the extremes, infinity and NaN. */
export const SINGLE_EDGES: readonly number[] = [
  0, 1, 2, 3, 0x7ffffe, 0x7fffff, 0x800000, 0x800001, 0x00ffffff, 0x33000000, 0x33800000, 0x33800001,
  0x387fc000, 0x387fe000, 0x38800000, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001,
  0x3fc00000, 0x40000000, 0x40200000, 0x477fe000, 0x477fefff, 0x477ff000, 0x477ff001, 0x4affffff, 0x4b000000,
  0x4b000001, 0x4b7fffff, 0x4b800000, 0x4b800001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x7e800000,
  0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff,
].flatMap((code) => [code, code + 0x80000000]);

/** Every edge against every edge comes first in a long enough list. */
const EDGE_COUNT = SINGLE_EDGES.length;
const EDGE_PAIRS = EDGE_COUNT ** 2;

const pick = <T>(list: readonly T[] | Uint16Array, word: number): T => list[word % list.length] as T;
const MIDPOINTS = [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff];

/** An f32 of one of several kinds, so that ties, cancellation, subnormals and overflow all happen. */
function single(kind: number, word: number, other: number): number {
  const signed = (exponent: number, fraction: number) =>
    (((other & 1) << 31) | ((exponent & 255) << 23) | (fraction & 0x7fffff)) >>> 0;
  switch (kind % 8) {
    case 0:
      return word;
    case 1:
      return pick(SINGLE_EDGES, other >>> 3);
    case 2: // few digits, so that products and sums are often exact or halfway
      return signed(112 + ((other >>> 1) % 32), word & 0x7ff800);
    case 3: // the ends of the range
      return signed(((other >>> 1) % 8) - 4, word);
    case 4: // beside f16 numbers and halfway between them
      return signed(102 + ((other >>> 1) % 42), (word & 0x7fe000) + pick(MIDPOINTS, other >>> 8));
    case 5: // around the integers of 32 bits and their halves
      return signed(120 + ((other >>> 1) % 40), other & 0x40000000 ? word & 0x7f0000 : word);
    default:
      return signed(100 + ((other >>> 1) % 40), word);
  }
}

/** Second operand beside a first: near it, its opposite, or about half of its last digit, in addition to all kinds. */
function partner(first: number, kind: number, word: number, other: number): number {
  const exponent = (first >>> 23) & 255;
  switch (kind % 16) {
    case 8:
      return ((first ^ 0x80000000) + ((word % 5) - 2)) >>> 0;
    case 9:
    case 10: // 2^-23 to 2^-26 of the first, with few digits
      return (
        (((other & 1) << 31) | (Math.max(0, exponent - 23 - (word % 4)) << 23) | (word & 0x600000)) >>> 0
      );
    case 11:
      return (first + ((word % 5) - 2)) >>> 0;
    default:
      return single(word >>> 7, word, other);
  }
}

const HALF_SPECIALS = [0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7d01, 0x7e00].flatMap((code) => [
  code,
  code + 0x8000,
]);

/** An f16 of the lattice or any other; beside another one also that one, its neighbours and their opposites. */
function half(word: number, first: number | undefined): number {
  const code = word & 0xffff;
  const kind = (word >>> 16) % 16;
  if (first !== undefined && kind === 15) return first ^ (word & 0x8000);
  if (first !== undefined && kind === 14)
    return ((first ^ (word & 0x8000)) + ((word >>> 20) % 5) - 2) & 0xffff;
  if (kind === 13) return pick(HALF_SPECIALS, word >>> 20);
  return kind % 4 === 0 ? pick<number>(LATTICE, word >>> 20) : code;
}

const integer = (word: number, other: number): number =>
  other % 4 === 0
    ? (word >>> ((other >>> 8) % 32)) >>> 0
    : other % 4 === 1
      ? ~(word >>> ((other >>> 8) % 31)) >>> 0
      : word;

/** Seeded elements of a kind; with `beside`, floating point elements are chosen in view of the ones there. */
export function elements(kind: ElementKind, count: number, name: string, beside?: Uint32Array): Uint32Array {
  const words = wordsFor(name);
  const list = new Uint32Array(count);
  const edges = kind === 'f32' && count > EDGE_PAIRS ? EDGE_PAIRS : 0;
  for (let at = 0; at < count; at++) {
    const first = beside?.[at % beside.length];
    if (at < edges)
      list[at] = SINGLE_EDGES[beside === undefined ? at % EDGE_COUNT : Math.floor(at / EDGE_COUNT)];
    else if (kind === 'f16') list[at] = half(words(at), first);
    else if (kind === 'f32') list[at] = single32(words(2 * at), words(2 * at + 1), first);
    else if (kind === 'u32') list[at] = integer(words(2 * at), words(2 * at + 1));
    else list[at] = words(at) % (kind === 'u16' ? 65_536 : 256);
  }
  return list;
}

const single32 = (word: number, other: number, first: number | undefined): number =>
  first === undefined ? single(other >>> 28, word, other) : partner(first, other >>> 28, word, other);
