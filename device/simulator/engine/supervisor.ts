// Supervisor: single issue with interlocked results, launches, barriers, coefficient loads, exchange rows.
import { AUX_WRITES, decode, FLAGS, IS_AUX, OP, READS, WORKER_ONLY, WRITES } from './decode';
import { decodeHalf } from './half';
import { branched, clearBranch, executeMain } from './main';
import { field, getM, setM } from './registers';
import { startControl } from './csr';
import { at, fault, raise, wide } from './memory';
import * as op from './opcodes.generated';
import {
  ACTIVE,
  ARRIVAL,
  AT_BARRIER,
  AT_HOST,
  AT_NON_PARTICIPATION,
  BARRIER_PENDING,
  BRANCH_CYCLES,
  CCCSLOAD_CYCLES,
  COEFFICIENT_BITS,
  COEFFICIENTS,
  CONTROL_LIMIT,
  CONTROL_LIST,
  CONTROLS,
  CSRS,
  HORIZON,
  F8_READY,
  CURRENT,
  IN_ROW,
  INSTRUCTIONS,
  INVALID_ADDR,
  INVALID_INSTR,
  INVALID_PC,
  LAUNCH_CYCLES,
  LOCAL_SYNC_CYCLES,
  M,
  NOT_MODELLED,
  PC,
  PHASE_START,
  READY,
  REGION1,
  REGISTER_READY,
  REPEAT_COUNT,
  RESULT_LATENCY,
  ROW_ELEMENTS,
  ROW_ENDED,
  RUNALL_ERROR,
  RUNNING,
  SANS,
  SEND_LIMIT,
  SEND_LIST,
  SENDS,
  SRAM_BASE,
  STATUS,
  STREAM_ADDRESS,
  STREAM_CONTROL,
  SUPERVISOR,
  SUPERVISOR_READY,
  SYNC_OPERAND,
  TIME,
  TIMELINE_FULL,
  WAIT_LOCAL,
  WORKER_BYTES,
  WORDS_DUE,
  WORKERS,
  BOS,
  BREAK_ON_SYNC,
  IBRK,
  INSTRUCTION_BREAK,
  INSTRUCTION_BREAK_PC,
} from './state';

const CSR_CCCSLOAD = 0x50;
/** Control kinds in the time line. */
const SOURCE = 0;
const POINTER = 1;
const PAIRED_SOURCE = 2;
const FORMAT = 3;

/** Instruction word at an address, or 0 after raising INVALID_PC. */
// @ts-ignore: decorator
@inline
export function fetch(tile: usize, pc: u32): u32 {
  if (pc < SRAM_BASE || pc >= REGION1 || (pc & 3) != 0) {
    raise(INVALID_PC, pc);
    return 0;
  }
  return load<u32>(at(tile, pc, 4));
}

function csr(tile: usize, index: usize): u32 {
  return load<u32>(tile + (index << 2), CSRS);
}

/**
 * Issues the next supervisor instruction, no earlier than TIME. With `alone` false it gives up, without
 * effect, when an operand is not ready; the caller retries in the next free slot.
 */
export function stepSupervisor(tile: usize, alone: bool): void {
  const s = tile + SUPERVISOR;
  const pc = load<u32>(s, PC);
  store<u32>(s, pc, CURRENT);
  const word = fetch(tile, pc);
  if (fault != 0) return;
  if ((load<u32>(tile, INSTRUCTION_BREAK) & 1) != 0 && load<u32>(tile, INSTRUCTION_BREAK_PC) == pc) {
    raise(IBRK, pc);
    return;
  }
  const e = decode(word);
  const code = load<u16>(e, OP);
  if (code == 0) {
    if ((word & 0xf0000000) == 0xf0000000) {
      let start = load<u64>(tile, TIME);
      const free = load<u64>(tile, SUPERVISOR_READY);
      if (start < free) start = free;
      sendPair(tile, s, pc, word, start);
      return;
    }
    raise(INVALID_INSTR, word);
    return;
  }
  if ((load<u8>(e, FLAGS) & (WORKER_ONLY | IS_AUX)) != 0 || load<u16>(e, AUX_WRITES) != 0) {
    raise(INVALID_INSTR, word);
    return;
  }
  // Interlock: wait for operands.
  let issue = load<u64>(tile, TIME);
  const free = load<u64>(tile, SUPERVISOR_READY);
  if (issue < free) issue = free;
  let reads = <u32>load<u16>(e, READS) & 0x7fff;
  while (reads != 0) {
    const register = <usize>ctz(reads);
    const ready = load<u64>(tile + (register << 3), REGISTER_READY);
    if (ready > issue) issue = ready;
    reads &= reads - 1;
  }
  if (!alone && issue > load<u64>(tile, TIME)) {
    store<u64>(tile, issue, SUPERVISOR_READY);
    return;
  }
  const horizon = load<u64>(tile, HORIZON);
  if (horizon != 0 && issue > horizon && load<u32>(tile, IN_ROW) == 0) {
    store<u64>(tile, issue, SUPERVISOR_READY);
    store<u32>(tile, WORDS_DUE, STATUS);
    return;
  }
  if (load<u32>(tile, IN_ROW) != 0 && touchesMemory(code)) {
    store<u64>(tile, issue, TIME);
    store<u64>(tile, issue, SUPERVISOR_READY);
    store<u32>(tile, ROW_ENDED, STATUS);
    return;
  }
  store<u64>(tile, issue, TIME);
  if (load<u32>(tile, IN_ROW) != 0) {
    store<u32>(tile, load<u32>(tile, ROW_ELEMENTS) | (1 << ((pc - SRAM_BASE) >> 14)), ROW_ELEMENTS);
    if (isExchange(code) && listsFull(tile)) return;
  }
  store<u32>(s, pc + 4, PC);
  store<u64>(tile, load<u64>(tile, INSTRUCTIONS) + 1, INSTRUCTIONS);
  let cycles: u64 = 1;
  switch (code) {
    case op.RUNALL:
      launchAll(tile, s, e, issue);
      cycles = LAUNCH_CYCLES;
      break;
    case op.RUN:
      launchOne(tile, s, e, issue);
      cycles = LAUNCH_CYCLES;
      break;
    case op.SYNC:
      synchronise(tile, field(e, 0), issue);
      return;
    case op.SANS:
      store<u32>(tile, 1, SANS);
      break;
    case op.LD64PUTCS:
      loadCoefficient(tile, field(e, 0), false);
      break;
    case op.LD128PUTCS:
      loadCoefficient(tile, field(e, 0), true);
      break;
    case op.DELAY:
      cycles = <u64>field(e, 0) + 1;
      break;
    case op.DELAYPIC:
      cycles = <u64>field(e, 0) + 1;
      control(tile, issue + cycles, field(e, 1) == 0 ? POINTER : FORMAT, field(e, 2));
      break;
    case op.DELAYXPIC:
      cycles = <u64>field(e, 0) + 1;
      control(tile, issue + cycles, field(e, 1) == 0 ? SOURCE : PAIRED_SOURCE, field(e, 2));
      break;
    case op.SEND:
      cycles = <u64>field(e, 0) + 1;
      send(tile, issue, <u32>cycles, field(e, 1), field(e, 2));
      break;
    case op.SENDOFF:
      cycles = <u64>field(e, 0) + 1;
      if (field(e, 1) != 0) raise(NOT_MODELLED, code);
      else extend(tile, issue, <u32>cycles, field(e, 2));
      break;
    case op.SENDPIC: {
      cycles = <u64>field(e, 0) + 1;
      extend(tile, issue, <u32>cycles, load<i32>(tile, STREAM_CONTROL));
      const selector = field(e, 1);
      const kind = selector == 0 ? SOURCE : selector == 1 ? PAIRED_SOURCE : selector == 2 ? POINTER : FORMAT;
      control(tile, issue + 1, kind, field(e, 2));
      break;
    }
    case op.PUT:
      executeMain(tile, s, e);
      if (field(e, 0) == CSR_CCCSLOAD) cycles = CCCSLOAD_CYCLES;
      putExchange(tile, field(e, 0));
      break;
    default:
      clearBranch();
      executeMain(tile, s, e);
      if (branched) cycles = BRANCH_CYCLES;
  }
  let writes = <u32>load<u16>(e, WRITES) & 0x7fff;
  while (writes != 0) {
    store<u64>(tile + (<usize>ctz(writes) << 3), issue + RESULT_LATENCY, REGISTER_READY);
    writes &= writes - 1;
  }
  store<u64>(tile, issue + cycles, SUPERVISOR_READY);
}

function isExchange(code: u16): bool {
  switch (code) {
    case op.DELAYPIC:
    case op.DELAYXPIC:
    case op.SEND:
    case op.SENDOFF:
    case op.SENDPIC:
      return true;
    default:
      return false;
  }
}

/** Instructions that see or change memory, or leave the row. */
function touchesMemory(code: u16): bool {
  switch (code) {
    case op.RUN:
    case op.RUNALL:
    case op.SYNC:
    case op.SANS:
    case op.LD32:
    case op.LD32STEP:
    case op.LDZ16:
    case op.LDS16:
    case op.LDZ8:
    case op.LDS8:
    case op.LDZ16STEP:
    case op.LDS16STEP:
    case op.LDZ8STEP:
    case op.LDS8STEP:
    case op.ST32:
    case op.ST32STEP:
    case op.STM32:
    case op.STM32STEP:
    case op.LD64PUTCS:
    case op.LD128PUTCS:
      return true;
    default:
      return false;
  }
}

function start(tile: usize, worker: u32, entry: u32, vertex: u32, when: u64): void {
  const w = tile + WORKERS + <usize>worker * WORKER_BYTES;
  store<u32>(w, entry, PC);
  store<u32>(w, vertex, M + 13 * 4);
  store<u32>(w, csr(tile, 0x21 + <usize>worker), M + 12 * 4);
  store<u32>(w, 0, REPEAT_COUNT);
  store<u64>(w, when, READY);
  startControl(tile, w);
  store<u32>(tile, load<u32>(tile, ACTIVE) | (1 << worker), ACTIVE);
}

function checkEntry(entry: u32, vertex: u32): void {
  if ((entry & 3) != 0 || entry < SRAM_BASE || entry >= REGION1) raise(INVALID_PC, entry);
  else if ((vertex & 3) != 0) raise(INVALID_ADDR, vertex);
}

function launchAll(tile: usize, s: usize, e: usize, issue: u64): void {
  const entry = getM(s, field(e, 0));
  const base = getM(s, field(e, 1));
  checkEntry(entry, base);
  if (load<u32>(tile, ACTIVE) != 0) raise(RUNALL_ERROR, load<u32>(tile, ACTIVE));
  if (fault != 0) return;
  for (let worker: u32 = 0; worker < 6; worker++) {
    start(tile, worker, entry, base + worker * <u32>field(e, 2) * 4, issue + LAUNCH_CYCLES);
  }
}

function launchOne(tile: usize, s: usize, e: usize, issue: u64): void {
  const entry = getM(s, field(e, 0));
  const vertex = getM(s, field(e, 1)) + 4 * field(e, 2) + <i32>SRAM_BASE;
  checkEntry(entry, vertex);
  const idle = ~load<u32>(tile, ACTIVE) & 63;
  if (idle == 0) raise(RUNALL_ERROR, 63);
  if (fault != 0) return;
  start(tile, <u32>ctz(idle), entry, vertex, issue + LAUNCH_CYCLES);
}

function synchronise(tile: usize, operand: i32, issue: u64): void {
  if ((load<u32>(tile, BREAK_ON_SYNC) & 32) != 0) {
    raise(BOS, operand);
    return;
  }
  store<u64>(tile, issue + 1, SUPERVISOR_READY);
  store<u32>(tile, operand, SYNC_OPERAND);
  if (operand == 2) {
    if (load<u32>(tile, ACTIVE) == 0) store<u64>(tile, issue + LOCAL_SYNC_CYCLES, SUPERVISOR_READY);
    else store<u32>(tile, 1, WAIT_LOCAL);
  } else if (operand == 3) arrive(tile, issue, AT_BARRIER);
  else if (operand == 1) arrive(tile, issue, AT_NON_PARTICIPATION);
  else if (operand >= 4) arrive(tile, issue, AT_HOST);
  else raise(NOT_MODELLED, op.SYNC);
}

/** Workers that still run go on; the run ends with the last of them. */
function arrive(tile: usize, issue: u64, status: i32): void {
  store<u64>(tile, issue, ARRIVAL);
  store<u32>(tile, 0, STREAM_CONTROL);
  store<u32>(tile, 0, ROW_ELEMENTS);
  if (load<u32>(tile, ACTIVE) == 0) store<i32>(tile, status, STATUS);
  else store<u32>(tile, BARRIER_PENDING + status, WAIT_LOCAL);
}

function loadCoefficient(tile: usize, entry: i32, both: bool): void {
  const address = csr(tile, CSR_CCCSLOAD);
  const host = both ? wide(tile, address) : at(tile, address, 8);
  if (host == 0) return;
  if (entry > (both ? 62 : 63)) {
    raise(INVALID_INSTR, entry);
    return;
  }
  store<u32>(tile + (CSR_CCCSLOAD << 2), address + (both ? 16 : 8), CSRS);
  expand(tile, entry, host);
  if (both) expand(tile, entry + 1, host + 8);
}

/** Entry 32 set + 4 unit + phase holds four f16 of channel 8 set + unit. */
function expand(tile: usize, entry: i32, host: usize): void {
  const channel = <usize>((entry >> 5) * 8 + ((entry >> 2) & 7));
  const place = tile + COEFFICIENTS + (<usize>(entry & 3) << 9) + (channel << 3);
  store<u64>(tile + (<usize>entry << 3), load<u64>(host), COEFFICIENT_BITS);
  store<u32>(tile, 0, F8_READY);
  store<f64>(place, decodeHalf(load<u16>(host)));
  store<f64>(place, decodeHalf(load<u16>(host, 2)), 128);
  store<f64>(place, decodeHalf(load<u16>(host, 4)), 256);
  store<f64>(place, decodeHalf(load<u16>(host, 6)), 384);
}

function inRow(tile: usize, code: i32): bool {
  if (load<u32>(tile, IN_ROW) != 0) return true;
  raise(NOT_MODELLED, code);
  return false;
}

/** True, after asking the host to take the lists, when an exchange instruction might not fit any more. */
function listsFull(tile: usize): bool {
  if (load<u32>(tile, CONTROLS) + 2 <= CONTROL_LIMIT && load<u32>(tile, SENDS) < SEND_LIMIT) return false;
  store<u32>(tile, TIMELINE_FULL, STATUS);
  return true;
}

function control(tile: usize, when: u64, kind: i32, value: i32): void {
  if (!inRow(tile, op.DELAYXPIC)) return;
  const count = load<u32>(tile, CONTROLS);
  const place = tile + CONTROL_LIST + (<usize>count << 4);
  store<u32>(place, <u32>(when - load<u64>(tile, PHASE_START)));
  store<i32>(place, kind, 4);
  store<i32>(place, value, 8);
  store<u32>(tile, count + 1, CONTROLS);
}

/** Registers that a row sets with its own instructions; written with put in a row they are not modelled. */
function putExchange(tile: usize, register: i32): void {
  if (load<u32>(tile, IN_ROW) != 0 && register >= 0xa0 && register <= 0xa8) raise(NOT_MODELLED, op.PUT);
}

/** Starts a stream at a word address. */
function send(tile: usize, when: u64, words: u32, address: i32, sctl: i32): void {
  if (!inRow(tile, op.SEND)) return;
  store<u32>(tile, address + words, STREAM_ADDRESS);
  store<i32>(tile, sctl, STREAM_CONTROL);
  if (sctl == 0) return;
  const count = load<u32>(tile, SENDS);
  const place = tile + SEND_LIST + (<usize>count << 4);
  store<u32>(place, <u32>(when - load<u64>(tile, PHASE_START)));
  store<u32>(place, words, 4);
  store<i32>(place, address, 8);
  store<i32>(place, sctl, 12);
  store<u32>(tile, count + 1, SENDS);
}

/** Continues the stream: items follow the last sent address. */
function extend(tile: usize, when: u64, words: u32, sctl: i32): void {
  if (!inRow(tile, op.SENDOFF)) return;
  const direction = load<i32>(tile, STREAM_CONTROL);
  if (direction == 0) raise(NOT_MODELLED, op.SENDOFF);
  if (direction == 0 || sctl == 0) return;
  const address = load<u32>(tile, STREAM_ADDRESS);
  const count = load<u32>(tile, SENDS);
  if (sctl == direction && count != 0) {
    const place = tile + SEND_LIST + (<usize>(count - 1) << 4);
    const sent = load<u32>(place, 4);
    const event = <u32>(when - load<u64>(tile, PHASE_START));
    if (load<u32>(place) + sent == event && load<u32>(place, 8) + sent == address) {
      store<u32>(place, sent + words, 4);
      store<u32>(tile, address + words, STREAM_ADDRESS);
      return;
    }
  }
  send(tile, when, words, address, sctl);
}

/** Two-word form: items, a source control and a pointer control at once, both one event after the start. */
function sendPair(tile: usize, s: usize, pc: u32, first: u32, issue: u64): void {
  if ((pc & 7) != 0) {
    raise(INVALID_PC, pc);
    return;
  }
  const second = fetch(tile, pc + 4);
  if (fault != 0 || !inRow(tile, op.SENDPICP) || listsFull(tile)) return;
  const words = ((first >> 21) & 63) + 1;
  const sctl = <i32>(first & 7);
  store<u64>(tile, issue, TIME);
  store<u32>(tile, load<u32>(tile, ROW_ELEMENTS) | (1 << ((pc - SRAM_BASE) >> 14)), ROW_ELEMENTS);
  if (sctl != 0) send(tile, issue, words, <i32>((first >> 3) & 0x3ffff), sctl);
  control(tile, issue + 1, ((second >> 31) & 1) == 0 ? SOURCE : PAIRED_SOURCE, <i32>((second >> 18) & 0x1fff));
  control(tile, issue + 1, ((first >> 27) & 1) == 0 ? POINTER : FORMAT, <i32>(second & 0x3ffff));
  store<u64>(tile, load<u64>(tile, INSTRUCTIONS) + 1, INSTRUCTIONS);
  store<u32>(s, pc + 8, PC);
  store<u64>(tile, issue + words, SUPERVISOR_READY);
}
