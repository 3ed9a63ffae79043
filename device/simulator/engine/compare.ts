// Comparisons, clamps, classes, and maxima across lanes.
import { stage, stage64 } from './aux';
import { BROADCAST, OP } from './decode';
import { INVALID, isSignalling16, isSignalling32, QUIET_NAN, signal } from './floating';
import { decodeHalf } from './half';
import { field, getA } from './registers';
import * as op from './opcodes.generated';

const EQUAL = 0;
const NOT_EQUAL = 1;
const GREATER = 2;
const GREATER_EQUAL = 3;
const LESS = 4;
const LESS_EQUAL = 5;

/** NaN is unequal to everything; an ordered comparison with it is an invalid operation. */
function holds(w: usize, relation: i32, x: f64, y: f64, signalling: bool): bool {
  const unordered = isNaN(x) || isNaN(y);
  if (signalling || (unordered && relation > NOT_EQUAL)) signal(w, INVALID);
  switch (relation) {
    case EQUAL:
      return x == y;
    case NOT_EQUAL:
      return x != y;
    case GREATER:
      return x > y;
    case GREATER_EQUAL:
      return x >= y;
    case LESS:
      return x < y;
    default:
      return x <= y;
  }
}

function compareSingles(w: usize, e: usize, relation: i32, count: i32): void {
  const first = field(e, 1);
  const second = field(e, 2);
  const repeat = (load<u8>(e, BROADCAST) & 1) != 0;
  let mask: u64 = 0;
  for (let i = 0; i < count; i++) {
    const x = getA(w, repeat ? first : first + i);
    const y = getA(w, second + i);
    const signalling = isSignalling32(x) || isSignalling32(y);
    if (holds(w, relation, reinterpret<f32>(x), reinterpret<f32>(y), signalling))
      mask |= <u64>0xffffffff << (32 * i);
  }
  if (count == 1) stage(field(e, 0), <u32>mask);
  else stage64(field(e, 0), mask);
}

/** Code of element i of a register group. */
// @ts-ignore: decorator
@inline
function halfCode(w: usize, register: i32, i: i32): u32 {
  return (getA(w, register + (i >> 1)) >> (16 * (i & 1))) & 0xffff;
}

function compareHalves(w: usize, e: usize, relation: i32, count: i32): void {
  const first = field(e, 1);
  const second = field(e, 2);
  const lane = load<u8>(e, BROADCAST);
  let mask: u64 = 0;
  for (let i = 0; i < count; i++) {
    const x = halfCode(w, first, lane == 2 ? 0 : lane == 4 ? 1 : i);
    const y = halfCode(w, second, i);
    const signalling = isSignalling16(x) || isSignalling16(y);
    if (holds(w, relation, decodeHalf(x), decodeHalf(y), signalling)) mask |= <u64>0xffff << (16 * i);
  }
  if (count == 2) stage(field(e, 0), <u32>mask);
  else stage64(field(e, 0), mask);
}

/** Order of codes that are numbers, -0 just below +0. */
// @ts-ignore: decorator
@inline
function rank(code: u32, sign: u32): i64 {
  return (code & sign) != 0 ? -1 - <i64>(code & (sign - 1)) : <i64>code;
}

/** The larger or the smaller of two codes; a number wins over NaN, two NaN give the one of every result. */
function extreme(x: u32, y: u32, sign: u32, infinity: u32, nan: u32, largest: bool): u32 {
  const magnitude = sign - 1;
  if ((x & magnitude) > infinity) return (y & magnitude) > infinity ? nan : y;
  if ((y & magnitude) > infinity) return x;
  return rank(x, sign) > rank(y, sign) == largest ? x : y;
}

/** Code of min(max(x, low), high), NaN and zeros as there. */
function clampHalf(code: u32, low: u32, high: u32): u32 {
  return extreme(extreme(code, low, 0x8000, 0x7c00, 0x7e00, true), high, 0x8000, 0x7c00, 0x7e00, false);
}

function clampSingle(code: u32, low: u32, high: u32): u32 {
  const value = extreme(code, low, 0x80000000, 0x7f800000, QUIET_NAN, true);
  return extreme(value, high, 0x80000000, 0x7f800000, QUIET_NAN, false);
}

function larger(x: u32, y: u32): u32 {
  return extreme(x, y, 0x8000, 0x7c00, 0x7e00, true);
}

/**
 * Class code: 1 signalling NaN, 2 quiet NaN, then by value -infinity, -normal, -zero, -denormal, +denormal,
 * +zero, +normal, +infinity. Published are 2 and 5 only, the others are a choice [GUESS].
 */
function classOf(negative: bool, nan: bool, quiet: bool, exponent: u32, full: u32, fraction: u32): u32 {
  if (nan) return quiet ? 2 : 1;
  if (exponent == full) return negative ? 3 : 10;
  if (exponent != 0) return negative ? 4 : 9;
  if (fraction == 0) return negative ? 5 : 8;
  return negative ? 6 : 7;
}

function classOfHalf(code: u32): u32 {
  const exponent = (code >> 10) & 31;
  const fraction = code & 0x3ff;
  return classOf((code & 0x8000) != 0, exponent == 31 && fraction != 0, (code & 0x200) != 0, exponent, 31, fraction);
}

function classOfSingle(code: u32): u32 {
  const exponent = (code >> 23) & 255;
  const fraction = code & 0x7fffff;
  return classOf(code >> 31 != 0, exponent == 255 && fraction != 0, (code & 0x400000) != 0, exponent, 255, fraction);
}

/** Comparing instructions; false when the operation is none. */
export function executeCompare(w: usize, e: usize): bool {
  const d = field(e, 0);
  const s = field(e, 1);
  switch (load<u16>(e, OP)) {
    case op.F32CMPEQ: compareSingles(w, e, EQUAL, 1); return true;
    case op.F32CMPNE: compareSingles(w, e, NOT_EQUAL, 1); return true;
    case op.F32CMPGT: compareSingles(w, e, GREATER, 1); return true;
    case op.F32CMPGE: compareSingles(w, e, GREATER_EQUAL, 1); return true;
    case op.F32CMPLT: compareSingles(w, e, LESS, 1); return true;
    case op.F32CMPLE: compareSingles(w, e, LESS_EQUAL, 1); return true;
    case op.F32V2CMPEQ: compareSingles(w, e, EQUAL, 2); return true;
    case op.F32V2CMPNE: compareSingles(w, e, NOT_EQUAL, 2); return true;
    case op.F32V2CMPGT: compareSingles(w, e, GREATER, 2); return true;
    case op.F32V2CMPGE: compareSingles(w, e, GREATER_EQUAL, 2); return true;
    case op.F32V2CMPLT: compareSingles(w, e, LESS, 2); return true;
    case op.F32V2CMPLE: compareSingles(w, e, LESS_EQUAL, 2); return true;
    case op.F16V2CMPEQ: compareHalves(w, e, EQUAL, 2); return true;
    case op.F16V2CMPNE: compareHalves(w, e, NOT_EQUAL, 2); return true;
    case op.F16V2CMPGT: compareHalves(w, e, GREATER, 2); return true;
    case op.F16V2CMPGE: compareHalves(w, e, GREATER_EQUAL, 2); return true;
    case op.F16V2CMPLT: compareHalves(w, e, LESS, 2); return true;
    case op.F16V2CMPLE: compareHalves(w, e, LESS_EQUAL, 2); return true;
    case op.F16V4CMPEQ: compareHalves(w, e, EQUAL, 4); return true;
    case op.F16V4CMPNE: compareHalves(w, e, NOT_EQUAL, 4); return true;
    case op.F16V4CMPGT: compareHalves(w, e, GREATER, 4); return true;
    case op.F16V4CMPGE: compareHalves(w, e, GREATER_EQUAL, 4); return true;
    case op.F16V4CMPLT: compareHalves(w, e, LESS, 4); return true;
    case op.F16V4CMPLE: compareHalves(w, e, LESS_EQUAL, 4); return true;
    case op.F32CLAMP: {
      const limits = field(e, 2);
      stage(d, clampSingle(getA(w, s), getA(w, limits), getA(w, limits + 1)));
      return true;
    }
    case op.F32V2CLAMP: {
      const low = getA(w, field(e, 2));
      const high = getA(w, field(e, 2) + 1);
      stage64(d, <u64>clampSingle(getA(w, s), low, high) | (<u64>clampSingle(getA(w, s + 1), low, high) << 32));
      return true;
    }
    case op.F16V2CLAMP:
    case op.F16V4CLAMP: {
      const limits = getA(w, field(e, 2));
      const count = load<u16>(e, OP) == op.F16V2CLAMP ? 2 : 4;
      let word: u64 = 0;
      for (let i = 0; i < count; i++)
        word |= <u64>clampHalf(halfCode(w, s, i), limits & 0xffff, limits >> 16) << (16 * i);
      if (count == 2) stage(d, <u32>word);
      else stage64(d, word);
      return true;
    }
    case op.F32CLASS:
      stage(d, classOfSingle(getA(w, s)));
      return true;
    case op.F32V2CLASS:
      stage(d, classOfSingle(getA(w, s)) | (classOfSingle(getA(w, s + 1)) << 8));
      return true;
    case op.F16V2CLASS:
    case op.F16V4CLASS: {
      const count = load<u16>(e, OP) == op.F16V2CLASS ? 2 : 4;
      let word: u32 = 0;
      for (let i = 0; i < count; i++) word |= classOfHalf(halfCode(w, s, i)) << (8 * i);
      stage(d, word);
      return true;
    }
    case op.F16V2MAXC:
      stage(d, larger(halfCode(w, s, 0), halfCode(w, s, 1)) * 0x10001);
      return true;
    case op.F16V4MAXC:
      stage(d, larger(halfCode(w, s, 0), halfCode(w, s, 1)) | (larger(halfCode(w, s, 2), halfCode(w, s, 3)) << 16));
      return true;
    default:
      return false;
  }
}
