import type { Reference } from '../ports.ts';
import { type Codec, type Codes, ulpDistance } from './codec.ts';
import type { Metrics } from './judgement.ts';

/** Fate of one element. */
export const STATUS = { right: 0, wrongValue: 1, wrongClass: 2, unwritten: 3 } as const;

/** Output and reference of one tensor, element by element. */
export interface Comparison {
  readonly codec: Codec;
  readonly observed: Codes;
  readonly expected: Codes;
  readonly reference: Reference;
  readonly status: Uint8Array;
  readonly severity: Float32Array;
  readonly metrics: Metrics;
}

const BUCKETS = 20;

/** Histogram bucket of a ULP distance: 0, 1, 2, 3-4, 5-8, ... */
function ulpBucket(ulps: number): number {
  return ulps === 0 ? 0 : Math.min(BUCKETS - 1, 1 + Math.ceil(Math.log2(ulps)));
}

/** `0`, `1`, `2`, `3-4`, `5-8`, ..., `>131072`. */
export function ulpBucketLabel(bucket: number): string {
  if (bucket < 3) return String(bucket);
  const high = 2 ** (bucket - 1);
  return bucket === BUCKETS - 1 ? `>${high / 2}` : `${high / 2 + 1}-${high}`;
}

/** Codes the reference rounds to, or the ones it states. */
export function expectedCodes(reference: Reference, codec: Codec): Codes {
  const stated = reference.exact && reference.expectedBits ? codec.codes(reference.expectedBits) : undefined;
  if (stated) return stated;
  const { values } = reference;
  const codes = codec.bits === 8 ? new Uint8Array(values.length) : new Uint32Array(values.length);
  for (let index = 0; index < values.length; index++) codes[index] = codec.encode(values[index]);
  return codes;
}

/** Whether output code `observed` satisfies what the reference says of element `index`. */
export function satisfies(comparison: Comparison, observed: number, index: number): boolean {
  const { codec, expected, reference } = comparison;
  if (reference.exact) return sameCode(codec, observed, expected[index]);
  return withinBound(codec.decode(observed), reference.values[index], reference.bound[index]);
}

/** Equal bits, or both NaN. */
function sameCode(codec: Codec, left: number, right: number): boolean {
  return left === right || (Number.isNaN(codec.decode(left)) && Number.isNaN(codec.decode(right)));
}

/** NaN wants NaN, an infinity wants itself, a finite number allows an error up to the bound. */
function withinBound(observed: number, value: number, bound: number): boolean {
  if (!Number.isFinite(value)) return Object.is(observed, value);
  return Math.abs(observed - value) <= bound;
}

/** Compares all elements. Lengths must already agree. */
export function compareElements(
  reference: Reference,
  codec: Codec,
  observed: Codes,
  canaries: readonly number[],
): Comparison {
  const count = reference.values.length;
  const { values, bound, alarm, exact } = reference;
  const expected = expectedCodes(reference, codec);
  const status = new Uint8Array(count);
  const severity = new Float32Array(count);
  const poison = new Set(canaries);
  const histogram = new Array<number>(BUCKETS).fill(0);
  const classes = { nanForFinite: 0, infinityForFinite: 0, finiteForNonFinite: 0, wrongNonFinite: 0 };
  const worst = { error: -1, errorAt: -1, ratio: -1, ratioAt: -1, ulp: -1, ulpAt: -1 };
  let [mismatches, alarms, unwritten, discriminating] = [0, 0, 0, 0];
  let [finite, squares, signed, outward] = [0, 0, 0, 0];

  for (let index = 0; index < count; index++) {
    const code = observed[index];
    const output = codec.decode(code);
    const value = exact ? codec.decode(expected[index]) : values[index];
    const limit = exact ? 0 : bound[index];
    const right = exact ? sameCode(codec, code, expected[index]) : withinBound(output, value, limit);
    if (!(Math.abs(value) <= limit)) discriminating++;
    if (Number.isFinite(output) && Number.isFinite(value)) {
      const error = output - value;
      const magnitude = Math.abs(error);
      finite++;
      squares += error * error;
      signed += error;
      outward += error * Math.sign(value);
      if (magnitude > worst.error) [worst.error, worst.errorAt] = [magnitude, index];
      const ulps = ulpDistance(codec, code, expected[index]);
      histogram[ulpBucket(ulps)]++;
      if (ulps > worst.ulp) [worst.ulp, worst.ulpAt] = [ulps, index];
      let ratio = magnitude === 0 ? 0 : magnitude / limit;
      if (exact) ratio = right ? 0 : Number.POSITIVE_INFINITY;
      if (ratio > worst.ratio) [worst.ratio, worst.ratioAt] = [ratio, index];
      severity[index] = exact && !right ? 1 + Math.max(1, ulps) : ratio;
      if (right && alarm !== undefined && !(magnitude <= alarm[index])) alarms++;
      if (!right) status[index] = STATUS.wrongValue;
    } else if (!right) {
      status[index] = STATUS.wrongClass;
      severity[index] = Number.NaN;
      if (Number.isFinite(value)) classes[Number.isNaN(output) ? 'nanForFinite' : 'infinityForFinite']++;
      else classes[Number.isFinite(output) ? 'finiteForNonFinite' : 'wrongNonFinite']++;
    }
    if (!right) {
      mismatches++;
      if (poison.has(code)) {
        status[index] = STATUS.unwritten;
        unwritten++;
      }
    }
  }

  const metrics: Metrics = {
    elements: count,
    compared: count,
    mismatches,
    alarms,
    unwritten,
    classes,
    maxAbsError: { value: Math.max(0, worst.error), index: worst.errorAt },
    maxBoundRatio: { value: Math.max(0, worst.ratio), index: worst.ratioAt },
    maxUlp: { value: Math.max(0, worst.ulp), index: worst.ulpAt },
    rmsError: finite === 0 ? 0 : Math.sqrt(squares / finite),
    meanSignedError: finite === 0 ? 0 : signed / finite,
    meanOutwardError: finite === 0 ? 0 : outward / finite,
    ulpHistogram: histogram,
    discriminating: count === 0 ? 0 : discriminating / count,
  };
  return { codec, observed, expected, reference, status, severity, metrics };
}
