import { type Control, F16, type Format, isNan } from './format.ts';
import { type Rest, roundsUp, signed } from './round.ts';

/**
 * The same definitions in machine numbers, for proofs over millions of operands. Every significand below is a whole
 * number under 2^53 and every scaling is by a power of two, so nothing is rounded but where a result is rounded;
 * small.test.ts compares with the unbounded integers of round.ts.
 */

/** Digits of a whole number below 2^53. */
function digitsOf(value: number): number {
  return value < 2 ** 32 ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / 2 ** 32));
}

/** Where a rest lies in the distance of two neighbours; both are exact. */
export function placeOf(rest: number, distance: number): Rest {
  if (rest === 0) return 'none';
  return 2 * rest < distance ? 'below half' : 2 * rest > distance ? 'above half' : 'half';
}

/** Code of (-1)^negative x significand x 2^exponent rounded once; the significand is a whole number below 2^53. */
export function encodeSmall(
  negative: boolean,
  significand: number,
  exponent: number,
  format: Format,
  control: Control,
): number {
  if (significand === 0) return signed(0, negative, format, control);
  const last = Math.max(format.unit, exponent + digitsOf(significand) - (format.fractionBits + 1));
  const distance = 2 ** (last - exponent);
  const kept = Math.floor(significand / distance);
  const rest = significand - kept * distance;
  const up = roundsUp(control.mode, negative, kept % 2 === 1, placeOf(rest, distance));
  return signed(kept + (last - format.unit) * format.binade + (up ? 1 : 0), negative, format, control);
}

/** Parts of a finite code. */
export interface Small {
  readonly negative: boolean;
  readonly significand: number;
  readonly exponent: number;
}

/** Parts of a code that is neither NaN nor infinite. */
export function partsOf(code: number, format: Format): Small {
  const negative = code >= format.sign;
  const magnitude = code % format.sign;
  const field = Math.floor(magnitude / format.binade);
  const fraction = magnitude % format.binade;
  return field === 0
    ? { negative, significand: fraction, exponent: format.unit }
    : { negative, significand: format.binade + fraction, exponent: format.unit + field - 1 };
}

const NEGATIVE = new Uint8Array(0x10000);
const SPECIAL = new Uint8Array(0x10000);
const SIGNIFICAND = new Uint16Array(0x10000);
const EXPONENT = new Int8Array(0x10000);
/** Signed multiples of 2^-24, the unit of f16: below 2^41. */
const UNITS = new Float64Array(0x10000);
for (let code = 0; code < 0x10000; code++) {
  const { negative, significand, exponent } = partsOf(code, F16);
  NEGATIVE[code] = negative ? 1 : 0;
  SPECIAL[code] = code % 0x8000 >= F16.beyond ? 1 : 0;
  SIGNIFICAND[code] = significand;
  EXPONENT[code] = exponent;
  UNITS[code] = (negative ? -significand : significand) * 2 ** (exponent + 24);
}

const INFINITY = F16.beyond;
const SIGN = F16.sign;

/** f16 sum; with `format` f32 the sum of two f16 as f32. Both operands infinite or NaN included. */
export function addHalves(x: number, y: number, control: Control, format: Format = F16): number {
  if (SPECIAL[x] !== 0 || SPECIAL[y] !== 0) return addSpecial(x, y, format);
  const total = UNITS[x] + UNITS[y];
  if (total !== 0) return encodeSmall(total < 0, Math.abs(total), F16.unit, format, control);
  const negative = NEGATIVE[x] === NEGATIVE[y] ? NEGATIVE[x] === 1 : control.mode === 'toward-minus';
  return negative ? format.sign : 0;
}

function addSpecial(x: number, y: number, format: Format): number {
  if (isNan(x, F16) || isNan(y, F16)) return format.nan;
  const infinite = SPECIAL[x] !== 0 ? x : y;
  if (SPECIAL[y] !== 0 && y !== infinite) return format.nan;
  return (NEGATIVE[infinite] === 1 ? format.sign : 0) + format.beyond;
}

/** f16 product. */
export function multiplyHalves(x: number, y: number, control: Control): number {
  const negative = NEGATIVE[x] !== NEGATIVE[y];
  if (SPECIAL[x] === 0 && SPECIAL[y] === 0)
    return encodeSmall(negative, SIGNIFICAND[x] * SIGNIFICAND[y], EXPONENT[x] + EXPONENT[y], F16, control);
  if (isNan(x, F16) || isNan(y, F16) || x % SIGN === 0 || y % SIGN === 0) return F16.nan;
  return (negative ? SIGN : 0) + INFINITY;
}
