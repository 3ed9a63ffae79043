// Main pipe: what one instruction does to a context. Supervisor and workers share these; timing, launches,
// barriers and the exchange are in supervisor.ts.

import { executeAccess } from './access';
import { readRegister, writeRegister } from './csr';
import { OP } from './decode';
import { executeIndexed } from './indexed';
import { raise } from './memory';
import * as op from './opcodes.generated';
import { executePaced, pack } from './paced';
import { reverseBytes, swapBytes, sortBytes, permute } from './permute';
import { field, getM, setM, getA, value } from './registers';
import { INVALID_PC, NOT_MODELLED, PC, REPEAT_COUNT, REPEAT_END, REPEAT_FIRST, TRAP0, TRAP1 } from './state';

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

function clampSigned(a: i32, b: i32, low: bool): i32 {
  return low ? min(a, b) : max(a, b);
}

/** Bits below bit 31 that repeat the sign, counted from the top. */
function leadingSigns(x: i32): i32 {
  return clz(x ^ (x >> 31)) - 1;
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
    case op.GET:
      setM(c, d, readRegister(tile, c, field(e, 1)));
      break;
    case op.PUT:
      writeRegister(tile, c, d, getM(c, field(e, 1)));
      break;
    default:
      if (!executeAccess(tile, c, e) && !executeIndexed(tile, c, e)) raise(NOT_MODELLED, load<u16>(e, OP));
  }
}
