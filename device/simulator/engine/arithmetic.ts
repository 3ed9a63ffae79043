// f32 and f16 arithmetic, element by element, with flags. f16 operands make exact f64 sums and products, f32
// operands make exact f64 products; the part of an f32 sum that f64 loses is kept for directed rounding.
import { rounded, stage, stage64 } from './aux';
import { BROADCAST, OP } from './decode';
import { deliverSingle, INVALID, isSignalling16, isSignalling32, signal } from './floating';
import { decodeHalf } from './half';
import { field, getA } from './main';
import * as op from './opcodes.generated';

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

function single(w: usize, kind: i32, p: u32, q: u32): u32 {
  const x = <f64>reinterpret<f32>(p);
  const y = <f64>reinterpret<f32>(q);
  if (isSignalling32(p) || isSignalling32(q)) signal(w, INVALID);
  const value = combine(kind, x, y);
  const infinite = abs(x) == Infinity || abs(y) == Infinity;
  return deliverSingle(w, value, lost(kind, x, y, value), isNaN(x) || isNaN(y), infinite);
}

function singles(w: usize, e: usize, kind: i32, count: i32): void {
  const x = field(e, 1);
  const y = field(e, 2);
  const repeat = (load<u8>(e, BROADCAST) & 1) != 0;
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

function halves(w: usize, e: usize, kind: i32, count: i32): void {
  const first = field(e, 1);
  const second = field(e, 2);
  const lane = load<u8>(e, BROADCAST);
  let word: u64 = 0;
  for (let i = 0; i < count; i++) {
    const p = halfCode(w, first, lane == 2 ? 0 : lane == 4 ? 1 : i);
    const q = halfCode(w, second, i);
    if (isSignalling16(p) || isSignalling16(q)) signal(w, INVALID);
    const x = decodeHalf(p);
    const y = decodeHalf(q);
    const value = combine(kind, x, y);
    if (isNaN(value) && !isNaN(x) && !isNaN(y)) signal(w, INVALID);
    word |= <u64>rounded(w, value) << (16 * i);
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
