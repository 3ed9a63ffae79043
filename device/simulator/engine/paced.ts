// Several accesses through a packed triple of addresses.
import { OP } from './decode';
import { apart, at, raise } from './memory';
import * as op from './opcodes.generated';
import { field, getM, setM, setA, set64, get64 } from './registers';
import { INVALID_OP, NOT_MODELLED } from './state';

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
export function pack(c: usize, register: i32, first: u32, second: u32, third: u32): void {
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
