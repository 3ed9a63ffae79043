// Elementary functions, computed in f64 and rounded once: the chip's own last bits are not published, correct
// rounding stands in for them [GUESS]. Worker cycles per issue [SDK].
import { rounded, stage, stage64 } from './aux';
import {
  DIVIDE_CYCLES,
  EXP_CYCLES,
  HALF_ELEMENTARY_CYCLES,
  HALF_TANH_CYCLES,
  LOG_CYCLES,
  RECIPROCAL_CYCLES,
  RECIPROCAL_ROOT_CYCLES,
  ROOT_CYCLES,
  SIGMOID_CYCLES,
  TANH_CYCLES,
} from './choices.generated';
import { OP } from './decode';
import { deliverSingle, DIVIDED_BY_ZERO, INVALID, isSignalling16, isSignalling32, OVERFLOWED, roundingMode, signal, TOWARD_MINUS } from './floating';
import { decodeHalf } from './half';
import { field, getA } from './registers';
import * as op from './opcodes.generated';

const EXP = 0;
const EXP2 = 1;
const LN = 2;
const LOG2 = 3;
const TANH = 4;
const SIGMOID = 5;
const RECIPROCAL = 6;
const RECIPROCAL_ROOT = 7;
const ROOT = 8;

function sigmoid(x: f64): f64 {
  return x >= 0 ? 1 / (1 + NativeMath.exp(-x)) : NativeMath.exp(x) / (1 + NativeMath.exp(x));
}

function evaluate(kind: i32, x: f64): f64 {
  switch (kind) {
    case EXP:
      return NativeMath.exp(x);
    case EXP2:
      // Whole exponents are exact.
      return x == Math.floor(x) && abs(x) < 1000 ? reinterpret<f64>(<u64>(<i64>x + 1023) << 52) : NativeMath.exp2(x);
    case LN:
      return NativeMath.log(x);
    case LOG2:
      return NativeMath.log2(x);
    case TANH:
      return NativeMath.tanh(x);
    case SIGMOID:
      return sigmoid(x);
    case RECIPROCAL:
      return 1 / x;
    case RECIPROCAL_ROOT:
      return 1 / Math.sqrt(x);
    default:
      return Math.sqrt(x);
  }
}

/** Flags of an argument outside the domain or at a pole. */
function signalDomain(w: usize, kind: i32, x: f64, signalling: bool): void {
  if (signalling) signal(w, INVALID);
  const logarithm = kind == LN || kind == LOG2;
  if ((logarithm || kind == ROOT || kind == RECIPROCAL_ROOT) && x < 0) signal(w, INVALID);
  if ((logarithm || kind == RECIPROCAL || kind == RECIPROCAL_ROOT) && x == 0) signal(w, DIVIDED_BY_ZERO);
}

function single(w: usize, e: usize, kind: i32): void {
  const code = getA(w, field(e, 1));
  const x = <f64>reinterpret<f32>(code);
  signalDomain(w, kind, x, isSignalling32(code));
  const y = evaluate(kind, x);
  // Poles and arguments that are infinite or no number have their flags already.
  const settled = isNaN(x) || isNaN(y) || x == 0 || abs(x) == Infinity;
  stage(field(e, 0), deliverSingle(w, y, 0, settled, settled));
}

function halfPair(w: usize, e: usize, kind: i32): void {
  const word = getA(w, field(e, 1));
  let result: u32 = 0;
  for (let i = 0; i < 2; i++) {
    const code = (word >> (16 * i)) & 0xffff;
    const x = decodeHalf(code);
    signalDomain(w, kind, x, isSignalling16(code));
    const y = evaluate(kind, x);
    if ((kind == EXP || kind == EXP2) && abs(x) != Infinity && y >= 65520) signal(w, OVERFLOWED);
    result |= rounded(w, y) << (16 * i);
  }
  stage(field(e, 0), result);
}

function divide(w: usize, e: usize): void {
  const p = getA(w, field(e, 1));
  const q = getA(w, field(e, 2));
  const x = <f64>reinterpret<f32>(p);
  const y = <f64>reinterpret<f32>(q);
  if (isSignalling32(p) || isSignalling32(q)) signal(w, INVALID);
  const nan = isNaN(x) || isNaN(y);
  const pole = y == 0 && !nan && x != 0 && abs(x) != Infinity;
  if (pole) signal(w, DIVIDED_BY_ZERO);
  const quotient = x / y;
  // Which side of the f64 quotient the exact one lies on decides directed rounding.
  let rest: f64 = 0;
  if (!nan && !pole && abs(quotient) != Infinity && quotient != 0) {
    const remainder = x - <f64>(<f32>quotient) * y;
    rest = quotient == <f64>(<f32>quotient) ? 0 : (remainder / y - (quotient - <f64>(<f32>quotient)));
  }
  stage(field(e, 0), deliverSingle(w, quotient, rest, nan, pole || abs(x) == Infinity));
}

/** Sums of neighbouring f16 as f32; exact in f64. An exact zero follows the rounding mode as in any sum. */
function neighbourSum(w: usize, register: i32): u32 {
  const word = getA(w, register);
  const x = decodeHalf(word);
  const y = decodeHalf(word >> 16);
  if (isSignalling16(word & 0xffff) || isSignalling16(word >> 16)) signal(w, INVALID);
  const down = roundingMode(w) == TOWARD_MINUS && ((word >> 31) | ((word >> 15) & 1)) != 0;
  const sum = x + y == 0 && down ? -0.0 : x + y;
  return deliverSingle(w, sum, 0, isNaN(x) || isNaN(y), true);
}

/** Worker cycles of an elementary instruction, 0 when the operation is none. */
export function executeElementary(w: usize, e: usize): i32 {
  switch (load<u16>(e, OP)) {
    case op.F32EXP: single(w, e, EXP); return EXP_CYCLES;
    case op.F32EXP2: single(w, e, EXP2); return EXP_CYCLES;
    case op.F32LN: single(w, e, LN); return LOG_CYCLES;
    case op.F32LOG2: single(w, e, LOG2); return LOG_CYCLES;
    case op.F32TANH: single(w, e, TANH); return TANH_CYCLES;
    case op.F32SIGM: single(w, e, SIGMOID); return SIGMOID_CYCLES;
    case op.F32OOX: single(w, e, RECIPROCAL); return RECIPROCAL_CYCLES;
    case op.F32OORX: single(w, e, RECIPROCAL_ROOT); return RECIPROCAL_ROOT_CYCLES;
    case op.F32SQRT: single(w, e, ROOT); return ROOT_CYCLES;
    case op.F32DIV: divide(w, e); return DIVIDE_CYCLES;
    case op.F16V2EXP: halfPair(w, e, EXP); return HALF_ELEMENTARY_CYCLES;
    case op.F16V2EXP2: halfPair(w, e, EXP2); return HALF_ELEMENTARY_CYCLES;
    case op.F16V2LN: halfPair(w, e, LN); return HALF_ELEMENTARY_CYCLES;
    case op.F16V2LOG2: halfPair(w, e, LOG2); return HALF_ELEMENTARY_CYCLES;
    case op.F16V2SIGM: halfPair(w, e, SIGMOID); return HALF_ELEMENTARY_CYCLES;
    case op.F16V2TANH: halfPair(w, e, TANH); return HALF_TANH_CYCLES;
    case op.F16V2SUM:
      stage(field(e, 0), neighbourSum(w, field(e, 1)));
      return 1;
    case op.F16V4SUM:
      stage64(field(e, 0), <u64>neighbourSum(w, field(e, 1)) | (<u64>neighbourSum(w, field(e, 1) + 1) << 32));
      return 1;
    default:
      return 0;
  }
}
