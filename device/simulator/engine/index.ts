// Entry points of the engine. One instance per host thread, all on the same memory.
import { commit, executeAux } from './aux';
import { AUX_WRITES, decode, FLAGS, IS_AUX, IS_CONTROL, IS_SOLO, OP, SUPERVISOR_ONLY, useDecoder, WRITES } from './decode';
import { buildHalfTable, useHalfTable } from './half';
import { executeMain, field, getM } from './main';
import { clearFault, fault, faultDetail, raise } from './memory';
import * as op from './opcodes.generated';
import {
  ACTIVE,
  BARRIER_PENDING,
  CURRENT,
  FAULT_CODE,
  FAULT_CONTEXT,
  FAULT_DETAIL,
  FAULT_PC,
  FAULTED,
  INSTRUCTIONS,
  INVALID_INSTR,
  INVALID_OP,
  INVALID_PC,
  LIMIT,
  LOCAL_SYNC_CYCLES,
  PC,
  READY,
  REPEAT_COUNT,
  REPEAT_END,
  REPEAT_FIRST,
  RUNNING,
  STATUS,
  SUPERVISOR,
  SUPERVISOR_READY,
  TIME,
  WAIT_LOCAL,
  WORKER_BYTES,
  WORKERS,
} from './state';
import { fetch, stepSupervisor } from './supervisor';

/** Fills memory with a 32-bit pattern. */
export function poison(address: usize, bytes: u32, pattern: u32): void {
  const vector = i32x4.splat(<i32>pattern);
  for (let end = address + <usize>bytes; address < end; address += 16) v128.store(address, vector);
}

/** Prepares this instance. `build` is true once per memory. */
export function setup(halfTable: usize, rowTable: usize, rows: u32, cache: usize, build: bool): void {
  useHalfTable(halfTable);
  if (build) buildHalfTable();
  useDecoder(rowTable, rows, cache);
}

/** Opcode number that the decoder gives a word, 0 for none; a probe for tests and documentation. */
export function opcodeAt(word: u32): u32 {
  return load<u16>(decode(word), OP);
}

/** Runs a tile until it waits, faults or reaches the cycle limit; returns its status. */
export function run(tile: usize, limit: u64): i32 {
  store<u32>(tile, RUNNING, STATUS);
  clearFault();
  while (true) {
    const active = load<u32>(tile, ACTIVE);
    if (active == 0) {
      stepSupervisor(tile, true);
      if (fault != 0) return stop(tile, 0);
    } else if (active == 63) {
      roundOfWorkers(tile);
      if (fault != 0) return load<i32>(tile, STATUS);
    } else {
      mixedCycle(tile, active);
      if (fault != 0) return load<i32>(tile, STATUS);
    }
    const status = load<i32>(tile, STATUS);
    if (status != RUNNING) return status;
    if (load<u64>(tile, TIME) > limit) {
      store<u32>(tile, LIMIT, STATUS);
      return LIMIT;
    }
  }
}

/** All six contexts busy: one bundle each, in slot order, until one leaves. */
function roundOfWorkers(tile: usize): void {
  let time = load<u64>(tile, TIME);
  let slot = <u32>(time % 6);
  for (let issued = 0; issued < 600; issued++) {
    const w = tile + WORKERS + <usize>slot * WORKER_BYTES;
    if (load<u64>(w, READY) <= time) {
      store<u64>(tile, time, TIME);
      stepWorker(tile, w, slot);
      if (fault != 0) return;
      if (load<u32>(tile, ACTIVE) != 63) {
        store<u64>(tile, time + 1, TIME);
        return;
      }
    }
    time++;
    slot = slot == 5 ? 0 : slot + 1;
  }
  store<u64>(tile, time, TIME);
}

/** One cycle in which the slot's worker issues, or the supervisor when the slot is free. */
function mixedCycle(tile: usize, active: u32): void {
  const time = load<u64>(tile, TIME);
  const slot = <u32>(time % 6);
  if ((active & (1 << slot)) != 0) {
    const w = tile + WORKERS + <usize>slot * WORKER_BYTES;
    if (load<u64>(w, READY) <= time) stepWorker(tile, w, slot);
  } else if (load<u32>(tile, WAIT_LOCAL) == 0 && load<u64>(tile, SUPERVISOR_READY) <= time) {
    stepSupervisor(tile, false);
    if (fault != 0) {
      stop(tile, 0);
      return;
    }
    if (load<i32>(tile, STATUS) != RUNNING) return;
  }
  if (fault == 0) store<u64>(tile, time + 1, TIME);
}

function stepWorker(tile: usize, w: usize, slot: u32): void {
  const pc = load<u32>(w, PC);
  store<u32>(w, pc, CURRENT);
  const word = fetch(tile, pc);
  if (fault != 0) {
    stop(tile, slot + 1);
    return;
  }
  store<u64>(tile, load<u64>(tile, INSTRUCTIONS) + 1, INSTRUCTIONS);
  let cycles = 1;
  if ((word & 0x80000000) != 0) {
    const main = decode(word & 0x7fffffff);
    const aux = decode(fetch(tile, pc + 4));
    if ((pc & 7) != 0) raise(INVALID_PC, pc);
    else if (
      load<u16>(main, OP) == 0 ||
      load<u16>(aux, OP) == 0 ||
      ((load<u8>(main, FLAGS) & (IS_AUX | IS_SOLO | SUPERVISOR_ONLY)) | ((load<u8>(aux, FLAGS) & IS_AUX) ^ IS_AUX)) != 0
    )
      raise(INVALID_INSTR, word);
    else if (load<u32>(w, REPEAT_COUNT) != 0 && (load<u8>(main, FLAGS) & IS_CONTROL) != 0) raise(INVALID_INSTR, word);
    else if ((load<u16>(main, AUX_WRITES) & load<u16>(aux, AUX_WRITES) & 0x3fff) != 0) raise(INVALID_OP, word);
    else {
      store<u32>(w, pc + 8, PC);
      cycles = executeAux(tile, w, aux);
      if (fault == 0) mainOrExit(tile, w, main, slot);
      commit(w);
    }
  } else {
    // A repeat body holds bundles only.
    const e = decode(word);
    if (
      load<u16>(e, OP) == 0 ||
      (load<u8>(e, FLAGS) & SUPERVISOR_ONLY) != 0 ||
      load<u32>(w, REPEAT_COUNT) != 0
    )
      raise(INVALID_INSTR, word);
    else {
      store<u32>(w, pc + 4, PC);
      if ((load<u8>(e, FLAGS) & IS_AUX) != 0) {
        cycles = executeAux(tile, w, e);
        commit(w);
      } else mainOrExit(tile, w, e, slot);
    }
  }
  if (fault != 0) {
    stop(tile, slot + 1);
    return;
  }
  const repeats = load<u32>(w, REPEAT_COUNT);
  if (repeats != 0 && load<u32>(w, PC) == load<u32>(w, REPEAT_END)) {
    store<u32>(w, repeats - 1, REPEAT_COUNT);
    if (repeats > 1) store<u32>(w, load<u32>(w, REPEAT_FIRST), PC);
  }
  if (cycles > 1) store<u64>(w, load<u64>(tile, TIME) + 6 * <u64>cycles, READY);
}

// @ts-ignore: decorator
@inline
function mainOrExit(tile: usize, w: usize, e: usize, slot: u32): void {
  const code = load<u16>(e, OP);
  if (code < op.EXITNEG || code > op.EXITZ) {
    executeMain(tile, w, e);
    return;
  }
  const left = load<u32>(tile, ACTIVE) & ~(1 << slot);
  store<u32>(tile, left, ACTIVE);
  const waits = load<u32>(tile, WAIT_LOCAL);
  if (left != 0 || waits == 0) return;
  store<u32>(tile, 0, WAIT_LOCAL);
  if (waits == 1) store<u64>(tile, load<u64>(tile, TIME) + LOCAL_SYNC_CYCLES, SUPERVISOR_READY);
  else store<u32>(tile, waits - BARRIER_PENDING, STATUS);
}

function stop(tile: usize, context: u32): i32 {
  const c = context == 0 ? tile + SUPERVISOR : tile + WORKERS + <usize>(context - 1) * WORKER_BYTES;
  store<u32>(tile, FAULTED, STATUS);
  store<i32>(tile, fault, FAULT_CODE);
  store<u32>(tile, faultDetail, FAULT_DETAIL);
  store<u32>(tile, context, FAULT_CONTEXT);
  store<u32>(c, load<u32>(c, CURRENT), PC);
  store<u32>(tile, load<u32>(c, CURRENT), FAULT_PC);
  return FAULTED;
}
