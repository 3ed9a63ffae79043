/**
 * The matrix unit of the oracle for f16 operands and f16 partials, in exact integers: a group of 16 inner values takes
 * four phases; each phase adds four exact products to the running sum and rounds it to f32, nearest even; after the
 * fourth the sum is rounded to f16 and saturates [SDK for the widths; GUESS for one rounding per phase].
 *
 * Products of f16 numbers are multiples of 2^-48, and rounding to f32 never makes a finer number of one, so all sums are
 * integers times 2^-48.
 */

const UNIT = 48n;
const PER_PHASE = 4;
const PHASES = 4;

/** f16 code as an integer times 2^-24. Finite codes only. */
function integerOf(code: number): bigint {
  const exponent = (code >> 10) & 31;
  const fraction = BigInt(code & 1023);
  const magnitude = exponent === 0 ? fraction : (fraction + 1024n) << BigInt(exponent - 1);
  return (code & 0x8000) === 0 ? magnitude : -magnitude;
}

const INTEGERS: readonly bigint[] = Array.from({ length: 65_536 }, (_, code) =>
  ((code >> 10) & 31) === 31 ? 0n : integerOf(code),
);

/** Rounds to a multiple of 2^drop, ties to even. */
function roundAway(value: bigint, drop: bigint): bigint {
  if (drop <= 0n) return value;
  const negative = value < 0n;
  const magnitude = negative ? -value : value;
  const floor = magnitude >> drop;
  const rest = magnitude - (floor << drop);
  const halfway = 1n << (drop - 1n);
  const up = rest > halfway || (rest === halfway && (floor & 1n) === 1n);
  const rounded = (floor + (up ? 1n : 0n)) << drop;
  return negative ? -rounded : rounded;
}

const bitLength = (value: bigint): number => (value < 0n ? -value : value).toString(2).length;

/** To 24 significant bits. */
const toSingle = (value: bigint): bigint => roundAway(value, BigInt(bitLength(value) - 24));

/** To f16, saturating; the code. */
function toHalf(value: bigint): number {
  if (value === 0n) return 0;
  const sign = value < 0n ? 0x8000 : 0;
  // Normal numbers keep 11 bits; below 2^-14 the spacing stays at 2^-24, which is 2^24 units.
  const drop = Math.max(bitLength(value) - 11, 24);
  const rounded = roundAway(value, BigInt(drop));
  const magnitude = rounded < 0n ? -rounded : rounded;
  if (magnitude === 0n) return sign;
  const exponent = bitLength(magnitude) - 1 - Number(UNIT);
  if (exponent > 15) return sign | 0x7bff;
  if (exponent < -14) return sign | Number(magnitude >> 24n);
  return sign | ((exponent + 15) << 10) | Number((magnitude >> BigInt(exponent + 38)) & 1023n);
}

/** One result of the unit: f16 partial plus the products of a row with a column, groups of 16 one after the other. */
export function matrixUnitDot(
  row: ArrayLike<number>,
  column: (inner: number) => number,
  inner: number,
): number {
  let partial = 0;
  for (let group = 0; group < inner; group += PER_PHASE * PHASES) {
    let sum = INTEGERS[partial] << 24n;
    for (let phase = 0; phase < PHASES; phase++) {
      let products = 0n;
      for (let at = 0; at < PER_PHASE; at++) {
        const k = group + PER_PHASE * phase + at;
        if (k < inner) products += INTEGERS[row[k]] * INTEGERS[column(k)];
      }
      sum = toSingle(sum + products);
    }
    partial = toHalf(sum);
  }
  return partial;
}
