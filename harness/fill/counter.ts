/**
 * Counter-based random words: word i of a stream depends on the seed and on i only, so a tensor is the
 * same whatever the order or the number of threads that make it. Threefry-2x32 with 20 rounds (Salmon,
 * Moraes, Dror, Shaw 2011): the seed is the key, the counter is i / 2.
 */
export type WordStream = (index: number) => number;

const ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24] as const;
const PARITY = 0x1bd11bda;

/** One Threefry-2x32-20 block; all arguments and results are unsigned 32-bit words. */
export function threefry(key0: number, key1: number, counter0: number, counter1: number): [number, number] {
  const keys = [key0, key1, PARITY ^ key0 ^ key1];
  let x0 = (counter0 + key0) | 0;
  let x1 = (counter1 + key1) | 0;
  for (let round = 0; round < 20; round++) {
    const rotation = ROTATIONS[round & 7];
    x0 = (x0 + x1) | 0;
    x1 = (x1 << rotation) | (x1 >>> (32 - rotation));
    x1 ^= x0;
    if ((round & 3) === 3) {
      const injection = (round + 1) >>> 2;
      x0 = (x0 + keys[injection % 3]) | 0;
      x1 = (x1 + keys[(injection + 1) % 3] + injection) | 0;
    }
  }
  return [x0 >>> 0, x1 >>> 0];
}

/** The stream of unsigned 32-bit words of a 64-bit seed; index is any integer from 0 to 2^53 - 1. */
export function wordStream(seed: bigint): WordStream {
  const key0 = Number(BigInt.asUintN(32, seed));
  const key1 = Number(BigInt.asUintN(32, seed >> 32n));
  let cachedBlock = -1;
  let cached: [number, number] = [0, 0];
  return (index) => {
    const block = Math.floor(index / 2);
    if (block !== cachedBlock) {
      cached = threefry(key0, key1, block >>> 0, Math.floor(block / 2 ** 32));
      cachedBlock = block;
    }
    return cached[index % 2];
  };
}

/** An integer from 0 to `limit` - 1, for limits far below 2^32; the bias is below limit / 2^32. */
export function below(word: number, limit: number): number {
  return Math.floor((word / 2 ** 32) * limit);
}
