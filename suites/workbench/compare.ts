import { ELEMENTS, type ElementType, readElements } from './elements.ts';

export interface Tolerance {
  /** Steps of the type around the expected value. */
  readonly ulp: number;
  readonly absolute: number;
}

/** One wrong element. */
export interface WrongElement {
  readonly index: readonly number[];
  readonly expected: number;
  readonly found: number;
  /** Error in steps of the type; infinite for a wrong NaN or infinity. */
  readonly ulps: number;
}

export interface Comparison {
  readonly elements: number;
  readonly wrong: number;
  /** The first few in index order. */
  readonly first: readonly WrongElement[];
  /** Largest error of any element, in steps of the type. */
  readonly worstUlps: number;
  /** Elements that hold what the memory held before the call. */
  readonly unwritten: number;
}

const LISTED = 6;

/** Value of a number once it is stored in the type. */
function stored(type: ElementType, value: number): number {
  const { bytes, read, write } = ELEMENTS[type];
  const view = new DataView(new ArrayBuffer(bytes));
  write(view, 0, value);
  return read(view, 0);
}

/** Error in steps of the type at the expected value; infinite where only one of the two is finite. */
function errorIn(type: ElementType, expected: number, found: number): { ulps: number; absolute: number } {
  const rounded = stored(type, expected);
  if (Object.is(found, rounded) || (found === rounded && ELEMENTS[type].floating))
    return { ulps: 0, absolute: 0 };
  if (!Number.isFinite(found) || !Number.isFinite(rounded))
    return { ulps: Number.POSITIVE_INFINITY, absolute: Number.POSITIVE_INFINITY };
  const absolute = Math.abs(found - rounded);
  return { ulps: absolute / ELEMENTS[type].spacing(rounded), absolute };
}

/**
 * Compares stored elements with what they must be: the expected value rounded once to the type, within the
 * tolerance. `before` is what the bytes were before the call.
 */
export function compareElements(
  type: ElementType,
  shape: readonly number[],
  bytes: Uint8Array,
  expected: Float64Array,
  tolerance: Tolerance,
  before: Uint8Array,
): Comparison {
  const found = readElements(type, bytes);
  const size = ELEMENTS[type].bytes;
  const first: WrongElement[] = [];
  let wrong = 0;
  let worstUlps = 0;
  let unwritten = 0;
  for (let index = 0; index < expected.length; index++) {
    const { ulps, absolute } = errorIn(type, expected[index], found[index]);
    worstUlps = Math.max(worstUlps, ulps);
    // So written, an error that is not a number counts as wrong.
    if (ulps <= tolerance.ulp || absolute <= tolerance.absolute) continue;
    wrong++;
    if (isSame(bytes, before, index * size, size)) unwritten++;
    if (first.length < LISTED)
      first.push({ index: coordinates(index, shape), expected: expected[index], found: found[index], ulps });
  }
  return { elements: expected.length, wrong, first, worstUlps, unwritten };
}

function isSame(left: Uint8Array, right: Uint8Array, from: number, bytes: number): boolean {
  for (let at = from; at < from + bytes; at++) if (left[at] !== right[at]) return false;
  return true;
}

function coordinates(index: number, shape: readonly number[]): number[] {
  const out: number[] = [];
  let rest = index;
  for (const size of [...shape].reverse()) {
    out.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return out;
}

/** Ranges of bytes that changed, outside the ranges that may. Both lists are sorted by address. */
export function strayWrites(
  before: Uint8Array,
  after: Uint8Array,
  base: number,
  allowed: readonly (readonly [start: number, end: number])[],
): readonly (readonly [start: number, end: number])[] {
  const stray: [number, number][] = [];
  const words = (bytes: Uint8Array) => new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length >> 3);
  const [left, right] = [words(before), words(after)];
  const permitted = (address: number) => allowed.some(([start, end]) => address >= start && address < end);
  for (let word = 0; word < left.length; word++) {
    if (left[word] === right[word]) continue;
    for (let at = 8 * word; at < 8 * word + 8; at++) {
      if (before[at] === after[at] || permitted(base + at)) continue;
      const last = stray.at(-1);
      if (last !== undefined && last[1] === base + at) last[1]++;
      else stray.push([base + at, base + at + 1]);
    }
  }
  return stray;
}
