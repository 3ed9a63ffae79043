import { absolute, decode, type Exact, negate, product, quotient, root, sum } from './exact.ts';
import { type Control, F16, type Format, isNan, isSignalling } from './format.ts';
import { encode } from './round.ts';
import { addHalves, multiplyHalves } from './small.ts';

/** An operation on codes under a control word. */
export type Unary = (x: number, control: Control) => number;
export type Binary = (x: number, y: number, control: Control) => number;
export type Ternary = (x: number, y: number, z: number, control: Control) => number;

const exactly =
  (format: Format, operation: (x: Exact, y: Exact, control: Control) => Exact): Binary =>
  (x, y, control) =>
    encode(operation(decode(x, format), decode(y, format), control), format, control);

const magnitudeOf = (code: number, format: Format): number => code % format.sign;

/** Position among the numbers in order, negative zero just below positive zero. Not for NaN. */
const rank = (code: number, format: Format): number =>
  code >= format.sign ? -1 - magnitudeOf(code, format) : code;

/** Like rank, both zeros in one place, for comparisons. */
const order = (code: number, format: Format): number =>
  code >= format.sign ? -magnitudeOf(code, format) : code;

/** A number wins over NaN, -0 is below +0 [GUESS: IEEE 754-2019 maximumNumber]. */
const maximum =
  (format: Format): Binary =>
  (x, y) => {
    if (isNan(x, format)) return isNan(y, format) ? format.nan : y;
    if (isNan(y, format)) return x;
    return rank(x, format) >= rank(y, format) ? x : y;
  };

const minimum =
  (format: Format): Binary =>
  (x, y) => {
    if (isNan(x, format)) return isNan(y, format) ? format.nan : y;
    if (isNan(y, format)) return x;
    return rank(x, format) <= rank(y, format) ? x : y;
  };

/** min(max(x, low), high) [ISA]. */
const clamp = (format: Format): Ternary => {
  const [largest, least] = [maximum(format), minimum(format)];
  return (x, low, high, control) => least(largest(x, low, control), high, control);
};

/** All ones where the relation holds [SDK]; with NaN only "not equal" does. */
const relation =
  (format: Format, holds: (left: number, right: number) => boolean, unordered = false): Binary =>
  (x, y) => {
    const result =
      isNan(x, format) || isNan(y, format) ? unordered : holds(order(x, format), order(y, format));
    return result ? 2 ** format.bits - 1 : 0;
  };

/** The ten classes of IEEE 754-2008, 5.7.2. */
export type NumberClass =
  | 'signalling NaN'
  | 'quiet NaN'
  | '-infinity'
  | '-normal'
  | '-subnormal'
  | '-zero'
  | '+zero'
  | '+subnormal'
  | '+normal'
  | '+infinity';

export function classOf(code: number, format: Format): NumberClass {
  if (isNan(code, format)) return isSignalling(code, format) ? 'signalling NaN' : 'quiet NaN';
  const sign = code >= format.sign ? '-' : '+';
  const magnitude = magnitudeOf(code, format);
  if (magnitude === 0) return `${sign}zero`;
  if (magnitude === format.beyond) return `${sign}infinity`;
  return magnitude < format.binade ? `${sign}subnormal` : `${sign}normal`;
}

export interface Binaries {
  readonly add: Binary;
  readonly sub: Binary;
  readonly mul: Binary;
  readonly absadd: Binary;
  readonly absmax: Binary;
  readonly max: Binary;
  readonly min: Binary;
  readonly cmpeq: Binary;
  readonly cmpne: Binary;
  readonly cmpgt: Binary;
  readonly cmpge: Binary;
  readonly cmplt: Binary;
  readonly cmple: Binary;
}

/** Operations of two operands by exact values; absolute values clear the sign before anything else. */
function binaries(format: Format): Binaries {
  const [largest, sign] = [maximum(format), format.sign];
  return {
    add: exactly(format, (x, y, { mode }) => sum([x, y], mode)),
    sub: exactly(format, (x, y, { mode }) => sum([x, negate(y)], mode)),
    mul: exactly(format, product),
    absadd: exactly(format, (x, y, { mode }) => sum([absolute(x), absolute(y)], mode)),
    absmax: (x, y, control) => largest(x % sign, y % sign, control),
    max: largest,
    min: minimum(format),
    cmpeq: relation(format, (left, right) => left === right),
    cmpne: relation(format, (left, right) => left !== right, true),
    cmpgt: relation(format, (left, right) => left > right),
    cmpge: relation(format, (left, right) => left >= right),
    cmplt: relation(format, (left, right) => left < right),
    cmple: relation(format, (left, right) => left <= right),
  };
}

/** Operations of one format. */
export interface Operations extends Binaries {
  readonly clamp: Ternary;
  readonly div: Binary;
  readonly sqrt: Unary;
}

export const operations = (format: Format): Operations => ({
  ...binaries(format),
  clamp: clamp(format),
  div: exactly(format, quotient),
  sqrt: (x, control) => encode(root(decode(x, format)), format, control),
});

const HALF_SIGN = F16.sign;

/** f16 with sums and products in machine numbers: the same results, for proofs over millions of pairs. */
export const HALF_OPERATIONS: Operations = {
  ...operations(F16),
  add: addHalves,
  sub: (x, y, control) => addHalves(x, y < HALF_SIGN ? y + HALF_SIGN : y - HALF_SIGN, control),
  mul: multiplyHalves,
  absadd: (x, y, control) => addHalves(x % HALF_SIGN, y % HALF_SIGN, control),
};
