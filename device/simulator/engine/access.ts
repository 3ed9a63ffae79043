// Plain and stepping loads and stores.
import { KINDS, OP } from './decode';
import { at, wide } from './memory';
import * as op from './opcodes.generated';
import { field, getM, setM, getA, setA, set64, get64, set128, plain, stepped } from './registers';

function loadHalf(tile: usize, c: usize, register: i32, address: u32): void {
  const host = at(tile, address, 2);
  if (host != 0) setA(c, register, <u32>load<u16>(host) * 0x10001);
}

/** Loads and stores of one address; false when the operation is none. */
export function executeAccess(tile: usize, c: usize, e: usize): bool {
  const d = field(e, 0);
  switch (load<u16>(e, OP)) {
    case op.LD32: {
      const host = at(tile, plain(c, e, 1, 4), 4);
      if (host == 0) return true;
      if (load<u8>(e, KINDS) == 1) setA(c, d, load<u32>(host));
      else setM(c, d, load<i32>(host));
      return true;
    }
    case op.LD32STEP: {
      const host = at(tile, stepped(c, e, 1, 4), 4);
      if (host == 0) return true;
      if (load<u8>(e, KINDS) == 1) setA(c, d, load<u32>(host));
      else setM(c, d, load<i32>(host));
      return true;
    }
    case op.LD64: {
      const host = at(tile, plain(c, e, 1, 8), 8);
      if (host != 0) set64(c, d, host);
      return true;
    }
    case op.LD64STEP: {
      const host = at(tile, stepped(c, e, 1, 8), 8);
      if (host != 0) set64(c, d, host);
      return true;
    }
    case op.LD128: {
      const host = wide(tile, plain(c, e, 1, 16));
      if (host != 0) set128(c, d, host);
      return true;
    }
    case op.LD128STEP: {
      const host = wide(tile, stepped(c, e, 1, 16));
      if (host != 0) set128(c, d, host);
      return true;
    }
    case op.LDZ16: {
      const host = at(tile, plain(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<u16>(host));
      return true;
    }
    case op.LDS16: {
      const host = at(tile, plain(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<i16>(host));
      return true;
    }
    case op.LDZ8: {
      const host = at(tile, plain(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<u8>(host));
      return true;
    }
    case op.LDS8: {
      const host = at(tile, plain(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<i8>(host));
      return true;
    }
    case op.LDZ16STEP: {
      const host = at(tile, stepped(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<u16>(host));
      return true;
    }
    case op.LDS16STEP: {
      const host = at(tile, stepped(c, e, 1, 2), 2);
      if (host != 0) setM(c, d, load<i16>(host));
      return true;
    }
    case op.LDZ8STEP: {
      const host = at(tile, stepped(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<u8>(host));
      return true;
    }
    case op.LDS8STEP: {
      const host = at(tile, stepped(c, e, 1, 1), 1);
      if (host != 0) setM(c, d, load<i8>(host));
      return true;
    }
    case op.LDB16:
      loadHalf(tile, c, d, plain(c, e, 1, 2));
      return true;
    case op.LDB16STEP:
      loadHalf(tile, c, d, stepped(c, e, 1, 2));
      return true;
    case op.LDB8: {
      const host = at(tile, plain(c, e, 1, 1), 1);
      if (host != 0) setA(c, d, <u32>load<u8>(host) * 0x01010101);
      return true;
    }
    case op.LDB8STEP: {
      const host = at(tile, stepped(c, e, 1, 1), 1);
      if (host != 0) setA(c, d, <u32>load<u8>(host) * 0x01010101);
      return true;
    }
    case op.ST32: {
      const host = at(tile, plain(c, e, 1, 4), 4);
      if (host != 0) store<u32>(host, load<u8>(e, KINDS) == 1 ? getA(c, d) : <u32>getM(c, d));
      return true;
    }
    case op.ST32STEP: {
      const word = load<u8>(e, KINDS) == 1 ? getA(c, d) : <u32>getM(c, d);
      const host = at(tile, stepped(c, e, 1, 4), 4);
      if (host != 0) store<u32>(host, word);
      return true;
    }
    case op.ST64: {
      const host = at(tile, plain(c, e, 1, 8), 8);
      if (host != 0) store<u64>(host, get64(c, d));
      return true;
    }
    case op.ST64STEP: {
      const host = at(tile, stepped(c, e, 1, 8), 8);
      if (host != 0) store<u64>(host, get64(c, d));
      return true;
    }
    case op.STM32: {
      const host = at(tile, getM(c, field(e, 1)) + 4 * getM(c, field(e, 2)), 4);
      if (host != 0) store<i32>(host, getM(c, d));
      return true;
    }
    case op.STM32STEP: {
      const base = field(e, 1);
      const old = getM(c, base);
      const host = at(tile, old, 4);
      if (host == 0) return true;
      store<i32>(host, getM(c, d));
      setM(c, base, old + 4 * getM(c, field(e, 2)));
      return true;
    }
    default:
      return false;
  }
}
