// Entry points of the engine. One instance per host thread, all on the same memory.
import { matrixStep } from './amp';
import { commit, executeAux } from './aux';
import {
  AUX_WRITES,
  B_AUX,
  B_FAULT,
  B_INPUT,
  B_KIND,
  B_LOAD,
  B_LOAD2,
  B_MAIN,
  B_PACK,
  B_PARTIAL,
  B_PHASE,
  B_RESULT,
  B_STORE,
  B_WORDS,
  bundleSlot,
  decode,
  FLAGS,
  fillBundle,
  IS_AUX,
  IS_CONTROL,
  IS_SOLO,
  OP,
  SUPERVISOR_ONLY,
  useDecoder,
} from './decode';
import { buildHalfTable, useHalfTable } from './half';
import { executeMain } from './main';
import { field, getM } from './registers';
import { bank, clearFault, fault, faultDetail, raise } from './memory';
import * as op from './opcodes.generated';
import {
  A,
  ACTIVE,
  BARRIER_PENDING,
  CSRS,
  CURRENT,
  DISCARD,
  FAULT_CODE,
  FAULT_CONTEXT,
  FAULT_DETAIL,
  FAULT_PC,
  FAULTED,
  HORIZON,
  FP_CONTROL,
  INSTRUCTIONS,
  INVALID_INSTR,
  INVALID_OP,
  INVALID_PC,
  LIMIT,
  LOCAL_SYNC_CYCLES,
  M,
  PC,
  READY,
  REGION1,
  REPEAT_COUNT,
  REPEAT_END,
  REPEAT_FIRST,
  RUNNING,
  SRAM,
  SRAM_BASE,
  SRAM_END,
  STATUS,
  SUPERVISOR,
  SUPERVISOR_READY,
  TIME,
  WAIT_LOCAL,
  WORKER_BYTES,
  WORKERS,
  WORKERS_RECEIVING,
  IBRK,
  INSTRUCTION_BREAK,
  INSTRUCTION_BREAK_PC,
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
    // A break on instructions of workers is looked for at every issue.
    if (active == 63 && (load<u32>(tile, INSTRUCTION_BREAK) & 2) == 0) roundOfWorkers(tile);
    else issueOne(tile, active);
    if (fault != 0) return load<i32>(tile, STATUS);
    const status = statusAfter(tile, active);
    if (status != RUNNING) return status;
    if (load<u64>(tile, TIME) > limit) {
      store<u32>(tile, LIMIT, STATUS);
      return LIMIT;
    }
  }
}

/** Lets a tile issue at most one instruction or bundle, without fast paths; returns its status. */
export function step(tile: usize): i32 {
  store<u32>(tile, RUNNING, STATUS);
  clearFault();
  const active = load<u32>(tile, ACTIVE);
  issueOne(tile, active);
  return fault != 0 ? load<i32>(tile, STATUS) : statusAfter(tile, active);
}

function issueOne(tile: usize, active: u32): void {
  if (active != 0) {
    mixedCycle(tile, active);
    return;
  }
  stepSupervisor(tile, true);
  if (fault != 0) stop(tile, 0);
}

/** A word in flight that is due while workers run stops the tile. */
function statusAfter(tile: usize, active: u32): i32 {
  const horizon = load<u64>(tile, HORIZON);
  if (horizon != 0 && active != 0 && load<u64>(tile, TIME) > horizon) store<u32>(tile, WORKERS_RECEIVING, STATUS);
  return load<i32>(tile, STATUS);
}

/** All six contexts busy: one bundle each, in slot order, until one leaves. */
function roundOfWorkers(tile: usize): void {
  const sram = <usize>load<u32>(tile, SRAM) - <usize>SRAM_BASE;
  let time = load<u64>(tile, TIME);
  let slot = <u32>(time % 6);
  let w = tile + WORKERS + <usize>slot * WORKER_BYTES;
  let fast: u64 = 0;
  let allReady = lastReady(tile);
  for (let issued = 0; issued < 6000; issued++) {
    if (time >= allReady || load<u64>(w, READY) <= time) {
      const pc = load<u32>(w, PC);
      const bundle = bundleSlot(pc);
      if (
        pc - SRAM_BASE <= REGION1 - 8 - SRAM_BASE &&
        (pc & 7) == 0 &&
        load<u64>(bundle, B_WORDS) == load<u64>(sram + <usize>pc)
      ) {
        const most = time >= allReady ? alike(w, pc, 6 - <i32>slot) : 1;
        const ran = runAlike(tile, sram, bundle, pc, w, most);
        if (ran > 0) {
          fast += ran;
          time += ran;
          slot += ran;
          w += <usize>ran * WORKER_BYTES;
          if (slot == 6) {
            slot = 0;
            w = tile + WORKERS;
          }
          continue;
        }
      }
      store<u64>(tile, time, TIME);
      stepWorker(tile, w, slot);
      if (fault != 0 || load<u32>(tile, ACTIVE) != 63) {
        if (fault == 0) store<u64>(tile, time + 1, TIME);
        store<u64>(tile, load<u64>(tile, INSTRUCTIONS) + fast, INSTRUCTIONS);
        return;
      }
      allReady = max(allReady, load<u64>(w, READY));
    }
    time++;
    w += WORKER_BYTES;
    if (++slot == 6) {
      slot = 0;
      w = tile + WORKERS;
    }
  }
  store<u64>(tile, time, TIME);
  store<u64>(tile, load<u64>(tile, INSTRUCTIONS) + fast, INSTRUCTIONS);
}

/** Cycle from which every worker may issue. */
function lastReady(tile: usize): u64 {
  let latest: u64 = 0;
  for (let slot: usize = 0; slot < 6; slot++)
    latest = max(latest, load<u64>(tile + WORKERS + slot * WORKER_BYTES, READY));
  return latest;
}

/** Fast paths: a matrix step beside a paced access whose addresses all advance by 8 or stay. */
const LOAD_LOAD_STORE: u32 = 1;
const LOAD_STORE: u32 = 2;

/**
 * Runs the workers from `slot` on through one bundle that they all stand at, as long as its fast path fits.
 * Returns how many it ran; the next one, if any, is untouched and takes the slow path.
 */
function runAlike(tile: usize, sram: usize, bundle: usize, pc: u32, first: usize, count: i32): i32 {
  const kind = load<u32>(bundle, B_KIND);
  if (kind == 0) return 0;
  const phase = load<u32>(bundle, B_PHASE);
  const packAt = <usize>load<u16>(bundle, B_PACK);
  const loadAt = <usize>load<u16>(bundle, B_LOAD);
  const load2At = <usize>load<u16>(bundle, B_LOAD2);
  const storeAt = <usize>load<u16>(bundle, B_STORE);
  const inputAt = <usize>load<u16>(bundle, B_INPUT);
  const partialAt = <usize>load<u16>(bundle, B_PARTIAL);
  const resultAt = <usize>load<u16>(bundle, B_RESULT);
  let w = first;
  for (let done = 0; done < count; done++) {
    // With traps enabled the slow path decides whether a result stops the worker.
    if ((load<u32>(w, FP_CONTROL) & 7) != 0) return done;
    const pack = w + packAt;
    const low = load<u32>(pack);
    const high = load<u32>(pack, 4);
    const x = low & 0x1fffff;
    const y = high & 0x1fffff;
    const z = (low >> 21) | ((high >> 21) << 11);
    // A store over this very bundle changes what the next worker fetches.
    if (((x | z) & 7) != 0 || !inside(x) || !inside(z) || z == pc) return done;
    const bankX = bank(x);
    const bankZ = bank(z);
    if (bankX == bankZ) return done;
    let nextY = y;
    if (kind == LOAD_LOAD_STORE) {
      const bankY = bank(y);
      if ((y & 7) != 0 || !inside(y) || bankY == bankX || bankY == bankZ) return done;
      nextY = (y + 8) & 0x1fffff;
    }
    const stored = load<u64>(w + storeAt);
    const result = matrixStep(tile, w, load<u64>(w + inputAt), load<u64>(w + partialAt), phase);
    store<u64>(sram + <usize>z, stored);
    store<u64>(w + loadAt, load<u64>(sram + <usize>x));
    if (kind == LOAD_LOAD_STORE) store<u64>(w + load2At, load<u64>(sram + <usize>y));
    store<u64>(w + resultAt, result);
    store<u32>(pack, ((x + 8) & 0x1fffff) | ((z + 8) << 21));
    store<u32>(pack, nextY | (((z + 8) >> 11) << 21), 4);
    const repeats = load<u32>(w, REPEAT_COUNT);
    if (repeats != 0 && pc + 8 == load<u32>(w, REPEAT_END)) {
      store<u32>(w, repeats - 1, REPEAT_COUNT);
      store<u32>(w, repeats > 1 ? load<u32>(w, REPEAT_FIRST) : pc + 8, PC);
    } else store<u32>(w, pc + 8, PC);
    w += WORKER_BYTES;
  }
  return count;
}

/** Workers from `first` on that stand at the same address, at most up to slot 5. */
// @ts-ignore: decorator
@inline
function alike(first: usize, pc: u32, most: i32): i32 {
  let count = 1;
  while (count < most && load<u32>(first + <usize>count * WORKER_BYTES, PC) == pc) count++;
  return count;
}

// @ts-ignore: decorator
@inline
function inside(address: u32): bool {
  return address - SRAM_BASE <= SRAM_END - 8 - SRAM_BASE;
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
  if ((load<u32>(tile, INSTRUCTION_BREAK) & 2) != 0 && load<u32>(tile, INSTRUCTION_BREAK_PC) == pc) {
    raise(IBRK, pc);
    stop(tile, slot + 1);
    return;
  }
  // A bundle at the end of the executable region takes the slow path, which raises what is due.
  if (pc >= SRAM_BASE && pc <= REGION1 - 8 && (pc & 7) == 0) {
    const words = load<u64>(<usize>load<u32>(tile, SRAM) + <usize>(pc - SRAM_BASE));
    if ((<u32>words & 0x80000000) != 0) {
      const bundle = bundleSlot(pc);
      if (load<u64>(bundle, B_WORDS) != words) checkBundle(bundle, words);
      // Control instructions do not belong in a repeat body.
      const misplaced = load<u32>(w, REPEAT_COUNT) != 0 && (load<u8>(bundle + B_MAIN, FLAGS) & IS_CONTROL) != 0;
      if (misplaced) raise(INVALID_INSTR, <u32>words);
      if (load<i32>(bundle, B_FAULT) == 0 && !misplaced) {
        store<u32>(w, pc + 8, PC);
        const cycles = executeAux(tile, w, bundle + B_AUX);
        if (fault == 0) mainOrExit(tile, w, bundle + B_MAIN, slot);
        commit(w);
        finish(tile, w, slot, cycles);
        return;
      }
    }
  }
  stepSingle(tile, w, slot, pc);
}

/** Decodes a bundle and remembers whether it is legal. */
function checkBundle(bundle: usize, words: u64): void {
  // Both words may share a place in the word cache: what is needed of the first is read before the second.
  const main = decode(<u32>words & 0x7fffffff);
  const mainCode = load<u16>(main, OP);
  const mainFlags = load<u8>(main, FLAGS);
  const mainWrites = load<u16>(main, AUX_WRITES);
  const aux = decode(<u32>(words >> 32));
  let exception = 0;
  if (
    mainCode == 0 ||
    load<u16>(aux, OP) == 0 ||
    (mainFlags & (IS_AUX | IS_SOLO | SUPERVISOR_ONLY)) != 0 ||
    (load<u8>(aux, FLAGS) & IS_AUX) == 0
  )
    exception = INVALID_INSTR;
  else if ((mainWrites & load<u16>(aux, AUX_WRITES) & 0x3fff) != 0) exception = INVALID_OP;
  fillBundle(bundle, words, exception);
  if (exception == 0) chooseFastPath(bundle);
}

/** Byte offset of an a register in the context; results for the zero registers go to a place nobody reads. */
function registerOffset(register: i32, written: bool): u16 {
  return <u16>(written && register >= 14 ? DISCARD : A + (<usize>register << 2));
}

function chooseFastPath(bundle: usize): void {
  const main = bundle + B_MAIN;
  const aux = bundle + B_AUX;
  const code = load<u16>(main, OP);
  const both = code == op.LD2XST64PACE;
  if (load<u16>(aux, OP) != op.F16V4HIHOV4AMP || field(aux, 3) > 3) return;
  // Only the plain selectors: every address advances by 8.
  if (!both && code != op.LDST64PACE) return;
  if (field(main, 4) != 0) return;
  const target = field(main, 0);
  store<u32>(bundle, both ? LOAD_LOAD_STORE : LOAD_STORE, B_KIND);
  store<u32>(bundle, field(aux, 3), B_PHASE);
  store<u16>(bundle, <u16>(M + (<usize>field(main, 2) << 2)), B_PACK);
  store<u16>(bundle, registerOffset(target, true), B_LOAD);
  store<u16>(bundle, registerOffset(target + 2, true), B_LOAD2);
  store<u16>(bundle, registerOffset(field(main, 1), false), B_STORE);
  store<u16>(bundle, registerOffset(field(aux, 1), false), B_INPUT);
  store<u16>(bundle, registerOffset(field(aux, 2), false), B_PARTIAL);
  store<u16>(bundle, registerOffset(field(aux, 0), true), B_RESULT);
}

/** Single instructions, and everything that is going to fault. */
function stepSingle(tile: usize, w: usize, slot: u32, pc: u32): void {
  const word = fetch(tile, pc);
  if (fault != 0) {
    stop(tile, slot + 1);
    return;
  }
  let cycles = 1;
  if ((word & 0x80000000) != 0) {
    if ((pc & 7) != 0 || pc > REGION1 - 8) raise(INVALID_PC, pc);
    else raise(load<i32>(bundleSlot(pc), B_FAULT), word);
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
  finish(tile, w, slot, cycles);
}

/** Counts, stops on a fault, closes a repeat, stalls after multi-cycle instructions. */
// @ts-ignore: decorator
@inline
function finish(tile: usize, w: usize, slot: u32, cycles: i32): void {
  store<u64>(tile, load<u64>(tile, INSTRUCTIONS) + 1, INSTRUCTIONS);
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

/** Status register of the supervisor, and its bit for the agreement of all exits. */
const SSR: usize = 1 << 2;
const LOCAL_CONSENSUS: u32 = 1;

/** Outcome that an exit reports. */
function agrees(code: u16, value: i32): bool {
  switch (code) {
    case op.EXITNEG:
      return value < 0;
    case op.EXITNZ:
      return value != 0;
    case op.EXITPOS:
      return value >= 0;
    default:
      return value == 0;
  }
}

// @ts-ignore: decorator
@inline
function mainOrExit(tile: usize, w: usize, e: usize, slot: u32): void {
  const code = load<u16>(e, OP);
  if (code < op.EXITNEG || code > op.EXITZ) {
    executeMain(tile, w, e);
    return;
  }
  if (!agrees(code, getM(w, field(e, 0)))) store<u32>(tile + SSR, load<u32>(tile + SSR, CSRS) & ~LOCAL_CONSENSUS, CSRS);
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
