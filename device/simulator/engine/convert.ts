// Conversions between integers, f32, f16 and f8.
import { rounded, stage, stage64 } from './aux';
import { OP } from './decode';
import { INVALID, OVERFLOWED, QUIET_NAN, roundingMode, roundSingle, signal } from './floating';
import { decodeHalf, encodeHalf, roundsAway, STOCHASTIC_MODE, watchOverflow } from './half';
import { field, getA } from './registers';
import * as op from './opcodes.generated';
import { draw } from './random';
import { F8_FORMAT, F8_SCALE, FP_CONTROL } from './state';

const F8_NAN: u32 = 0x80;
const F143: u32 = 1;

/** Rounds to an integral value: 0 nearest even, 1 up, 2 down, 3 toward zero, 4 nearest away. */
function integral(x: f64, mode: u32): f64 {
  switch (mode) {
    case 0:
      return nearest<f64>(x);
    case 1:
      return Math.ceil(x);
    case 2:
      return Math.floor(x);
    case 4: {
      const whole = Math.trunc(x);
      return abs(x - whole) >= 0.5 ? whole + copysign<f64>(1, x) : whole;
    }
    default:
      return Math.trunc(x);
  }
}

/** Saturates [GUESS]; NaN gives 0. Both are invalid operations. */
function toInteger(w: usize, x: f64, signed: bool): u32 {
  if (isNaN(x)) {
    signal(w, INVALID);
    return 0;
  }
  const value = integral(x, roundingMode(w));
  const least: f64 = signed ? -2147483648 : 0;
  const most: f64 = signed ? 2147483647 : 4294967295;
  if (value < least || value > most) {
    signal(w, INVALID);
    const limit = value < least ? least : most;
    return signed ? <u32>(<i32>limit) : <u32>limit;
  }
  return signed ? <u32>(<i32>value) : <u32>value;
}

/** Code of an f8 in a format: 4 exponent and 3 fraction bits (bias 8), or 5 and 2 (bias 16). */
export function decodeF8(code: u32, format: u32): f64 {
  if (code == F8_NAN) return NaN;
  const fractionBits: u32 = format == F143 ? 3 : 2;
  const bias = format == F143 ? 8 : 16;
  const exponent = <i32>((code & 0x7f) >> fractionBits);
  const fraction = code & ((1 << fractionBits) - 1);
  const significand = exponent == 0 ? fraction : fraction + (1 << fractionBits);
  const power = (exponent == 0 ? 1 : exponent) - bias - <i32>fractionBits;
  const value = <f64>significand * reinterpret<f64>(<u64>(power + 1023) << 52);
  return (code & 0x80) != 0 ? -value : value;
}

/** One rounding of a finite or special f64 to f8. There is no infinity and no negative zero. */
function encodeF8(w: usize, value: f64, format: u32): u32 {
  const control = load<u32>(w, FP_CONTROL);
  if (isNaN(value) || abs(value) == Infinity) {
    if (!isNaN(value)) signal(w, OVERFLOWED);
    return F8_NAN;
  }
  const fractionBits: i32 = format == F143 ? 3 : 2;
  const bias = format == F143 ? 8 : 16;
  const bits = reinterpret<u64>(value);
  const sign: u32 = <u32>(bits >> 56) & 0x80;
  const magnitude = bits & 0x7fffffffffffffff;
  let code: u32 = 0;
  if (magnitude != 0) {
    const exponent = <i32>(magnitude >> 52) - 1023;
    const least = 1 - bias;
    const shift = <u64>min(63, 52 - fractionBits + (exponent < least ? least - exponent : 0));
    const significand = (magnitude & 0xfffffffffffff) | 0x10000000000000;
    const kept = <u32>(significand >> shift);
    const rest = significand & ((<u64>1 << shift) - 1);
    const stochastic = (control & 0x80000) != 0;
    if (stochastic) watchOverflow(draw(w));
    const mode = stochastic ? STOCHASTIC_MODE : (control >> 16) & 7;
    const up = roundsAway(kept, rest, <u64>1 << (shift - 1), sign, mode);
    code = exponent < least ? kept + up : ((exponent - least) << fractionBits) + kept + up;
  }
  if (code > 0x7f) {
    signal(w, OVERFLOWED);
    return (control & 0x100000) != 0 ? F8_NAN : sign | 0x7f;
  }
  return code == 0 ? 0 : sign | code;
}

/** 2 to the signed 6-bit scale of a register word. */
export function scaleOf(word: u32): f64 {
  const exponent = <i32>(word << 26) >> 26;
  return reinterpret<f64>(<u64>(exponent + 1023) << 52);
}

// @ts-ignore: decorator
@inline
function halfAt(w: usize, register: i32, i: i32): f64 {
  return decodeHalf(getA(w, register + (i >> 1)) >> (16 * (i & 1)));
}

function toF8(w: usize, source: i32, count: i32): u64 {
  const format = load<u32>(w, F8_FORMAT) & 1;
  const scale = scaleOf(load<u32>(w, F8_SCALE));
  let result: u64 = 0;
  for (let i = 0; i < count; i++) result |= <u64>encodeF8(w, halfAt(w, source, i) * scale, format) << (8 * i);
  return result;
}

function fromF8(w: usize, word: u32, count: i32): u64 {
  const format = load<u32>(w, F8_FORMAT) & 1;
  const scale = scaleOf(load<u32>(w, F8_SCALE));
  let result: u64 = 0;
  for (let i = 0; i < count; i++)
    result |= <u64>rounded(w, decodeF8((word >> (8 * i)) & 0xff, format) * scale) << (16 * i);
  return result;
}

/** (u + 1/2) / 2^16 - 1/2: never zero, least magnitude 2^-17. Nearest even in every mode, to stay symmetric. */
function halfFraction(code: u32): u32 {
  return encodeHalf((<f64>code + 0.5) / 65536 - 0.5, 0, false);
}

function singleFraction(code: u32): u32 {
  return reinterpret<u32>(<f32>((<f64>code + 0.5) / 4294967296 - 0.5));
}

/** Converting instructions; false when the operation is none. */
export function executeConvert(w: usize, e: usize): bool {
  const d = field(e, 0);
  const s = field(e, 1);
  switch (load<u16>(e, OP)) {
    case op.F32FROMI32:
      stage(d, reinterpret<u32>(roundSingle(<f64>(<i32>getA(w, s)), 0, roundingMode(w))));
      return true;
    case op.F32FROMUI32:
      stage(d, reinterpret<u32>(roundSingle(<f64>getA(w, s), 0, roundingMode(w))));
      return true;
    case op.F32TOI32:
      stage(d, toInteger(w, reinterpret<f32>(getA(w, s)), true));
      return true;
    case op.F32TOUI32:
      stage(d, toInteger(w, reinterpret<f32>(getA(w, s)), false));
      return true;
    case op.F32INT: {
      const x = reinterpret<f32>(getA(w, s));
      if (isNaN(x)) {
        signal(w, INVALID);
        stage(d, QUIET_NAN);
      } else stage(d, reinterpret<u32>(copysign<f32>(<f32>integral(x, field(e, 2)), x)));
      return true;
    }
    case op.F32SUFROMUI:
      stage(d, singleFraction(getA(w, s)));
      return true;
    case op.F32V2SUFROMUI:
      stage64(d, <u64>singleFraction(getA(w, s)) | (<u64>singleFraction(getA(w, s + 1)) << 32));
      return true;
    case op.F16V2SUFROMUI: {
      const word = getA(w, s);
      stage(d, halfFraction(word & 0xffff) | (halfFraction(word >> 16) << 16));
      return true;
    }
    case op.F16V4SUFROMUI: {
      const low = getA(w, s);
      const high = getA(w, s + 1);
      stage64(
        d,
        <u64>halfFraction(low & 0xffff) |
          (<u64>halfFraction(low >> 16) << 16) |
          (<u64>halfFraction(high & 0xffff) << 32) |
          (<u64>halfFraction(high >> 16) << 48),
      );
      return true;
    }
    case op.F16V2TOF8:
      stage(d, <u32>toF8(w, s, 2));
      return true;
    case op.F16V8TOF8:
      stage64(d, toF8(w, s, 8));
      return true;
    case op.F8V2TOF16:
      stage(d, <u32>fromF8(w, getA(w, s), 2));
      return true;
    case op.F8V4TOF16:
      stage64(d, fromF8(w, getA(w, s), 4));
      return true;
    default:
      return false;
  }
}
