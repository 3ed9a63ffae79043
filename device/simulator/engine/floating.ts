// Floating point status, traps, and rounding to f32.
import { raise } from './memory';
import { FP_CONTROL, FP_STATUS, FP_TRAP } from './state';

/** Bits of FP_STS and of the trap enables in FP_CTL [ISA]. */
export const INVALID: u32 = 1;
export const DIVIDED_BY_ZERO: u32 = 2;
export const OVERFLOWED: u32 = 4;

/** The NaN every operation delivers; hosts would leave their own bits in it. */
export const QUIET_NAN: u32 = 0x7fc00000;

/** Code of a value that is an f32 already, or NaN, whose sign and payload depend on the host. */
// @ts-ignore: decorator
@inline
export function codeOf(value: f64): u32 {
  return isNaN(value) ? QUIET_NAN : reinterpret<u32>(<f32>value);
}

/** Sets a sticky flag, and raises the exception when its trap is enabled. */
export function signal(w: usize, flag: u32): void {
  store<u32>(w, load<u32>(w, FP_STATUS) | flag, FP_STATUS);
  if ((load<u32>(w, FP_CONTROL) & flag) != 0) raise(FP_TRAP, flag);
}

// @ts-ignore: decorator
@inline
export function roundingMode(w: usize): u32 {
  return (load<u32>(w, FP_CONTROL) >> 16) & 7;
}

/** Mode in which an exact zero of terms with different signs is negative [IEEE 754, 6.3]. */
export const TOWARD_MINUS: u32 = 2;

/** Nothing but the sign, exponent and fraction of a code can tell a signalling NaN. */
// @ts-ignore: decorator
@inline
export function isSignalling32(code: u32): bool {
  return (code & 0x7fffffff) > 0x7f800000 && (code & 0x400000) == 0;
}

// @ts-ignore: decorator
@inline
export function isSignalling16(code: u32): bool {
  return (code & 0x7fff) > 0x7c00 && (code & 0x200) == 0;
}

/** The f32 nearest to zero on the far side of x, or the next one in a direction. */
function neighbour(x: f32, up: bool): f32 {
  const bits = reinterpret<u32>(x);
  if ((bits & 0x7fffffff) == 0) return reinterpret<f32>(up ? <u32>1 : <u32>0x80000001);
  const away = ((bits >> 31) == 0) == up;
  return reinterpret<f32>(away ? bits + 1 : bits - 1);
}

/** high + low rounded once to f32. `low` is the part of the exact value that f64 could not hold. */
export function roundSingle(high: f64, low: f64, mode: u32): f32 {
  const nearest = <f32>high;
  if (mode == 0 || isNaN(high) || abs(high) == Infinity) return nearest;
  if (abs(nearest) == <f32>Infinity) {
    const directed = mode == 3 || (mode == 1 && high < 0) || (mode == 2 && high > 0);
    return directed ? copysign<f32>(f32.MAX_VALUE, nearest) : nearest;
  }
  const rest = high - <f64>nearest + low;
  if (rest == 0) return nearest;
  switch (mode) {
    case 1:
      return rest > 0 ? neighbour(nearest, true) : nearest;
    case 2:
      return rest < 0 ? neighbour(nearest, false) : nearest;
    case 3:
      if (high > 0) return rest < 0 ? neighbour(nearest, false) : nearest;
      return rest > 0 ? neighbour(nearest, true) : nearest;
    default: {
      // Nearest, ties away from zero: nearest even has already settled everything but ties.
      const other = neighbour(nearest, rest > 0);
      const tie = low == 0 && high - <f64>nearest == <f64>other - high;
      return tie && abs(other) > abs(nearest) ? other : nearest;
    }
  }
}

/**
 * Code of an f32 result. A NaN that comes from numbers is an invalid operation, an infinity that comes from
 * finite operands an overflow unless the operation is exact there, which `exactInfinity` says.
 */
export function deliverSingle(w: usize, high: f64, low: f64, operandIsNan: bool, exactInfinity: bool): u32 {
  const result = roundSingle(high, low, roundingMode(w));
  if (isNaN(result)) {
    if (!operandIsNan) signal(w, INVALID);
    return QUIET_NAN;
  }
  if (!exactInfinity && abs(<f64>result) >= 3.4028234663852886e38 && (abs(high) > 3.4028235677973362e38 || abs(<f64>result) == Infinity))
    signal(w, OVERFLOWED);
  return reinterpret<u32>(result);
}
