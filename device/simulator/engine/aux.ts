// Auxiliary pipe of a worker. Results are staged and committed after the main half of the bundle, so that
// both halves read the registers as they were before it.
import { addTo } from './accumulators';
import { matrixStep, straighten } from './amp';
import { executeOther } from './auxFamilies';
import { BROADCAST, KINDS, OP } from './decode';
import { codeOf, OVERFLOWED, signal } from './floating';
import { decodeHalf, encodeHalf, encodeHalfNearest, overflowed, STOCHASTIC_MODE, watchOverflow } from './half';
import { field, getA, setA } from './registers';
import { permute, sortBytes, swapBytes } from './permute';
import { fault, raise } from './memory';
import * as op from './opcodes.generated';
import { draw } from './random';
import {
  EVEN,
  F8_FORMAT,
  F8_SCALE,
  FP_CONTROL,
  FP_STATUS,
  INVALID_OP,
  NOT_MODELLED,
  ODD,
  ODD_HEAD,
  PRNG,
  SCALE,
} from './state';

/** Staged result: first register, number of registers, up to four words. */
export let stagedRegister: i32 = -1;
let stagedCount: i32 = 0;
let staged0: u64 = 0;
let staged1: u64 = 0;

export function stage(register: i32, word: u32): void {
  stagedRegister = register;
  stagedCount = 1;
  staged0 = word;
}

export function stage64(register: i32, word: u64): void {
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

/** Code of a value rounded once to f16 by the worker's control word, with flags. */
export function rounded(w: usize, value: f64): u32 {
  const control = load<u32>(w, FP_CONTROL);
  if ((control & 0x1f0000) == 0 && abs(value) < 65520) return encodeHalfNearest(value);
  const stochastic = (control & 0x80000) != 0;
  watchOverflow(stochastic ? draw(w) : 0);
  const mode = stochastic ? STOCHASTIC_MODE : (control >> 16) & 7;
  const code = encodeHalf(value, mode, (control & 0x100000) != 0);
  if (overflowed) signal(w, OVERFLOWED);
  return code;
}

const PLAIN = 0;
const ABSOLUTE = 1;
const SQUARE = 2;

/** Adds `count` f16 or f32 elements to the even accumulators of set 0. */
function accumulate(w: usize, e: usize, count: i32, half: bool, kind: i32): void {
  const source = field(e, 0);
  for (let i = 0; i < count; i++) {
    const x = half ? halfAt(w, source, i) : <f64>single(w, source + i);
    addTo(w, i, kind == PLAIN ? x : kind == ABSOLUTE ? abs(x) : x * x, isNaN(x));
  }
}

/** Reads the bottom pair of an accumulator chain, shifts the chain down, inserts a pair at its top. */
function shiftChain(w: usize, chain: i32, first: f64, second: f64): u64 {
  const base = w + ((chain & 1) == 0 ? EVEN : ODD) + ((chain & 2) == 0 ? 0 : 64);
  const x = codeOf(load<f64>(base));
  const y = codeOf(load<f64>(base, 8));
  memory.copy(base, base + 16, 48);
  store<f64>(base, first, 48);
  store<f64>(base, second, 56);
  return <u64>x | (<u64>y << 32);
}

/** Executes one auxiliary instruction; returns the worker cycles it takes. */
export function executeAux(tile: usize, w: usize, e: usize): i32 {
  const d = field(e, 0);
  const code = load<u16>(e, OP);
  if (code == op.FNOP) return 1;
  // Every other instruction finds the staging chain in order.
  if (code != op.F16V4HIHOV4AMP && load<u32>(w, ODD_HEAD) != 0) straighten(w);
  switch (code) {
    case op.F16V4HIHOV4AMP:
      if (field(e, 3) > 3) raise(NOT_MODELLED, load<u16>(e, OP));
      else stage64(d, matrixStep(tile, w, pair(w, field(e, 1)), pair(w, field(e, 2)), field(e, 3)));
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
    case op.SORT8X8LO_A:
      stage(d, permute(op.SORT8X8LO, getA(w, field(e, 1)), getA(w, field(e, 2))));
      return 1;
    case op.SORT8X8HI_A:
      stage(d, permute(op.SORT8X8HI, getA(w, field(e, 1)), getA(w, field(e, 2))));
      return 1;
    case op.SWAP8_A:
      stage(d, swapBytes(getA(w, field(e, 1))));
      return 1;
    case op.SORT8_A:
      stage(d, sortBytes(getA(w, field(e, 1))));
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
    case op.F16TOF32:
      stage(d, codeOf(halfAt(w, field(e, 1), 0)));
      return 1;
    case op.F16V2TOF32:
      stage64(
        d,
        <u64>codeOf(halfAt(w, field(e, 1), 0)) | (<u64>codeOf(halfAt(w, field(e, 1), 1)) << 32),
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
      return executeOther(tile, w, e);
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
