// Auxiliary pipe of a worker. Results are staged and committed after the main half of the bundle, so that
// both halves read the registers as they were before it.
import { matrixStep } from './amp';
import { BROADCAST, KINDS, OP } from './decode';
import { decodeHalf, encodeHalf } from './half';
import { checkControl, field, getA, permute, setA } from './main';
import { fault, raise } from './memory';
import * as op from './opcodes.generated';
import {
  EVEN,
  F8_FORMAT,
  F8_SCALE,
  FP_CONTROL,
  FP_STATUS,
  INVALID_OP,
  NOT_MODELLED,
  ODD,
  PRNG,
  SCALE,
} from './state';

/** Staged result: first register, number of registers, up to four words. */
export let stagedRegister: i32 = -1;
let stagedCount: i32 = 0;
let staged0: u64 = 0;
let staged1: u64 = 0;

function stage(register: i32, word: u32): void {
  stagedRegister = register;
  stagedCount = 1;
  staged0 = word;
}

function stage64(register: i32, word: u64): void {
  stagedRegister = register;
  stagedCount = 2;
  staged0 = word;
}

/** Writes the staged result. */
// @ts-ignore: decorator
@inline
export function commit(w: usize): void {
  if (stagedRegister < 0) return;
  if (fault != 0) {
    stagedRegister = -1;
    return;
  }
  setA(w, stagedRegister, <u32>staged0);
  if (stagedCount > 1) setA(w, stagedRegister + 1, <u32>(staged0 >> 32));
  stagedRegister = -1;
}

// @ts-ignore: decorator
@inline
function single(w: usize, register: i32): f32 {
  return reinterpret<f32>(getA(w, register));
}

// @ts-ignore: decorator
@inline
function halfAt(w: usize, register: i32, element: i32): f64 {
  return decodeHalf(getA(w, register + (element >> 1)) >> (16 * (element & 1)));
}

function rounded(w: usize, value: f64): u32 {
  const control = load<u32>(w, FP_CONTROL);
  if ((control & 0x80000) != 0) {
    raise(NOT_MODELLED, <u32>op.STOCHASTIC);
    return 0;
  }
  return encodeHalf(value, (control >> 16) & 7, (control & 0x100000) != 0);
}

/** f32 results are computed to nearest even; other modes are not modelled for f32 arithmetic. */
function needsNearest(w: usize): void {
  if ((load<u32>(w, FP_CONTROL) & 0x70000) != 0) raise(NOT_MODELLED, <u32>op.ROUNDING_MODE);
}

const ADD = 0;
const SUB = 1;
const MUL = 2;
const MAX = 3;
const MIN = 4;
const ABSADD = 5;
const ABSMAX = 6;

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

/** `count` f32 elements; broadcast repeats the first register of the first source. */
function singles(w: usize, e: usize, kind: i32, count: i32): void {
  needsNearest(w);
  const x = field(e, 1);
  const y = field(e, 2);
  const repeat = (load<u8>(e, BROADCAST) & 1) != 0;
  const low = reinterpret<u32>(<f32>combine(kind, single(w, x), single(w, y)));
  if (count == 1) {
    stage(field(e, 0), low);
    return;
  }
  const high = reinterpret<u32>(<f32>combine(kind, single(w, repeat ? x : x + 1), single(w, y + 1)));
  stage64(field(e, 0), <u64>low | (<u64>high << 32));
}

/** `count` f16 elements, computed in f64 and rounded once. */
function halves(w: usize, e: usize, kind: i32, count: i32): void {
  const x = field(e, 1);
  const y = field(e, 2);
  const lane = load<u8>(e, BROADCAST);
  let word: u64 = 0;
  for (let i = 0; i < count; i++) {
    const left = lane == 2 ? halfAt(w, x, 0) : lane == 4 ? halfAt(w, x, 1) : halfAt(w, x, i);
    word |= <u64>rounded(w, combine(kind, left, halfAt(w, y, i))) << (16 * i);
  }
  if (count == 2) stage(field(e, 0), <u32>word);
  else stage64(field(e, 0), word);
}

// @ts-ignore: decorator
@inline
function addTo(w: usize, accumulator: usize, value: f64): void {
  const place = w + EVEN + (accumulator << 3);
  store<f64>(place, <f64>(<f32>(load<f64>(place) + value)));
}

const PLAIN = 0;
const ABSOLUTE = 1;
const SQUARE = 2;

/** Adds `count` f16 or f32 elements to the even accumulators of set 0. */
function accumulate(w: usize, e: usize, count: i32, half: bool, kind: i32): void {
  const source = field(e, 0);
  for (let i = 0; i < count; i++) {
    const x = half ? halfAt(w, source, i) : <f64>single(w, source + i);
    addTo(w, i, kind == PLAIN ? x : kind == ABSOLUTE ? abs(x) : x * x);
  }
}

/** Reads the bottom pair of an accumulator chain, shifts the chain down, inserts a pair at its top. */
function shiftChain(w: usize, chain: i32, first: f64, second: f64): u64 {
  const base = w + ((chain & 1) == 0 ? EVEN : ODD) + ((chain & 2) == 0 ? 0 : 64);
  const x = <f32>load<f64>(base);
  const y = <f32>load<f64>(base, 8);
  memory.copy(base, base + 16, 48);
  store<f64>(base, first, 48);
  store<f64>(base, second, 56);
  return <u64>reinterpret<u32>(x) | (<u64>reinterpret<u32>(y) << 32);
}

/** Executes one auxiliary instruction; returns the worker cycles it takes. */
export function executeAux(tile: usize, w: usize, e: usize): i32 {
  const d = field(e, 0);
  switch (load<u16>(e, OP)) {
    case op.FNOP:
      return 1;
    case op.F16V4HIHOV4AMP:
      if (field(e, 3) > 3) raise(NOT_MODELLED, load<u16>(e, OP));
      else if ((load<u32>(w, FP_CONTROL) & 0x80000) != 0) raise(NOT_MODELLED, <u32>op.STOCHASTIC);
      else stage64(d, matrixStep(tile, w, field(e, 1), field(e, 2), field(e, 3)));
      return 1;
    case op.SETZI_A:
      stage(d, field(e, 1));
      return 1;
    case op.AND_A:
      stage(d, getA(w, field(e, 1)) & operand(w, e));
      return 1;
    case op.ANDC_A:
      stage(d, getA(w, field(e, 1)) & ~operand(w, e));
      return 1;
    case op.OR_A:
      stage(d, getA(w, field(e, 1)) | operand(w, e));
      return 1;
    case op.NOT:
      stage(d, ~getA(w, field(e, 1)));
      return 1;
    case op.AND64:
      stage64(d, pair(w, field(e, 1)) & pair(w, field(e, 2)));
      return 1;
    case op.ANDC64:
      stage64(d, pair(w, field(e, 1)) & ~pair(w, field(e, 2)));
      return 1;
    case op.OR64:
      stage64(d, pair(w, field(e, 1)) | pair(w, field(e, 2)));
      return 1;
    case op.NOT64:
      stage64(d, ~pair(w, field(e, 1)));
      return 1;
    case op.ROLL32:
      stage64(d, (pair(w, field(e, 1)) >> 32) | (pair(w, field(e, 2)) << 32));
      return 1;
    case op.SORT4X32LO:
      stage64(d, (pair(w, field(e, 1)) & 0xffffffff) | (pair(w, field(e, 2)) << 32));
      return 1;
    case op.SORT4X32HI:
      stage64(d, (pair(w, field(e, 1)) >> 32) | (pair(w, field(e, 2)) & 0xffffffff00000000));
      return 1;
    case op.ROLL16_A:
      stage(d, permute(op.ROLL16, getA(w, field(e, 1)), getA(w, field(e, 2))));
      return 1;
    case op.ROLL8L_A:
      stage(d, permute(op.ROLL8L, getA(w, field(e, 1)), getA(w, field(e, 2))));
      return 1;
    case op.ROLL8R_A:
      stage(d, permute(op.ROLL8R, getA(w, field(e, 1)), getA(w, field(e, 2))));
      return 1;
    case op.SHUF8X8LO_A:
      stage(d, permute(op.SHUF8X8LO, getA(w, field(e, 1)), getA(w, field(e, 2))));
      return 1;
    case op.SHUF8X8HI_A:
      stage(d, permute(op.SHUF8X8HI, getA(w, field(e, 1)), getA(w, field(e, 2))));
      return 1;
    case op.SORT4X16LO_A: {
      const x = getA(w, field(e, 1));
      stage(d, permute(op.SORT4X16LO, load<u8>(e, BROADCAST) == 4 ? x >> 16 : x, getA(w, field(e, 2))));
      return 1;
    }
    case op.SORT4X16HI_A: {
      const x = getA(w, field(e, 1));
      stage(d, permute(op.SORT4X16HI, load<u8>(e, BROADCAST) == 2 ? x << 16 : x, getA(w, field(e, 2))));
      return 1;
    }
    case op.UPUT:
      putUpper(w, d, getA(w, field(e, 1)));
      return 1;
    case op.UGET:
      stage(d, getUpper(w, field(e, 1)));
      return 1;
    case op.F32ADD:
      singles(w, e, ADD, 1);
      return 1;
    case op.F32SUB:
      singles(w, e, SUB, 1);
      return 1;
    case op.F32MUL:
      singles(w, e, MUL, 1);
      return 1;
    case op.F32MAX:
      singles(w, e, MAX, 1);
      return 1;
    case op.F32MIN:
      singles(w, e, MIN, 1);
      return 1;
    case op.F32ABSADD:
      singles(w, e, ABSADD, 1);
      return 1;
    case op.F32ABSMAX:
      singles(w, e, ABSMAX, 1);
      return 1;
    case op.F32V2ADD:
      singles(w, e, ADD, 2);
      return 1;
    case op.F32V2SUB:
      singles(w, e, SUB, 2);
      return 1;
    case op.F32V2MUL:
      singles(w, e, MUL, 2);
      return 1;
    case op.F32V2MAX:
      singles(w, e, MAX, 2);
      return 1;
    case op.F32V2MIN:
      singles(w, e, MIN, 2);
      return 1;
    case op.F32V2ABSADD:
      singles(w, e, ABSADD, 2);
      return 1;
    case op.F32V2ABSMAX:
      singles(w, e, ABSMAX, 2);
      return 1;
    case op.F16V2ADD:
      halves(w, e, ADD, 2);
      return 1;
    case op.F16V2SUB:
      halves(w, e, SUB, 2);
      return 1;
    case op.F16V2MUL:
      halves(w, e, MUL, 2);
      return 1;
    case op.F16V2MAX:
      halves(w, e, MAX, 2);
      return 1;
    case op.F16V2MIN:
      halves(w, e, MIN, 2);
      return 1;
    case op.F16V2ABSADD:
      halves(w, e, ABSADD, 2);
      return 1;
    case op.F16V2ABSMAX:
      halves(w, e, ABSMAX, 2);
      return 1;
    case op.F16V4ADD:
      halves(w, e, ADD, 4);
      return 1;
    case op.F16V4SUB:
      halves(w, e, SUB, 4);
      return 1;
    case op.F16V4MUL:
      halves(w, e, MUL, 4);
      return 1;
    case op.F16V4MAX:
      halves(w, e, MAX, 4);
      return 1;
    case op.F16V4MIN:
      halves(w, e, MIN, 4);
      return 1;
    case op.F16V4ABSADD:
      halves(w, e, ABSADD, 4);
      return 1;
    case op.F16V4ABSMAX:
      halves(w, e, ABSMAX, 4);
      return 1;
    case op.F16TOF32:
      stage(d, reinterpret<u32>(<f32>halfAt(w, field(e, 1), 0)));
      return 1;
    case op.F16V2TOF32:
      stage64(
        d,
        <u64>reinterpret<u32>(<f32>halfAt(w, field(e, 1), 0)) |
          (<u64>reinterpret<u32>(<f32>halfAt(w, field(e, 1), 1)) << 32),
      );
      return 1;
    case op.F32TOF16:
      stage(d, rounded(w, single(w, field(e, 1))) * 0x10001);
      return 1;
    case op.F32V2TOF16:
      stage(d, rounded(w, single(w, field(e, 1))) | (rounded(w, single(w, field(e, 1) + 1)) << 16));
      return 1;
    case op.F32V4TOF16: {
      let word: u64 = 0;
      for (let i = 0; i < 4; i++) word |= <u64>rounded(w, single(w, field(e, 1) + i)) << (16 * i);
      stage64(d, word);
      return 1;
    }
    case op.F16V4ACC:
      accumulate(w, e, 4, true, PLAIN);
      return 1;
    case op.F16V8ACC:
      accumulate(w, e, 8, true, PLAIN);
      return 1;
    case op.F32V4ACC:
      accumulate(w, e, 4, false, PLAIN);
      return 1;
    case op.F16V4ABSACC:
      accumulate(w, e, 4, true, ABSOLUTE);
      return 1;
    case op.F16V8ABSACC:
      accumulate(w, e, 8, true, ABSOLUTE);
      return 1;
    case op.F32V4ABSACC:
      accumulate(w, e, 4, false, ABSOLUTE);
      return 1;
    case op.F16V8SQACC:
      accumulate(w, e, 8, true, SQUARE);
      return 1;
    case op.F32V4SQACC:
      accumulate(w, e, 4, false, SQUARE);
      return 1;
    case op.F16V2GINA: {
      const s = getA(w, field(e, 1));
      const pairBits = shiftChain(w, field(e, 2), decodeHalf(s), decodeHalf(s >> 16));
      stage(
        d,
        rounded(w, reinterpret<f32>(<u32>pairBits)) | (rounded(w, reinterpret<f32>(<u32>(pairBits >> 32))) << 16),
      );
      return 1;
    }
    case op.F32V2GINA:
      stage64(d, shiftChain(w, field(e, 2), single(w, field(e, 1)), single(w, field(e, 1) + 1)));
      return 1;
    case op.F16V4GACC: {
      let word: u64 = 0;
      for (let i: usize = 0; i < 4; i++) word |= <u64>rounded(w, load<f64>(w + EVEN + (i << 3))) << (16 * <u64>i);
      stage64(d, word);
      return 1;
    }
    default:
      raise(NOT_MODELLED, load<u16>(e, OP));
      return 1;
  }
}

function operand(w: usize, e: usize): u32 {
  return load<u8>(e + 2, KINDS) == 2 ? <u32>field(e, 2) : getA(w, field(e, 2));
}

function pair(w: usize, register: i32): u64 {
  return <u64>getA(w, register) | (<u64>getA(w, register + 1) << 32);
}

const CSR_STATUS = 0;
const CSR_CLEAR = 1;
const CSR_CONTROL = 2;
const CSR_PRNG = 3;
const CSR_SEED = 7;
const CSR_SCALE = 8;
const CSR_F8_FORMAT = 9;
const CSR_F8_SCALE = 10;

function putUpper(w: usize, csr: i32, word: u32): void {
  if (csr == CSR_CLEAR) {
    store<u32>(w, load<u32>(w, FP_STATUS) & ~(word & 7), FP_STATUS);
    if ((word & 8) != 0) memory.fill(w + EVEN, 0, 256);
  } else if (csr == CSR_CONTROL) {
    checkControl(word);
    store<u32>(w, word, FP_CONTROL);
  } else if (csr == CSR_F8_FORMAT) store<u32>(w, word, F8_FORMAT);
  else if (csr == CSR_F8_SCALE) store<u32>(w, word, F8_SCALE);
  else if (csr == CSR_SCALE) store<u32>(w, word, SCALE);
  else if (csr >= CSR_PRNG && csr < CSR_SEED) store<u32>(w + (<usize>(csr - CSR_PRNG) << 2), word, PRNG);
  else if (csr == CSR_SEED) {
    store<u32>(w, word, PRNG);
    store<u32>(w, ~word, PRNG + 4);
    store<u32>(w, (word << 13) | (~word >> 19), PRNG + 8);
    store<u32>(w, (~word << 13) | (word >> 19), PRNG + 12);
  } else if (csr == CSR_STATUS) store<u32>(w, word & 7, FP_STATUS);
  else raise(INVALID_OP, 256 + csr);
}

function getUpper(w: usize, csr: i32): u32 {
  if (csr == CSR_STATUS) return load<u32>(w, FP_STATUS);
  if (csr == CSR_CLEAR || csr == CSR_SEED) return 0;
  if (csr == CSR_CONTROL) return load<u32>(w, FP_CONTROL);
  if (csr == CSR_SCALE) return load<u32>(w, SCALE);
  if (csr == CSR_F8_FORMAT) return load<u32>(w, F8_FORMAT);
  if (csr == CSR_F8_SCALE) return load<u32>(w, F8_SCALE);
  if (csr >= CSR_PRNG && csr < CSR_SEED) return load<u32>(w + (<usize>(csr - CSR_PRNG) << 2), PRNG);
  raise(INVALID_OP, 256 + csr);
  return 0;
}
