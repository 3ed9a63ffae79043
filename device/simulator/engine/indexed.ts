// Loads through pointers, and through deltas that other loads fetch.
import { OP } from './decode';
import { field, getM, setA, setM } from './registers';
import { apart, at } from './memory';
import * as op from './opcodes.generated';

/** Loads whose address comes from a delta; the operands are data, pointer, base, delta. */
function throughDelta(tile: usize, c: usize, e: usize, dataBytes: u32): usize {
  const pointer = field(e, 1);
  const delta = field(e, 3);
  const from = <u32>getM(c, pointer);
  const two = load<u16>(e, OP) == op.LDD16V2A32;
  const old = <u32>getM(c, delta);
  const address = <u32>getM(c, field(e, 2)) + (two ? old >> 16 : old & 0xffff);
  const next = at(tile, from, two ? 4 : 2);
  const data = at(tile, address, dataBytes);
  apart(from, address);
  if (next == 0 || data == 0) return 0;
  setM(c, pointer, from + (two ? 4 : 2));
  setM(c, delta, two ? load<i32>(next) : <i32>load<u16>(next));
  return data;
}

function setPair(c: usize, register: i32, host: usize): void {
  setA(c, register, load<u32>(host));
  setA(c, register + 1, load<u32>(host, 4));
}

/** Indexed loads; false when the operation is none. */
export function executeIndexed(tile: usize, c: usize, e: usize): bool {
  const d = field(e, 0);
  switch (load<u16>(e, OP)) {
    case op.LD64A32: {
      // The upper pair of the quad takes 64 bits from the pointer, its second register 32 bits from the delta.
      const pointer = field(e, 1);
      const from = <u32>getM(c, pointer);
      const address = <u32>getM(c, field(e, 2)) + (<u32>getM(c, field(e, 3)) & 0xffff);
      const wide = at(tile, from, 8);
      const narrow = at(tile, address, 4);
      apart(from, address);
      if (wide == 0 || narrow == 0) return true;
      setM(c, pointer, from + 8);
      setA(c, d + 1, load<u32>(narrow));
      setPair(c, d + 2, wide);
      return true;
    }
    case op.LDB16B16: {
      // Low half of the delta advances by one element, the high half by the low bits of the mini deltas [GUESS].
      const delta = field(e, 2);
      const mini = field(e, 3);
      const base = <u32>getM(c, field(e, 1));
      const deltas = <u32>getM(c, delta);
      const steps = <u32>getM(c, mini);
      const first = base + (deltas & 0xffff);
      const second = base + (deltas >> 16);
      const low = at(tile, first, 2);
      const high = at(tile, second, 2);
      apart(first, second);
      if (low == 0 || high == 0) return true;
      setM(c, delta, ((deltas + 2) & 0xffff) | (((deltas >> 16) + (steps & 15)) << 16));
      setM(c, mini, steps >> 4);
      setA(c, d, <u32>load<u16>(low) * 0x10001);
      setA(c, d + 1, <u32>load<u16>(high) * 0x10001);
      return true;
    }
    case op.LDD16A32:
    case op.LDD16V2A32: {
      const data = throughDelta(tile, c, e, 4);
      if (data != 0) setA(c, d, load<u32>(data));
      return true;
    }
    case op.LDD16A64: {
      const data = throughDelta(tile, c, e, 8);
      if (data != 0) setPair(c, d, data);
      return true;
    }
    case op.LDD16B16: {
      const data = throughDelta(tile, c, e, 2);
      if (data != 0) setA(c, d, <u32>load<u16>(data) * 0x10001);
      return true;
    }
    default:
      return false;
  }
}
