/** Number formats as the tests understand them, written without looking at the engine. */

/** Value of an f16 code. */
export function halfValue(code: number): number {
  const sign = code & 0x8000 ? -1 : 1;
  const exponent = (code >> 10) & 31;
  const fraction = code & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Finite non-negative f16 values in order; the index is the code. */
const HALVES = Array.from({ length: 0x7c00 }, (_, code) => halfValue(code));

export type Mode = 0 | 1 | 2 | 3 | 4;
export const MODES: readonly Mode[] = [0, 1, 2, 3, 4];

/**
 * Index of the entry of an ascending grid that a non-negative value rounds to; `grid.length` when it leaves
 * the grid. The grid goes on with the step of its last interval.
 */
export function roundOnGrid(grid: readonly number[], value: number, negative: boolean, mode: Mode): number {
  const last = grid.length - 1;
  const beyond = 2 * grid[last] - grid[last - 1];
  const at = (index: number) => (index > last ? beyond : grid[index]);
  let low = 0;
  let high = grid.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (grid[middle] <= value) low = middle;
    else high = middle;
  }
  if (value >= beyond) return grid.length;
  if (at(low) === value) return low;
  const below = value - at(low);
  const above = at(low + 1) - value;
  const up =
    mode === 0
      ? below > above || (below === above && low % 2 === 1)
      : mode === 4
        ? below >= above
        : mode === 1
          ? !negative
          : mode === 2
            ? negative
            : false;
  return up ? low + 1 : low;
}

/** f16 code of a value rounded once. Overflow gives the largest number, or NaN when asked. */
export function halfCode(value: number, mode: Mode = 0, nanOnOverflow = false): number {
  if (Number.isNaN(value)) return 0x7e00;
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? 0x8000 : 0;
  if (!Number.isFinite(value)) return sign | 0x7c00;
  const code = roundOnGrid(HALVES, Math.abs(value), negative, mode);
  if (code >= HALVES.length) return nanOnOverflow ? 0x7e00 : sign | 0x7bff;
  return sign | code;
}

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

export function singleValue(code: number): number {
  word[0] = code;
  return single[0];
}

/** f32 code, nearest even. Every NaN is 0x7fc00000. */
export function singleCode(value: number): number {
  if (Number.isNaN(value)) return 0x7fc00000;
  single[0] = value;
  return word[0];
}

/** f32 value as a whole number of 2^-149. */
export function singleUnits(code: number): bigint {
  const exponent = (code >>> 23) & 255;
  const fraction = BigInt(code & 0x7fffff);
  const magnitude = exponent === 0 ? fraction : (fraction + 0x800000n) << BigInt(exponent - 1);
  return code >>> 31 === 1 ? -magnitude : magnitude;
}

/** f32 code of units x 2^-scale rounded once; finite results only. Scale 149 is the unit of singleUnits. */
export function roundUnits(units: bigint, scale: number, mode: Mode): number {
  const negative = units < 0n;
  const magnitude = negative ? -units : units;
  const drop = BigInt(scale - 149);
  const exact = (index: number) => singleUnits(index) << drop;
  let low = 0;
  let high = 0x7f800000;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (exact(middle) <= magnitude) low = middle;
    else high = middle;
  }
  const below = magnitude - exact(low);
  const above = exact(low + 1) - magnitude;
  if (below !== 0n) {
    const nearest = below > above || (below === above && (mode === 4 || low % 2 === 1));
    if (mode === 1 ? !negative : mode === 2 ? negative : mode === 3 ? false : nearest) low += 1;
  }
  return negative ? (low | 0x80000000) >>> 0 : low;
}

/** Value of an f8 code: 4 exponent and 3 fraction bits (bias 8), or 5 and 2 (bias 16). */
export function quarterValue(code: number, format: 'f143' | 'f152'): number {
  if (code === 0x80) return Number.NaN;
  const fractionBits = format === 'f143' ? 3 : 2;
  const bias = format === 'f143' ? 8 : 16;
  const exponent = (code & 0x7f) >> fractionBits;
  const fraction = code & ((1 << fractionBits) - 1);
  const value =
    exponent === 0
      ? fraction * 2 ** (1 - bias - fractionBits)
      : (2 ** fractionBits + fraction) * 2 ** (exponent - bias - fractionBits);
  return code & 0x80 ? -value : value;
}

/** f8 code of a value rounded once. */
export function quarterCode(
  value: number,
  format: 'f143' | 'f152',
  mode: Mode = 0,
  nanOnOverflow = false,
): number {
  if (!Number.isFinite(value)) return 0x80;
  const grid = Array.from({ length: 128 }, (_, code) => quarterValue(code, format));
  const negative = value < 0;
  const code = roundOnGrid(grid, Math.abs(value), negative, mode);
  if (code > 127) return nanOnOverflow ? 0x80 : negative ? 0xff : 0x7f;
  return code === 0 ? 0 : negative ? code | 0x80 : code;
}

/** Deterministic 32-bit numbers for tests. */
export function* words(seed: number): Generator<number> {
  let state = seed >>> 0;
  for (;;) {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    yield (z ^ (z >>> 16)) >>> 0;
  }
}

/** `count` 32-bit numbers. */
export function take(seed: number, count: number): number[] {
  const source = words(seed);
  return Array.from({ length: count }, () => source.next().value as number);
}
