// Main pipe: what one instruction does to a context. Supervisor and workers share these; timing, launches,
// barriers and the exchange are in supervisor.ts.

import { KINDS, OP, VALUES } from './decode';
import { executeIndexed } from './indexed';
import { apart, at, raise, wide } from './memory';
import * as op from './opcodes.generated';
import {
  A,
  COEFFICIENT_BITS,
  COEFFICIENTS,
  CSRS,
  CURRENT,
  F8_READY,
  FP_CONTROL,
  FP_STATUS,
  INVALID_OP,
  INVALID_PC,
  M,
  NOT_MODELLED,
  PC,
  PHYSICAL,
  REPEAT_COUNT,
  REPEAT_END,
  REPEAT_FIRST,
  SUPERVISOR,
  TIME,
  TRAP0,
  TRAP1,
  WORKER_BYTES,
  WORKERS,
} from './state';

/** Register number or immediate of an operand. */
// @ts-ignore: decorator
@inline
export function field(e: usize, operand: usize): i32 {
  return load<i32>(e + (operand << 2), VALUES);
}

// @ts-ignore: decorator
@inline
export function getM(c: usize, register: i32): i32 {
  return load<i32>(c + (<usize>register << 2), M);
}

// @ts-ignore: decorator
@inline
export function setM(c: usize, register: i32, value: i32): void {
  if (register != 15) store<i32>(c + (<usize>register << 2), value, M);
}

// @ts-ignore: decorator
@inline
export function getA(c: usize, register: i32): u32 {
  return load<u32>(c + (<usize>register << 2), A);
}

// @ts-ignore: decorator
@inline
export function setA(c: usize, register: i32, value: u32): void {
  if (register < 14) store<u32>(c + (<usize>register << 2), value, A);
}

/** Value of an operand that is an m register or an immediate. */
// @ts-ignore: decorator
@inline
function value(c: usize, e: usize, operand: usize): i32 {
  const number = field(e, operand);
  return load<u8>(e + operand, KINDS) == 2 ? number : getM(c, number);
}

// @ts-ignore: decorator
@inline
function set64(c: usize, register: i32, host: usize): void {
  if (register < 14) store<u64>(c + (<usize>register << 2), load<u64>(host), A);
}

// @ts-ignore: decorator
@inline
function get64(c: usize, register: i32): u64 {
  return load<u64>(c + (<usize>register << 2), A);
}

function set128(c: usize, register: i32, host: usize): void {
  set64(c, register, host);
  set64(c, register + 2, host + 8);
}

/** base + delta + unit x offset of a plain access whose address operands start at `first`. */
// @ts-ignore: decorator
@inline
function plain(c: usize, e: usize, first: usize, unit: i32): u32 {
  return getM(c, field(e, first)) + getM(c, field(e, first + 1)) + unit * value(c, e, first + 2);
}

/** base + delta of a stepping access; the delta register advances. */
// @ts-ignore: decorator
@inline
function stepped(c: usize, e: usize, first: usize, unit: i32): u32 {
  const delta = field(e, first + 1);
  const old = getM(c, delta);
  const address = getM(c, field(e, first)) + old;
  setM(c, delta, old + unit * value(c, e, first + 2));
  return address;
}

/** True when the instruction jumped, also to the next one; the supervisor pays for it. */
export let branched: bool = false;

export function clearBranch(): void {
  branched = false;
}

function branch(c: usize, taken: bool, target: u32): void {
  if (!taken) return;
  store<u32>(c, target, PC);
  branched = true;
}

/** Address pack of the paced instructions: 21 bits each for two, the third split over the upper bits. */
// @ts-ignore: decorator
@inline
function unpack(c: usize, register: i32, index: i32): u32 {
  const low = <u32>getM(c, register);
  const high = <u32>getM(c, register + 1);
  if (index == 0) return low & 0x1fffff;
  if (index == 1) return high & 0x1fffff;
  return (low >> 21) | ((high >> 21) << 11);
}

// @ts-ignore: decorator
@inline
function pack(c: usize, register: i32, first: u32, second: u32, third: u32): void {
  setM(c, register, (first & 0x1fffff) | (third << 21));
  setM(c, register + 1, (second & 0x1fffff) | ((third >> 11) << 21));
}

/** Advance of a paced address by its 2-bit selector. */
// @ts-ignore: decorator
@inline
function pace(c: usize, stride: i32, selector: i32): u32 {
  selector &= 3;
  if (selector == 0) return 8;
  const fields = getM(c, stride);
  return ((fields << (32 - 10 * selector)) >> 22) << 3;
}

function loadHalf(tile: usize, c: usize, register: i32, address: u32): void {
  const host = at(tile, address, 2);
  if (host != 0) setA(c, register, <u32>load<u16>(host) * 0x10001);
}

function clampSigned(a: i32, b: i32, low: bool): i32 {
  return low ? min(a, b) : max(a, b);
}

/** Bits below bit 31 that repeat the sign, counted from the top. */
function leadingSigns(x: i32): i32 {
  return clz(x ^ (x >> 31)) - 1;
}

function reverseBytes(x: u32): u32 {
  x = ((x & 0x55555555) << 1) | ((x >> 1) & 0x55555555);
  x = ((x & 0x33333333) << 2) | ((x >> 2) & 0x33333333);
  return ((x & 0x0f0f0f0f) << 4) | ((x >> 4) & 0x0f0f0f0f);
}

// @ts-ignore: decorator
@inline
function byteOf(x: u32, index: i32): u32 {
  return (x >> (8 * index)) & 0xff;
}

function bytes(b0: u32, b1: u32, b2: u32, b3: u32): u32 {
  return b0 | (b1 << 8) | (b2 << 16) | (b3 << 24);
}

/** The accesses through an address pack. */
export function executePaced(tile: usize, c: usize, e: usize): void {
  const d = field(e, 0);
  switch (load<u16>(e, OP)) {
    case op.LD2XST64PACE: {
      const p = field(e, 2);
      const stride = field(e, 3);
      const selectors = field(e, 4);
      const x = unpack(c, p, 0);
      const y = unpack(c, p, 1);
      const z = unpack(c, p, 2);
      const from0 = at(tile, x, 8);
      const from1 = at(tile, y, 8);
      const to = at(tile, z, 8);
      apart(x, y);
      apart(x, z);
      apart(y, z);
      if (from0 == 0 || from1 == 0 || to == 0) return;
      store<u64>(to, get64(c, field(e, 1)));
      set64(c, d, from0);
      set64(c, d + 2, from1);
      pack(c, p, x + pace(c, stride, selectors), y + pace(c, stride, selectors >> 2), z + pace(c, stride, selectors >> 4));
      break;
    }
    case op.LDST64PACE: {
      const p = field(e, 2);
      const stride = field(e, 3);
      const selectors = field(e, 4);
      const x = unpack(c, p, 0);
      const z = unpack(c, p, 2);
      const from = at(tile, x, 8);
      const to = at(tile, z, 8);
      apart(x, z);
      if (from == 0 || to == 0) return;
      store<u64>(to, get64(c, field(e, 1)));
      set64(c, d, from);
      pack(c, p, x + pace(c, stride, selectors), unpack(c, p, 1), z + pace(c, stride, selectors >> 2));
      break;
    }
    case op.LD2X64PACE: {
      const p = field(e, 2);
      const stride = field(e, 3);
      const selectors = field(e, 4);
      const second = field(e, 1);
      if (d == second) {
        raise(INVALID_OP);
        return;
      }
      const x = unpack(c, p, 0);
      const y = unpack(c, p, 1);
      const from0 = at(tile, x, 8);
      const from1 = at(tile, y, 8);
      apart(x, y);
      if (from0 == 0 || from1 == 0) return;
      set64(c, d, from0);
      set64(c, second, from1);
      pack(c, p, x + pace(c, stride, selectors), y + pace(c, stride, selectors >> 2), unpack(c, p, 2));
      break;
    }
    case op.ST64PACE: {
      const p = field(e, 1);
      const z = unpack(c, p, 2);
      const to = at(tile, z, 8);
      if (to == 0) return;
      store<u64>(to, get64(c, d));
      pack(c, p, unpack(c, p, 0), unpack(c, p, 1), z + pace(c, field(e, 2), field(e, 3)));
      break;
    }
    case op.LD64A32PACE:
    case op.LD64B16PACE: {
      const p = field(e, 2);
      const stride = field(e, 3);
      const selectors = field(e, 4);
      const second = field(e, 1);
      if ((second & ~1) == d) {
        raise(INVALID_OP);
        return;
      }
      const x = unpack(c, p, 0);
      const y = unpack(c, p, 1);
      const from = at(tile, x, 8);
      const isHalf = load<u16>(e, OP) == op.LD64B16PACE;
      const partner = at(tile, y, isHalf ? 2 : 4);
      apart(x, y);
      if (from == 0 || partner == 0) return;
      set64(c, d, from);
      setA(c, second, isHalf ? <u32>load<u16>(partner) * 0x10001 : load<u32>(partner));
      pack(c, p, x + pace(c, stride, selectors), y + pace(c, stride, selectors >> 2), unpack(c, p, 2));
      break;
    }
    default:
      raise(NOT_MODELLED, load<u16>(e, OP) - 1);
  }
}

/** Executes one main-pipe instruction. `c.PC` already points behind the instruction or bundle. */
export function executeMain(tile: usize, c: usize, e: usize): void {
  const d = field(e, 0);
  switch (load<u16>(e, OP)) {
    case op.NOP:
      break;
    case op.LD2XST64PACE:
    case op.LDST64PACE:
    case op.LD2X64PACE:
    case op.ST64PACE:
    case op.LD64A32PACE:
    case op.LD64B16PACE:
      executePaced(tile, c, e);
      break;
    case op.TAPACK:
      pack(c, d, getM(c, field(e, 1)), getM(c, field(e, 2)), getM(c, field(e, 3)));
      break;
    case op.ADD:
      setM(c, d, value(c, e, 1) + value(c, e, 2));
      break;
    case op.SUB:
      setM(c, d, value(c, e, 1) - value(c, e, 2));
      break;
    case op.MUL:
      setM(c, d, value(c, e, 1) * value(c, e, 2));
      break;
    case op.ABS:
      setM(c, d, abs(value(c, e, 1)));
      break;
    case op.MIN:
      setM(c, d, clampSigned(value(c, e, 1), value(c, e, 2), true));
      break;
    case op.MAX:
      setM(c, d, clampSigned(value(c, e, 1), value(c, e, 2), false));
      break;
    case op.CMPEQ:
      setM(c, d, i32(value(c, e, 1) == value(c, e, 2)));
      break;
    case op.CMPNE:
      setM(c, d, i32(value(c, e, 1) != value(c, e, 2)));
      break;
    case op.CMPSLT:
      setM(c, d, i32(value(c, e, 1) < value(c, e, 2)));
      break;
    case op.CMPULT:
      setM(c, d, i32(<u32>value(c, e, 1) < <u32>value(c, e, 2)));
      break;
    case op.AND:
      setM(c, d, value(c, e, 1) & value(c, e, 2));
      break;
    case op.ANDC:
      setM(c, d, value(c, e, 1) & ~value(c, e, 2));
      break;
    case op.OR:
      setM(c, d, value(c, e, 1) | value(c, e, 2));
      break;
    case op.XOR:
      setM(c, d, value(c, e, 1) ^ value(c, e, 2));
      break;
    case op.XNOR:
      setM(c, d, ~(value(c, e, 1) ^ value(c, e, 2)));
      break;
    case op.SHL: {
      const n = <u32>value(c, e, 2);
      setM(c, d, n > 31 ? 0 : value(c, e, 1) << <i32>n);
      break;
    }
    case op.SHR: {
      const n = <u32>value(c, e, 2);
      setM(c, d, n > 31 ? 0 : <i32>(<u32>value(c, e, 1) >> n));
      break;
    }
    case op.SHRS: {
      const n = <u32>value(c, e, 2);
      setM(c, d, value(c, e, 1) >> <i32>min<u32>(n, 31));
      break;
    }
    case op.CLZ:
      setM(c, d, clz(value(c, e, 1)));
      break;
    case op.CMS:
      setM(c, d, leadingSigns(value(c, e, 1)));
      break;
    case op.POPC:
      setM(c, d, popcnt(value(c, e, 1)));
      break;
    case op.SETZI:
      setM(c, d, field(e, 1));
      break;
    case op.MOVNZ:
      if (value(c, e, 1) != 0) setM(c, d, value(c, e, 2));
      break;
    case op.ATOM:
      setM(c, d, getA(c, field(e, 1)));
      break;
    case op.BITREV8:
      setM(c, d, reverseBytes(value(c, e, 1)));
      break;
    case op.SWAP8:
      setM(c, d, swapBytes(value(c, e, 1)));
      break;
    case op.SORT8:
      setM(c, d, sortBytes(value(c, e, 1)));
      break;
    case op.ROLL16:
    case op.ROLL8L:
    case op.ROLL8R:
    case op.SHUF8X8HI:
    case op.SHUF8X8LO:
    case op.SORT4X16HI:
    case op.SORT4X16LO:
    case op.SORT8X8HI:
    case op.SORT8X8LO:
      setM(c, d, permute(load<u16>(e, OP), value(c, e, 1), value(c, e, 2)));
      break;
    case op.BR:
      branch(c, true, getM(c, d));
      break;
    case op.BRI:
      branch(c, true, d);
      break;
    case op.BRZ:
      branch(c, getM(c, d) == 0, field(e, 1));
      break;
    case op.BRNZ:
      branch(c, getM(c, d) != 0, field(e, 1));
      break;
    case op.BRNEG:
      branch(c, getM(c, d) < 0, field(e, 1));
      break;
    case op.BRPOS:
      branch(c, getM(c, d) >= 0, field(e, 1));
      break;
    case op.BRNZDEC: {
      const count = getM(c, d);
      if (count != 0) {
        setM(c, d, count - 1);
        branch(c, true, field(e, 1));
      }
      break;
    }
    case op.CALL: {
      const back = load<u32>(c, PC);
      branch(c, true, field(e, 1) & 0x1fffff);
      setM(c, d, back);
      break;
    }
    case op.TRAP:
      raise((d & 1) != 0 ? TRAP1 : TRAP0, d);
      break;
    case op.RPT: {
      const count = value(c, e, 0) & 0xffff;
      const first = load<u32>(c, PC);
      const end = first + ((<u32>field(e, 1) + 1) << 3);
      if ((first & 7) != 0) {
        raise(INVALID_PC, first);
        return;
      }
      if (count == 0) store<u32>(c, end, PC);
      else {
        store<u32>(c, count, REPEAT_COUNT);
        store<u32>(c, first, REPEAT_FIRST);
        store<u32>(c, end, REPEAT_END);
      }
      break;
    }
    case op.LD32: {
      const host = at(tile, plain(c, e, 1, 4), 4);
      if (host == 0) return;
      if (load<u8>(e, KINDS) == 1) setA(c, d, load<u32>(host));
      else setM(c, d, load<i32>(host));
      break;
    }
    case op.LD32STEP: {
      const host = at(tile, stepped(c, e, 1, 4), 4);
      if (host == 0) return;
      if (load<u8>(e, KINDS) == 1) setA(c, d, load<u32>(host));
      else setM(c, d, load<i32>(host));
      break;
    }
    case op.LD64: {
      const host = at(tile, plain(c, e, 1, 8), 8);
      if (host != 0) set64(c, d, host);
      break;
    }
    case op.LD64STEP: {
      const host = at(tile, stepped(c, e, 1, 8), 8);
      if (host != 0) set64(c, d, host);
      break;
    }
    case op.LD128: {
      const host = wide(tile, plain(c, e, 1, 16));
      if (host != 0) set128(c, d, host);
      break;
    }
    case op.LD128STEP: {
      const host = wide(tile, stepped(c, e, 1, 16));
      if (host != 0) set128(c, d, host);
      break;
    }
    case op.LDZ16: {
      const host = at(tile, plain(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<u16>(host));
      break;
    }
    case op.LDS16: {
      const host = at(tile, plain(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<i16>(host));
      break;
    }
    case op.LDZ8: {
      const host = at(tile, plain(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<u8>(host));
      break;
    }
    case op.LDS8: {
      const host = at(tile, plain(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<i8>(host));
      break;
    }
    case op.LDZ16STEP: {
      const host = at(tile, stepped(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<u16>(host));
      break;
    }
    case op.LDS16STEP: {
      const host = at(tile, stepped(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<i16>(host));
      break;
    }
    case op.LDZ8STEP: {
      const host = at(tile, stepped(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<u8>(host));
      break;
    }
    case op.LDS8STEP: {
      const host = at(tile, stepped(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<i8>(host));
      break;
    }
    case op.LDB16:
      loadHalf(tile, c, d, plain(c, e, 1, 2));
      break;
    case op.LDB16STEP:
      loadHalf(tile, c, d, stepped(c, e, 1, 2));
      break;
    case op.LDB8: {
      const host = at(tile, plain(c, e, 1, 1), 1);
      if (host != 0) setA(c, d, <u32>load<u8>(host) * 0x01010101);
      break;
    }
    case op.LDB8STEP: {
      const host = at(tile, stepped(c, e, 1, 1), 1);
      if (host != 0) setA(c, d, <u32>load<u8>(host) * 0x01010101);
      break;
    }
    case op.ST32: {
      const host = at(tile, plain(c, e, 1, 4), 4);
      if (host != 0) store<u32>(host, load<u8>(e, KINDS) == 1 ? getA(c, d) : <u32>getM(c, d));
      break;
    }
    case op.ST32STEP: {
      const word = load<u8>(e, KINDS) == 1 ? getA(c, d) : <u32>getM(c, d);
      const host = at(tile, stepped(c, e, 1, 4), 4);
      if (host != 0) store<u32>(host, word);
      break;
    }
    case op.ST64: {
      const host = at(tile, plain(c, e, 1, 8), 8);
      if (host != 0) store<u64>(host, get64(c, d));
      break;
    }
    case op.ST64STEP: {
      const host = at(tile, stepped(c, e, 1, 8), 8);
      if (host != 0) store<u64>(host, get64(c, d));
      break;
    }
    case op.STM32: {
      const host = at(tile, getM(c, field(e, 1)) + 4 * getM(c, field(e, 2)), 4);
      if (host != 0) store<i32>(host, getM(c, d));
      break;
    }
    case op.STM32STEP: {
      const base = field(e, 1);
      const old = getM(c, base);
      const host = at(tile, old, 4);
      if (host == 0) return;
      store<i32>(host, getM(c, d));
      setM(c, base, old + 4 * getM(c, field(e, 2)));
      break;
    }
    case op.GET:
      setM(c, d, readRegister(tile, c, field(e, 1)));
      break;
    case op.PUT:
      writeRegister(tile, c, d, getM(c, field(e, 1)));
      break;
    default:
      if (!executeIndexed(tile, c, e)) raise(NOT_MODELLED, load<u16>(e, OP));
  }
}

export function swapBytes(x: u32): u32 {
  return ((x & 0x00ff00ff) << 8) | ((x >> 8) & 0x00ff00ff);
}

export function sortBytes(x: u32): u32 {
  return bytes(byteOf(x, 0), byteOf(x, 2), byteOf(x, 1), byteOf(x, 3));
}

/** Byte and halfword permutations, the same in both register files. */
export function permute(operation: u16, x: u32, y: u32): u32 {
  switch (operation) {
    case op.ROLL16:
      return (x >> 16) | (y << 16);
    case op.ROLL8L:
      return bytes(byteOf(x, 3), byteOf(y, 0), byteOf(y, 1), byteOf(y, 2));
    case op.ROLL8R:
      return bytes(byteOf(x, 1), byteOf(x, 2), byteOf(x, 3), byteOf(y, 0));
    case op.SHUF8X8LO:
      return bytes(byteOf(x, 0), byteOf(y, 0), byteOf(x, 1), byteOf(y, 1));
    case op.SHUF8X8HI:
      return bytes(byteOf(x, 2), byteOf(y, 2), byteOf(x, 3), byteOf(y, 3));
    case op.SORT4X16LO:
      return (x & 0xffff) | (y << 16);
    case op.SORT4X16HI:
      return (x >> 16) | (y & 0xffff0000);
    case op.SORT8X8LO:
      return bytes(byteOf(x, 0), byteOf(x, 2), byteOf(y, 0), byteOf(y, 2));
    case op.SORT8X8HI:
      return bytes(byteOf(x, 1), byteOf(x, 3), byteOf(y, 1), byteOf(y, 3));
    default:
      raise(NOT_MODELLED, operation);
      return 0;
  }
}

const CSR_PC = 0x00;
const CSR_WORKER_STATUS = 0x01;
const CSR_VERTEX_BASE = 0x02;
const CSR_WORKER_BASE = 0x03;
const CSR_REPEAT_COUNT = 0x04;
const CSR_REPEAT_FIRST = 0x05;
const CSR_REPEAT_END = 0x06;
const CSR_STATUS: usize = 0x01;
const CSR_CONTROL = 0x02;
const CSR_TILE_ID = 0x03;
const CSR_COUNT_LOW = 0x60;
const CSR_COUNT_HIGH = 0x61;
const CSR_DEBUG_DATA = 0x70;
const CSR_BREAK_ID = 0x71;
/** Bit of CR that clears all coefficients. */
const CLEAR_COEFFICIENTS = 4;

function isWorker(tile: usize, c: usize): bool {
  return c != tile + SUPERVISOR;
}

/** Registers 0..255 that a supervisor has. */
function supervisorHas(csr: i32): bool {
  return (
    csr <= 3 ||
    (csr >= 0x20 && csr <= 0x26) ||
    csr == 0x31 ||
    csr == 0x33 ||
    csr == 0x50 ||
    csr == CSR_COUNT_LOW ||
    csr == CSR_COUNT_HIGH ||
    (csr >= CSR_DEBUG_DATA && csr <= 0x75) ||
    (csr >= 0x80 && csr <= 0x82) ||
    (csr >= 0x90 && csr <= 0x92) ||
    (csr >= 0xa0 && csr <= 0xab)
  );
}

function readRegister(tile: usize, c: usize, csr: i32): i32 {
  if (csr == CSR_COUNT_LOW) return <i32>load<u64>(tile, TIME);
  if (csr == CSR_COUNT_HIGH) return <i32>(load<u64>(tile, TIME) >> 32);
  if (csr == CSR_PC) return load<u32>(c, CURRENT);
  if (!isWorker(tile, c)) {
    if (csr == CSR_TILE_ID) return load<u32>(tile, PHYSICAL);
    if (supervisorHas(csr)) return load<i32>(tile + (<usize>csr << 2), CSRS);
    raise(INVALID_OP, csr);
    return 0;
  }
  switch (csr) {
    case CSR_WORKER_STATUS:
      return <i32>((c - tile - WORKERS) / WORKER_BYTES);
    case CSR_VERTEX_BASE:
      return getM(c, 13);
    case CSR_WORKER_BASE:
      return getM(c, 12);
    case CSR_REPEAT_COUNT:
      return load<u32>(c, REPEAT_COUNT);
    case CSR_REPEAT_FIRST:
      return load<u32>(c, REPEAT_FIRST);
    case CSR_REPEAT_END:
      return load<u32>(c, REPEAT_END);
    case CSR_DEBUG_DATA:
    case CSR_BREAK_ID:
      return load<i32>(tile + (<usize>csr << 2), CSRS);
    default:
      raise(INVALID_OP, csr);
      return 0;
  }
}

/** Registers that only the machine writes keep their value. */
function writeRegister(tile: usize, c: usize, csr: i32, word: i32): void {
  if (isWorker(tile, c)) {
    if (csr == CSR_DEBUG_DATA || csr == CSR_BREAK_ID) store<i32>(tile + (<usize>csr << 2), word, CSRS);
    else raise(INVALID_OP, csr);
  } else if (!supervisorHas(csr)) raise(INVALID_OP, csr);
  else if (csr == CSR_CONTROL) {
    const status = tile + (CSR_STATUS << 2);
    if ((word & 1) != 0) store<u32>(status, load<u32>(status, CSRS) & ~<u32>1, CSRS);
    if ((word & 2) != 0) store<u32>(status, load<u32>(status, CSRS) | 1, CSRS);
    if ((word & CLEAR_COEFFICIENTS) != 0) {
      memory.fill(tile + COEFFICIENTS, 0, 2048);
      memory.fill(tile + COEFFICIENT_BITS, 0, 512);
      store<u32>(tile, 0, F8_READY);
    }
  } else if (csr != CSR_PC && csr != CSR_TILE_ID && csr != CSR_COUNT_LOW && csr != CSR_COUNT_HIGH)
    store<i32>(tile + (<usize>csr << 2), word, CSRS);
}

/** Control word of a worker at launch. */
export function startControl(tile: usize, worker: usize): void {
  const word = load<u32>(tile + (0x20 << 2), CSRS);
  store<u32>(worker, word, FP_CONTROL);
  store<u32>(worker, 0, FP_STATUS);
}
