import type { Reference, UnpackedOutput } from '../ports.ts';
import { type Codes, codecOf } from './codec.ts';
import type { Comparison } from './compare.ts';

/** Smallest share of elements for which an output of zero must be a failure. */
export const LEAST_DISCRIMINATING = 0.25;

/** With fewer elements than this a correct result is constant within its bound by chance too often. */
export const CONSTANT_RULE_ELEMENTS = 8;

function elementsOf(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

/** Why the oracle itself cannot be used; empty when it can. */
export function oracleDefects(reference: Reference): readonly string[] {
  const count = elementsOf(reference.shape);
  const defects: string[] = [];
  const demand = (what: string, length: number) => {
    if (length !== count) {
      defects.push(`the reference of ${reference.tensor} has ${length} ${what} for ${count} elements`);
    }
  };
  demand('values', reference.values.length);
  if (!reference.exact) demand('bounds', reference.bound.length);
  if (reference.alarm !== undefined && !reference.exact) demand('alarm bounds', reference.alarm.length);
  if (reference.exact && reference.expectedBits !== undefined) {
    demand('expected codes', reference.expectedBits.length);
    if (codecOf(reference.dtype).codes(reference.expectedBits) === undefined) {
      defects.push(`the expected codes of ${reference.tensor} are not stored as ${reference.dtype}`);
    }
  }
  const bad = reference.exact ? -1 : reference.bound.findIndex((bound) => !(bound >= 0));
  if (bad >= 0) {
    defects.push(
      `the bound of ${reference.tensor} at element ${bad} is ${reference.bound[bad]}, not a number >= 0`,
    );
  }
  return defects;
}

/** Broken promises of the output that make a comparison impossible, and its codes when possible. */
export function openOutput(reference: Reference, output: UnpackedOutput): Codes | string {
  const { tensor } = output;
  const wanted = `${reference.dtype}[${reference.shape.join(',')}]`;
  if (tensor.dtype !== reference.dtype || tensor.shape.join(',') !== reference.shape.join(',')) {
    return `output ${tensor.name} is ${tensor.dtype}[${tensor.shape.join(',')}], expected ${wanted}`;
  }
  const codes = codecOf(tensor.dtype).codes(tensor.data);
  if (codes === undefined) return `output ${tensor.name} is not stored as ${tensor.dtype}`;
  const count = elementsOf(tensor.shape);
  if (codes.length !== count)
    return `output ${tensor.name} holds ${codes.length} values for ${count} elements`;
  if (count === 0) return `output ${tensor.name} has no elements; nothing was compared`;
  return codes;
}

/** Broken promises about coverage and padding; empty when kept. */
export function contractBreaches(output: UnpackedOutput, elements: number): readonly string[] {
  const breaches: string[] = [];
  if (output.covered !== elements) {
    breaches.push(
      `${output.covered} of ${elements} elements of ${output.tensor.name} are covered by device bytes; all must be, once`,
    );
  }
  const first = output.padding[0];
  if (first !== undefined) {
    breaches.push(
      `${output.padding.length} padding violations of ${output.tensor.name}; first: tile ${first.tile} address ` +
        `0x${first.address.toString(16)} holds ${first.found}, expected ${first.expected}`,
    );
  }
  return breaches;
}

/** Why passing would mean nothing; empty when it means something. */
export function mistrust(comparison: Comparison): readonly string[] {
  const { tensor } = comparison.reference;
  const { discriminating } = comparison.metrics;
  if (discriminating === 0) return [`an all-zero ${tensor} would pass`];
  const reasons: string[] = [];
  if (discriminating < LEAST_DISCRIMINATING) {
    const share = (100 * discriminating).toFixed(1);
    const least = (100 * LEAST_DISCRIMINATING).toFixed(0);
    reasons.push(`only ${share} % of ${tensor} would fail if it were zero; at least ${least} % must`);
  }
  const constant = passingConstant(comparison);
  if (constant !== undefined) reasons.push(`a constant ${tensor} of ${constant} would pass`);
  return reasons;
}

/** A constant that satisfies every element, or undefined. */
function passingConstant({ codec, expected, reference }: Comparison): number | undefined {
  const { values, bound, exact } = reference;
  if (values.length < CONSTANT_RULE_ELEMENTS) return undefined;
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let index = 0; index < values.length; index++) {
    const value = exact ? codec.decode(expected[index]) : values[index];
    const limit = exact ? 0 : bound[index];
    if (!Number.isFinite(value)) return undefined;
    low = Math.max(low, value - limit);
    high = Math.min(high, value + limit);
    if (!(low <= high)) return undefined;
  }
  return Number.isFinite(low) ? (low + high) / 2 : 0;
}
