// Products and scaled sums on the even accumulators of set 0, and the 4 x 4 transpose through accumulators.
// Which accumulator a form uses is documented for some and inferred for others [SDK]/[GUESS].
import { rounded, stage64 } from './aux';
import { OP } from './decode';
import { codeOf, deliverSingle, roundingMode, TOWARD_MINUS } from './floating';
import { decodeHalf } from './half';
import { field, getA } from './registers';
import { raise } from './memory';
import * as op from './opcodes.generated';
import { EVEN, FP_CONTROL, NOT_MODELLED, ODD, SCALE } from './state';

// @ts-ignore: decorator
@inline
function single(w: usize, register: i32): f64 {
  return <f64>reinterpret<f32>(getA(w, register));
}

// @ts-ignore: decorator
@inline
function half(w: usize, register: i32, i: i32): f64 {
  return decodeHalf(getA(w, register + (i >> 1)) >> (16 * (i & 1)));
}

// @ts-ignore: decorator
@inline
export function accumulator(w: usize, i: usize): f64 {
  return load<f64>(w + EVEN + (i << 3));
}

/** What an f64 sum leaves out. */
// @ts-ignore: decorator
@inline
function rest(x: f64, y: f64, sum: f64): f64 {
  const part = sum - x;
  return x - (sum - part) + (y - part);
}

/**
 * x + y in f64 with a last digit that is odd when something was left out: rounding it to f32 in any mode gives what
 * rounding the exact sum would, as f64 has more than two digits to spare.
 */
function oddSum(x: f64, y: f64): f64 {
  const sum = x + y;
  const left = rest(x, y, sum);
  // Infinities leave NaN.
  if (left == 0 || isNaN(left)) return sum;
  const bits = reinterpret<u64>(sum);
  if ((bits & 1) != 0) return sum;
  return reinterpret<f64>(left > 0 == sum > 0 ? bits + 1 : bits - 1);
}

/** Exact sum of three as an odd f64 (Boldo and Melquiond: the parts left out are added first). */
function oddSum3(x: f64, y: f64, z: f64): f64 {
  const upper = y + z;
  const left = rest(y, z, upper);
  if (left == 0 || isNaN(left)) return oddSum(x, upper);
  const total = x + upper;
  if (isNaN(total) || abs(total) == Infinity) return total;
  return oddSum(total, oddSum(rest(x, upper, total), left));
}

/** True when nothing but nearest even without traps is asked for. */
// @ts-ignore: decorator
@inline
function plain(w: usize): bool {
  return (load<u32>(w, FP_CONTROL) & 0x70007) == 0;
}

// @ts-ignore: decorator
@inline
function negative(x: f64): bool {
  return reinterpret<i64>(x) < 0;
}

/** Puts an odd sum, rounded once to f32, in accumulator 2i. `minus` is true when a term has a minus sign. */
function setAccumulator(w: usize, i: usize, value: f64, operandIsNan: bool, infinite: bool, minus: bool): void {
  if (plain(w)) {
    const rounded = <f32>value;
    if (abs(rounded) < <f32>Infinity) {
      store<f64>(w + EVEN + (i << 3), <f64>rounded);
      return;
    }
  }
  const sum = value == 0 && minus && roundingMode(w) == TOWARD_MINUS ? -0.0 : value;
  const code = deliverSingle(w, sum, 0, operandIsNan, infinite);
  store<f64>(w + EVEN + (i << 3), <f64>reinterpret<f32>(code));
}

/** Adds an exact value to accumulator 2i. */
export function addTo(w: usize, i: usize, value: f64, operandIsNan: bool): void {
  const old = accumulator(w, i);
  // Two f32 need no care in nearest even: f64 has more than twice their digits.
  if (plain(w) && <f64>(<f32>value) == value) {
    const rounded = <f32>(old + value);
    if (abs(rounded) < <f32>Infinity) {
      store<f64>(w + EVEN + (i << 3), <f64>rounded);
      return;
    }
  }
  const infinite = abs(old) == Infinity || abs(value) == Infinity;
  const minus = negative(old) || negative(value);
  setAccumulator(w, i, oddSum(old, value), operandIsNan || isNaN(old), infinite, minus);
}

/** Adds the sum of two products of f16, everything exact before the one rounding. */
function lateral(w: usize, accumulatorIndex: usize, x: i32, y: i32, first: i32): void {
  const p = half(w, x, first) * half(w, y, first);
  const q = half(w, x, first + 1) * half(w, y, first + 1);
  const old = accumulator(w, accumulatorIndex);
  const x0 = half(w, x, first);
  const x1 = half(w, x, first + 1);
  const nan = isNaN(x0) || isNaN(x1) || isNaN(half(w, y, first)) || isNaN(half(w, y, first + 1)) || isNaN(old);
  const infinite = abs(p) == Infinity || abs(q) == Infinity || abs(old) == Infinity;
  const minus = negative(p) || negative(q) || negative(old);
  setAccumulator(w, accumulatorIndex, oddSum3(old, p, q), nan, infinite, minus);
}

function product(w: usize, accumulatorIndex: usize, x: f64, y: f64): void {
  addTo(w, accumulatorIndex, x * y, isNaN(x) || isNaN(y));
}

/** Puts the sum of two exact values in accumulator 2i. */
function setSum(w: usize, i: usize, x: f64, y: f64, operandIsNan: bool): void {
  const infinite = abs(x) == Infinity || abs(y) == Infinity;
  setAccumulator(w, i, oddSum(x, y), operandIsNan, infinite, negative(x) || negative(y));
}

/** Accumulators become a x + b y; the old ones are the result, as f16. */
function mix(w: usize, d: i32, x: i32, y: i32): void {
  const scales = load<u32>(w, SCALE);
  const a = decodeHalf(scales);
  const b = decodeHalf(scales >> 16);
  let result: u64 = 0;
  for (let i = 0; i < 4; i++) {
    result |= <u64>rounded(w, accumulator(w, i)) << (16 * i);
    const p = half(w, x, i);
    const q = half(w, y, i);
    setSum(w, i, a * p, b * q, isNaN(a) || isNaN(b) || isNaN(p) || isNaN(q));
  }
  stage64(d, result);
}

function axpy(w: usize, d: i32, x: i32, y: i32): void {
  const a = <f64>reinterpret<f32>(load<u32>(w, SCALE));
  stage64(d, <u64>codeOf(accumulator(w, 0)) | (<u64>codeOf(accumulator(w, 1)) << 32));
  for (let i = 0; i < 2; i++) {
    const p = single(w, x + i);
    const q = single(w, y + i);
    setSum(w, i, a * p, q, isNaN(a) || isNaN(p) || isNaN(q));
  }
}

// @ts-ignore: decorator
@inline
function column(base: usize, c: usize): u64 {
  return (
    load<u64>(base + (c << 3)) & 0xffff |
    ((load<u64>(base + ((c + 4) << 3)) & 0xffff) << 16) |
    ((load<u64>(base + ((c + 8) << 3)) & 0xffff) << 32) |
    ((load<u64>(base + ((c + 12) << 3)) & 0xffff) << 48)
  );
}

function storeRow(base: usize, row: usize, bits: u64): void {
  for (let c: usize = 0; c < 4; c++) store<u64>(base + ((4 * row + c) << 3), (bits >> (16 * c)) & 0xffff);
}

// @ts-ignore: decorator
@inline
function pair(w: usize, register: i32): u64 {
  return <u64>getA(w, register) | (<u64>getA(w, register + 1) << 32);
}

/**
 * Transpose: two issues take rows 0, 1 and 2, 3 of a block; the next four of istacc or stacc deliver columns
 * 0 to 3. The first read-out moves the block behind the next block's rows. Codes pass unchanged.
 */
function takeRows(w: usize, e: usize): void {
  const phase = field(e, 3);
  if (phase > 1) {
    raise(NOT_MODELLED, load<u16>(e, OP));
    return;
  }
  const rows = <usize>phase << 1;
  stage64(field(e, 0), column(w + ODD, 2 + phase));
  storeRow(w + EVEN, rows, pair(w, field(e, 1)));
  storeRow(w + EVEN, rows + 1, pair(w, field(e, 2)));
}

function readColumn(w: usize, e: usize): void {
  const phase = field(e, 1);
  if (phase > 1) {
    raise(NOT_MODELLED, load<u16>(e, OP));
    return;
  }
  if (phase == 0) memory.copy(w + ODD, w + EVEN, 128);
  stage64(field(e, 0), column(w + ODD, phase));
}

/** Accumulating instructions; false when the operation is none. */
export function executeAccumulators(w: usize, e: usize): bool {
  const x = field(e, 0);
  const y = field(e, 1);
  switch (load<u16>(e, OP)) {
    case op.F32MAC:
      product(w, 0, single(w, x), single(w, y));
      return true;
    case op.F32V2MAC:
      product(w, 0, single(w, x), single(w, y));
      product(w, 1, single(w, x + 1), single(w, y + 1));
      return true;
    case op.F16V2CMAC:
      lateral(w, 0, x, y, 0);
      return true;
    case op.F16V4CMAC:
      lateral(w, 0, x, y, 0);
      lateral(w, 1, x, y, 2);
      return true;
    case op.F32V2AOP:
      if (field(e, 2) != 0) raise(NOT_MODELLED, load<u16>(e, OP));
      product(w, 0, single(w, x), single(w, y));
      product(w, 1, single(w, x + 1), single(w, y));
      product(w, 2, single(w, x), single(w, y + 1));
      product(w, 3, single(w, x + 1), single(w, y + 1));
      return true;
    case op.F16V4MIX:
      mix(w, x, y, field(e, 2));
      return true;
    case op.F32V2AXPY:
      axpy(w, x, y, field(e, 2));
      return true;
    case op.F16V4ISTACC:
      takeRows(w, e);
      return true;
    case op.F16V4STACC:
      readColumn(w, e);
      return true;
    default:
      return false;
  }
}
