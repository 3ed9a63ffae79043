import { type Format, isNan, type Mode } from './format.ts';

/** A number without rounding: (-1)^negative x significand x 2^exponent. Zero keeps its sign. */
export interface Finite {
  readonly kind: 'finite';
  readonly negative: boolean;
  readonly significand: bigint;
  readonly exponent: number;
}
export type Exact =
  | Finite
  | { readonly kind: 'infinity'; readonly negative: boolean }
  | { readonly kind: 'nan' };

export const NAN: Exact = { kind: 'nan' };

export const finite = (negative: boolean, significand: bigint, exponent: number): Finite => ({
  kind: 'finite',
  negative,
  significand,
  exponent,
});

/** The integer as an exact number; zero is positive. */
export const integer = (value: bigint, exponent = 0): Finite =>
  finite(value < 0n, value < 0n ? -value : value, exponent);

/** The value a code stands for. */
export function decode(code: number, format: Format): Exact {
  if (isNan(code, format)) return NAN;
  const negative = code >= format.sign;
  const magnitude = code % format.sign;
  if (magnitude >= format.beyond) return { kind: 'infinity', negative };
  const field = Math.floor(magnitude / format.binade);
  const fraction = magnitude % format.binade;
  // Exponent field 0 has no hidden one and the exponent of field 1.
  return field === 0
    ? finite(negative, BigInt(fraction), format.unit)
    : finite(negative, BigInt(format.binade + fraction), format.unit + field - 1);
}

export function negate(value: Exact): Exact {
  return value.kind === 'nan' ? value : { ...value, negative: !value.negative };
}

export function absolute(value: Exact): Exact {
  return value.kind === 'nan' ? value : { ...value, negative: false };
}

/** Exponent of the lowest term, the signed significands in its unit. */
function aligned(values: readonly Finite[]): { exponent: number; whole: bigint[] } {
  const exponent = Math.min(...values.map((value) => value.exponent));
  const whole = values.map(({ negative, significand, exponent: own }) => {
    const magnitude = significand << BigInt(own - exponent);
    return negative ? -magnitude : magnitude;
  });
  return { exponent, whole };
}

/**
 * The exact sum of any number of terms. An exact zero of terms that are not all alike in sign is positive, negative
 * when rounding toward minus infinity [IEEE 754, 6.3].
 */
export function sum(terms: readonly Exact[], mode: Mode): Exact {
  const numbers: Finite[] = [];
  let infinity: Exact | undefined;
  for (const term of terms) {
    if (term.kind === 'nan') return NAN;
    if (term.kind === 'finite') numbers.push(term);
    else if (infinity?.kind === 'infinity' && infinity.negative !== term.negative) return NAN;
    else infinity = term;
  }
  if (infinity !== undefined) return infinity;
  const { exponent, whole } = aligned(numbers);
  const total = whole.reduce((left, right) => left + right, 0n);
  if (total !== 0n) return integer(total, exponent);
  const zeros = numbers.every(
    ({ significand, negative }) => significand === 0n && negative === numbers[0].negative,
  );
  return finite(zeros ? numbers[0].negative : mode === 'toward-minus', 0n, exponent);
}

/** The exact product; zero times infinity is NaN. */
export function product(x: Exact, y: Exact): Exact {
  if (x.kind === 'nan' || y.kind === 'nan') return NAN;
  const negative = x.negative !== y.negative;
  if (x.kind === 'finite' && y.kind === 'finite')
    return finite(negative, x.significand * y.significand, x.exponent + y.exponent);
  const zero = [x, y].some((value) => value.kind === 'finite' && value.significand === 0n);
  return zero ? NAN : { kind: 'infinity', negative };
}

const bitsOf = (value: bigint): number => value.toString(2).length;

/** Binary places beyond any format of this folder, so that a trailing one only says "a little more". */
const GUARD = 64;

/** The quotient, cut behind GUARD places; a remainder leaves a trailing one, which rounds as the whole rest would. */
export function quotient(x: Exact, y: Exact): Exact {
  if (x.kind === 'nan' || y.kind === 'nan') return NAN;
  const negative = x.negative !== y.negative;
  if (x.kind === 'infinity') return y.kind === 'infinity' ? NAN : { kind: 'infinity', negative };
  if (y.kind === 'infinity') return finite(negative, 0n, 0);
  if (y.significand === 0n) return x.significand === 0n ? NAN : { kind: 'infinity', negative };
  const places = BigInt(GUARD + bitsOf(y.significand));
  const dividend = x.significand << places;
  const whole = dividend / y.significand;
  const trailing = whole * y.significand === dividend ? 0n : 1n;
  return finite(negative, 2n * whole + trailing, x.exponent - y.exponent - Number(places) - 1);
}

/** Largest integer whose square is at most the value. */
function integerRoot(value: bigint): bigint {
  let root = 0n;
  for (let bit = 1n << BigInt(Math.ceil(bitsOf(value) / 2)); bit > 0n; bit >>= 1n)
    if ((root | bit) ** 2n <= value) root |= bit;
  return root;
}

/** The square root, cut like a quotient. Of -0 it is -0, of other negative numbers NaN. */
export function root(x: Exact): Exact {
  if (x.kind === 'nan' || (x.kind === 'finite' && x.significand === 0n)) return x;
  if (x.negative) return NAN;
  if (x.kind === 'infinity') return x;
  // An even exponent halves without a rest.
  const places = 2 * GUARD + (Math.abs(x.exponent) % 2);
  const radicand = x.significand << BigInt(places);
  const whole = integerRoot(radicand);
  const trailing = whole ** 2n === radicand ? 0n : 1n;
  return finite(false, 2n * whole + trailing, (x.exponent - places) / 2 - 1);
}

/** Less than, equal to or greater than by value, both zeros being equal; undefined with NaN. */
export function compare(x: Exact, y: Exact): -1 | 0 | 1 | undefined {
  if (x.kind === 'nan' || y.kind === 'nan') return undefined;
  if (x.kind === 'infinity' || y.kind === 'infinity') {
    const rank = (value: typeof x) => (value.kind === 'finite' ? 0 : value.negative ? -1 : 1);
    return Math.sign(rank(x) - rank(y)) as -1 | 0 | 1;
  }
  const [left, right] = aligned([x, y]).whole;
  return left < right ? -1 : left > right ? 1 : 0;
}
