import { below, wordStream } from './counter.ts';

/** Normal f16 numbers of either sign: codes 0x0400..0x7bff and 0x8400..0xfbff. */
export const SIGNATURES = 61_440;
const PER_SIGN = SIGNATURES / 2;

/**
 * Signatures give every element of a matrix an f16 number of its own: element `index` of block
 * `floor(index / 61440)` gets the code `(index * multiplier + offset) mod 61440`, with constants of the
 * block drawn from the seed. Two elements of one block never share a number.
 */
export interface Signatures {
  bitsOf(index: number): number;
  /** All element indices below `count` with these bits, ascending. */
  sourcesOf(bits: number, count: number): readonly number[];
}

interface Block {
  readonly multiplier: number;
  readonly inverse: number;
  readonly offset: number;
}

export function signatures(seed: bigint): Signatures {
  const words = wordStream(seed);
  const blocks: Block[] = [];
  const blockAt = (number: number): Block => {
    while (blocks.length <= number) {
      const place = blocks.length * 2;
      const multiplier = coprimeMultiplier(below(words(place), SIGNATURES));
      const offset = below(words(place + 1), SIGNATURES);
      blocks.push({ multiplier, inverse: inverseOf(multiplier), offset });
    }
    return blocks[number];
  };
  return {
    bitsOf(index) {
      const { multiplier, offset } = blockAt(Math.floor(index / SIGNATURES));
      const code = ((index % SIGNATURES) * multiplier + offset) % SIGNATURES;
      return code < PER_SIGN ? 0x0400 + code : 0x8400 + (code - PER_SIGN);
    },
    sourcesOf(bits, count) {
      const magnitude = bits & 0x7fff;
      if (magnitude < 0x0400 || magnitude > 0x7bff) return [];
      const code = magnitude - 0x0400 + ((bits & 0x8000) === 0 ? 0 : PER_SIGN);
      const sources: number[] = [];
      for (let block = 0; block * SIGNATURES < count; block++) {
        const { inverse, offset } = blockAt(block);
        const place = ((code - offset + SIGNATURES) * inverse) % SIGNATURES;
        const index = block * SIGNATURES + place;
        if (index < count) sources.push(index);
      }
      return sources;
    },
  };
}

/** The next number from `start` on that shares no factor with 61440 = 2^12 * 3 * 5. */
function coprimeMultiplier(start: number): number {
  let candidate = start | 1;
  while (candidate % 3 === 0 || candidate % 5 === 0) candidate += 2;
  return candidate % SIGNATURES;
}

/** Inverse modulo 61440 by the extended Euclidean algorithm. */
function inverseOf(value: number): number {
  let [r0, r1] = [SIGNATURES, value];
  let [t0, t1] = [0, 1];
  while (r1 !== 0) {
    const quotient = Math.floor(r0 / r1);
    [r0, r1] = [r1, r0 - quotient * r1];
    [t0, t1] = [t1, t0 - quotient * t1];
  }
  return (t0 + SIGNATURES) % SIGNATURES;
}
