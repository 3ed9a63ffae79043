// f32 and f16 arithmetic, element by element, with flags. f16 operands make exact f64 sums and products, f32
// operands make exact f64 products; the part of an f32 sum that f64 loses is kept for directed rounding.
import { rounded as roundedHalf, stage, stage64 } from './aux';
import { BROADCAST, OP } from './decode';
import { deliverSingle, INVALID, isSignalling16, isSignalling32, roundingMode, signal, TOWARD_MINUS } from './floating';
import { anySpecial, decodeHalf, encodeOrdinary, isOrdinary, widen } from './half';
import { field, getA } from './registers';
import * as op from './opcodes.generated';
import { FP_CONTROL } from './state';

const ADD = 0;
const SUB = 1;
const MUL = 2;
const MAX = 3;
const MIN = 4;
const ABSADD = 5;
const ABSMAX = 6;

/** A number wins over NaN in a minimum or maximum. */
function combine(kind: i32, x: f64, y: f64): f64 {
  switch (kind) {
    case ADD:
      return x + y;
    case SUB:
      return x - y;
    case MUL:
      return x * y;
    case MAX:
      return isNaN(x) ? y : isNaN(y) ? x : max(x, y);
    case MIN:
      return isNaN(x) ? y : isNaN(y) ? x : min(x, y);
    case ABSADD:
      return abs(x) + abs(y);
    default:
      return isNaN(x) ? abs(y) : isNaN(y) ? abs(x) : max(abs(x), abs(y));
  }
}

/** What the f64 sum of two f32 leaves out. */
function lost(kind: i32, x: f64, y: f64, sum: f64): f64 {
  if (kind == MUL || kind == MAX || kind == MIN || kind == ABSMAX || abs(sum) == Infinity || isNaN(sum)) return 0;
  const left = kind == ABSADD ? abs(x) : x;
  const right = kind == SUB ? -y : kind == ABSADD ? abs(y) : y;
  const part = sum - left;
  return left - (sum - part) + (right - part);
}

/** A sum of the value zero is negative when a term has a minus sign and rounding goes down. */
// @ts-ignore: decorator
@inline
function signedZero(kind: i32, value: f64, x: f64, y: f64): f64 {
  if (value != 0 || kind > SUB) return value;
  const signs = reinterpret<i64>(x) | reinterpret<i64>(kind == SUB ? -y : y);
  return signs < 0 ? -0.0 : 0;
}

function single(w: usize, kind: i32, p: u32, q: u32): u32 {
  const x = <f64>reinterpret<f32>(p);
  const y = <f64>reinterpret<f32>(q);
  if (isSignalling32(p) || isSignalling32(q)) signal(w, INVALID);
  const sum = combine(kind, x, y);
  const value = roundingMode(w) == TOWARD_MINUS ? signedZero(kind, sum, x, y) : sum;
  const infinite = abs(x) == Infinity || abs(y) == Infinity;
  return deliverSingle(w, value, lost(kind, x, y, value), isNaN(x) || isNaN(y), infinite);
}

/** Control bits that ask for more than nearest even without traps. */
const SPECIAL: u32 = 0x1f0007;

/**
 * Results of two f32 elements when they are finite and the control word asks for nothing special: no flag can
 * arise then. NaN marks the other cases, which the general path decides.
 */
// @ts-ignore: decorator
@inline
function plainSingle(kind: i32, x: f32, y: f32): f32 {
  switch (kind) {
    case ADD:
      return x + y;
    case SUB:
      return x - y;
    case MUL:
      return x * y;
    case MAX:
      return max(x, y);
    case MIN:
      return min(x, y);
    case ABSADD:
      return abs(x) + abs(y);
    default:
      return max(abs(x), abs(y));
  }
}

function singles(w: usize, e: usize, kind: i32, count: i32): void {
  const x = field(e, 1);
  const y = field(e, 2);
  const repeat = (load<u8>(e, BROADCAST) & 1) != 0;
  if ((load<u32>(w, FP_CONTROL) & SPECIAL) == 0) {
    const first = plainSingle(kind, reinterpret<f32>(getA(w, x)), reinterpret<f32>(getA(w, y)));
    if (count == 1) {
      if (abs(first) < <f32>Infinity) {
        stage(field(e, 0), reinterpret<u32>(first));
        return;
      }
    } else {
      const other = reinterpret<f32>(getA(w, repeat ? x : x + 1));
      const second = plainSingle(kind, other, reinterpret<f32>(getA(w, y + 1)));
      if (abs(first) < <f32>Infinity && abs(second) < <f32>Infinity) {
        stage64(field(e, 0), <u64>reinterpret<u32>(first) | (<u64>reinterpret<u32>(second) << 32));
        return;
      }
    }
  }
  const low = single(w, kind, getA(w, x), getA(w, y));
  if (count == 1) {
    stage(field(e, 0), low);
    return;
  }
  const high = single(w, kind, getA(w, repeat ? x : x + 1), getA(w, y + 1));
  stage64(field(e, 0), <u64>low | (<u64>high << 32));
}

// @ts-ignore: decorator
@inline
function halfCode(w: usize, register: i32, i: i32): u32 {
  return (getA(w, register + (i >> 1)) >> (16 * (i & 1))) & 0xffff;
}

/**
 * Elementwise operation on four f16 through f32, which is exact or rounds innocuously: 24 bits are more than
 * twice 11 and 2. Succeeds when operands and results are finite; `result4` holds the codes.
 */
let result4: u64 = 0;

function plainHalves(kind: i32, left: u64, right: u64): bool {
  const codes = i64x2.replace_lane(i64x2.splat(<i64>left), 1, <i64>right);
  if (anySpecial(codes)) return false;
  const x = widen(v128.extend_low<u16>(codes), false);
  const y = widen(v128.extend_high<u16>(codes), false);
  let sum: v128;
  switch (kind) {
    case ADD:
      sum = f32x4.add(x, y);
      break;
    case SUB:
      sum = f32x4.sub(x, y);
      break;
    case MUL:
      sum = f32x4.mul(x, y);
      break;
    case MAX:
      sum = f32x4.max(x, y);
      break;
    case MIN:
      sum = f32x4.min(x, y);
      break;
    case ABSADD:
      sum = f32x4.add(f32x4.abs(x), f32x4.abs(y));
      break;
    default:
      sum = f32x4.max(f32x4.abs(x), f32x4.abs(y));
  }
  if (!isOrdinary(sum)) return false;
  const rounded = encodeOrdinary(sum);
  result4 = <u64>i64x2.extract_lane(i16x8.narrow_i32x4_u(rounded, rounded), 0);
  return true;
}

/** Codes of `count` elements of the first source, broadcast as the form says. */
// @ts-ignore: decorator
@inline
function firstCodes(w: usize, register: i32, count: i32, lane: u8): u64 {
  if (lane == 2) return <u64>(getA(w, register) & 0xffff) * 0x0001000100010001;
  if (lane == 4) return <u64>(getA(w, register) >> 16) * 0x0001000100010001;
  return count == 2 ? <u64>getA(w, register) : <u64>getA(w, register) | (<u64>getA(w, register + 1) << 32);
}

function halves(w: usize, e: usize, kind: i32, count: i32): void {
  const first = field(e, 1);
  const second = field(e, 2);
  const lane = load<u8>(e, BROADCAST);
  if ((load<u32>(w, FP_CONTROL) & SPECIAL) == 0) {
    const left = firstCodes(w, first, count, lane);
    const right = firstCodes(w, second, count, 0);
    // With two elements the upper two are copies, which decide nothing.
    const both: u64 = 0xffffffff;
    const fast =
      count == 2
        ? plainHalves(kind, (left & both) | (left << 32), right | (right << 32))
        : plainHalves(kind, left, right);
    if (fast) {
      if (count == 2) stage(field(e, 0), <u32>result4);
      else stage64(field(e, 0), result4);
      return;
    }
  }
  let word: u64 = 0;
  const goesDown = (load<u32>(w, FP_CONTROL) & 0x80000) == 0 && roundingMode(w) == TOWARD_MINUS;
  for (let i = 0; i < count; i++) {
    const p = halfCode(w, first, lane == 2 ? 0 : lane == 4 ? 1 : i);
    const q = halfCode(w, second, i);
    if (isSignalling16(p) || isSignalling16(q)) signal(w, INVALID);
    const x = decodeHalf(p);
    const y = decodeHalf(q);
    const sum = combine(kind, x, y);
    const value = goesDown ? signedZero(kind, sum, x, y) : sum;
    if (isNaN(value) && !isNaN(x) && !isNaN(y)) signal(w, INVALID);
    word |= <u64>roundedHalf(w, value) << (16 * i);
  }
  if (count == 2) stage(field(e, 0), <u32>word);
  else stage64(field(e, 0), word);
}

/** Elementwise arithmetic; false when the operation is none. */
export function executeArithmetic(w: usize, e: usize): bool {
  switch (load<u16>(e, OP)) {
    case op.F32ADD: singles(w, e, ADD, 1); return true;
    case op.F32SUB: singles(w, e, SUB, 1); return true;
    case op.F32MUL: singles(w, e, MUL, 1); return true;
    case op.F32MAX: singles(w, e, MAX, 1); return true;
    case op.F32MIN: singles(w, e, MIN, 1); return true;
    case op.F32ABSADD: singles(w, e, ABSADD, 1); return true;
    case op.F32ABSMAX: singles(w, e, ABSMAX, 1); return true;
    case op.F32V2ADD: singles(w, e, ADD, 2); return true;
    case op.F32V2SUB: singles(w, e, SUB, 2); return true;
    case op.F32V2MUL: singles(w, e, MUL, 2); return true;
    case op.F32V2MAX: singles(w, e, MAX, 2); return true;
    case op.F32V2MIN: singles(w, e, MIN, 2); return true;
    case op.F32V2ABSADD: singles(w, e, ABSADD, 2); return true;
    case op.F32V2ABSMAX: singles(w, e, ABSMAX, 2); return true;
    case op.F16V2ADD: halves(w, e, ADD, 2); return true;
    case op.F16V2SUB: halves(w, e, SUB, 2); return true;
    case op.F16V2MUL: halves(w, e, MUL, 2); return true;
    case op.F16V2MAX: halves(w, e, MAX, 2); return true;
    case op.F16V2MIN: halves(w, e, MIN, 2); return true;
    case op.F16V2ABSADD: halves(w, e, ABSADD, 2); return true;
    case op.F16V2ABSMAX: halves(w, e, ABSMAX, 2); return true;
    case op.F16V4ADD: halves(w, e, ADD, 4); return true;
    case op.F16V4SUB: halves(w, e, SUB, 4); return true;
    case op.F16V4MUL: halves(w, e, MUL, 4); return true;
    case op.F16V4MAX: halves(w, e, MAX, 4); return true;
    case op.F16V4MIN: halves(w, e, MIN, 4); return true;
    case op.F16V4ABSADD: halves(w, e, ABSADD, 4); return true;
    case op.F16V4ABSMAX: halves(w, e, ABSMAX, 4); return true;
    default: return false;
  }
}
