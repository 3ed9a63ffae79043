import { createHash } from 'node:crypto';

/**
 * Seed of one tensor of one case: the first 8 bytes, big-endian, of SHA-256 over the UTF-8 text
 * `<canonical case line> NUL <tensor name>`. Hashing keeps the streams of two tensors unrelated; seeds
 * that differ by an exclusive-or would give the same numbers in another order.
 */
export function deriveSeed(line: string, tensor: string): bigint {
  return createHash('sha256').update(`${line}\0${tensor}`, 'utf8').digest().readBigUInt64BE(0);
}

/** 16 hexadecimal digits, as printed in records. */
export function formatSeed(seed: bigint): string {
  return `0x${BigInt.asUintN(64, seed).toString(16).padStart(16, '0')}`;
}
