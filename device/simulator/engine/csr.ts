// Control and status registers 0 to 255.
import { raise } from './memory';
import { getM } from './registers';
import { COEFFICIENT_BITS, COEFFICIENTS, CSRS, CURRENT, F8_READY, FP_CONTROL, FP_STATUS, INVALID_OP, PHYSICAL, REPEAT_COUNT, REPEAT_END, REPEAT_FIRST, SUPERVISOR, TIME, WORKER_BYTES, WORKERS } from './state';

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

export function readRegister(tile: usize, c: usize, csr: i32): i32 {
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
export function writeRegister(tile: usize, c: usize, csr: i32, word: i32): void {
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
