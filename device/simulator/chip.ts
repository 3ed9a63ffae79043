import { DeviceError } from '../device.ts';
import { CSR, logicalTileOf, NEUTRAL_SOURCE, type PhysicalTile } from '../ipu21/index.ts';
import { CHOICES } from './choices.ts';
import { deliveriesOf, elementHazards } from './exchange.ts';
import { exchangeFault, tileFault } from './faults.ts';
import { type LateWords, WordsInFlight } from './lateWords.ts';
import { copyPhase } from './phaseCopy.ts';
import type { TileRunner } from './threads.ts';
import type { ChipMemory } from './tileMemory.ts';
import { STATE, STATUS } from './tileState.ts';
import {
  type Control,
  type ControlKind,
  type Delivery,
  type Send,
  settings,
  type TileTimeline,
  WIDE,
} from './timeline.ts';

const HOST_RELEASE = CHOICES.HOST_RELEASE_CYCLES.value;
const CONTROL_KINDS: readonly ControlKind[] = ['source', 'pointer', 'pairedSource', 'format'];
/** Supervisor registers that the exchange uses [SDK]. */
const { INCOMING_MUX, INCOMING_MUXPAIR, INCOMING_FORMAT, INCOMING_BASE, OUTGOING_BASE } = CSR;
/** What a receiver keeps from phase to phase, and where a program reads and writes it. */
const KEPT_CONTROLS: readonly (readonly [ControlKind, number])[] = [
  ['source', INCOMING_MUX],
  ['pairedSource', INCOMING_MUXPAIR],
  ['format', INCOMING_FORMAT],
];

/** More than code without a loop can hold: region 0 full of two-word sends with two controls each. */
const ROW_ENTRIES = 80_000;

/** Bits of SSR: all exits of this tile agreed, all tiles agreed at the last internal barrier [SDK]. */
const LOCAL_CONSENSUS = 1;
const GLOBAL_CONSENSUS = 2;

const itemWords = (sendControl: number) => ((sendControl & WIDE) === 0 ? 1 : 2);

/** Cycle account of one tile within a call. */
export interface TileAccount {
  waited: number;
  exchanged: number;
}

/**
 * Drives all tiles from barrier to barrier. Between barriers tiles are independent and may run in any
 * order on any thread; at a barrier the exchange of the phase is resolved for all of them at once.
 */
export class Chip {
  readonly #memory: ChipMemory;
  readonly #runner: TileRunner;
  readonly #accounts = new Map<number, TileAccount>();
  readonly #inFlight: WordsInFlight;

  constructor(memory: ChipMemory, runner: TileRunner) {
    this.#memory = memory;
    this.#runner = runner;
    this.#inFlight = new WordsInFlight(memory);
  }

  account(tile: number): TileAccount {
    let account = this.#accounts.get(tile);
    if (account === undefined) {
      account = { waited: 0, exchanged: 0 };
      this.#accounts.set(tile, account);
    }
    return account;
  }

  /** Sets every supervisor to an address, at cycle 0. */
  start(entries: ReadonlyMap<number, number>): void {
    for (const [tile, entry] of entries) {
      this.#memory.setU32(tile, STATE.supervisor, entry);
      this.#setCsr(tile, INCOMING_MUX, NEUTRAL_SOURCE);
      this.#setCsr(tile, CSR.SSR, LOCAL_CONSENSUS);
      this.#setCsr(tile, INCOMING_MUXPAIR, NEUTRAL_SOURCE);
    }
  }

  /**
   * Runs until all tiles wait at the host barrier. Throws DeviceError for a fault, a deadlock, or when a
   * tile passes the cycle limit.
   * Returns the cycle in which the barrier let them go.
   */
  runToHost(cycleLimit: number): number {
    const { tiles } = this.#memory;
    const last = Math.max(...tiles.map((tile) => this.#memory.u64(tile, STATE.time)));
    const begin = Math.ceil(last / HOST_RELEASE) * HOST_RELEASE;
    for (const tile of tiles) this.#resume(tile, begin);
    this.#accounts.clear();
    const limit = begin + cycleLimit;
    this.#runAll(tiles, limit);
    for (;;) {
      const waiting = tiles.map((tile) => this.#memory.u32(tile, STATE.status));
      if (waiting.every((status) => status === STATUS.host)) {
        this.#inFlight.land(Number.POSITIVE_INFINITY);
        return begin;
      }
      if (!waiting.every((status) => status === STATUS.barrier || status === STATUS.nonParticipation))
        throw this.#deadlock(waiting);
      this.#phase(waiting, limit);
    }
  }

  /** Barrier, row, deliveries, and on to the next stop. */
  #phase(waiting: readonly number[], limit: number): void {
    const { tiles } = this.#memory;
    const memory = this.#memory;
    const arrivals = tiles.map((tile) => memory.u64(tile, STATE.arrival));
    const release = Math.max(...arrivals) + CHOICES.INTERNAL_SYNC_CYCLES.value;
    this.#refuseRunningWorkers(release);
    this.#inFlight.land(release);
    this.#shareConsensus();
    const active: number[] = [];
    tiles.forEach((tile, index) => {
      this.account(tile).waited += release - arrivals[index];
      memory.setU32(tile, STATE.sans, 0);
      this.#resume(tile, release);
      if (waiting[index] !== STATUS.barrier) return;
      active.push(tile);
      memory.setU64(tile, STATE.phaseStart, release);
      memory.setU32(tile, STATE.inRow, 1);
    });
    const timelines = this.#runRows(active, limit);
    const { deliveries, faults } = deliveriesOf(timelines);
    const fault = [...faults, ...elementHazards(timelines, deliveries)].sort(
      (x, y) => x.event - y.event || x.tile - y.tile,
    )[0];
    if (fault !== undefined) throw exchangeFault(fault);
    for (const { tile, controls } of timelines.values()) {
      for (const [kind, csr] of KEPT_CONTROLS) {
        const last = settings(controls, kind).at(-1);
        if (last !== undefined) this.#setCsr(tile, csr, last.value);
      }
    }
    this.#deliver(timelines, deliveries, release);
    for (const tile of active) {
      memory.setU32(tile, STATE.inRow, 0);
      this.account(tile).exchanged += memory.u64(tile, STATE.time) - release;
    }
    this.#runAll(tiles, limit);
  }

  /** Runs the rows of a phase and collects what they put on the fabric and listened to. */
  #runRows(active: readonly number[], limit: number): Map<number, TileTimeline> {
    const memory = this.#memory;
    const sends = new Map<number, Send[]>(active.map((tile) => [tile, []]));
    const controls = new Map<number, Control[]>(active.map((tile) => [tile, this.#selected(tile)]));
    let running = active;
    while (running.length > 0) {
      this.#runAll(running, limit);
      for (const tile of running) {
        this.#takeLists(tile, sends.get(tile)!, controls.get(tile)!);
        const entries = sends.get(tile)!.length + controls.get(tile)!.length;
        if (entries > ROW_ENTRIES) throw endlessRow(tile, entries);
      }
      running = running.filter((tile) => memory.u32(tile, STATE.status) === STATUS.timelineFull);
    }
    return new Map(
      active.map((tile) => [
        tile,
        {
          tile,
          sends: sends.get(tile)!,
          controls: controls.get(tile)!,
          rowEnd: memory.u64(tile, STATE.time) - memory.u64(tile, STATE.phaseStart),
          codeElements: memory.u32(tile, STATE.rowElements),
        },
      ]),
    );
  }

  /** What a tile listens to from before the phase, as controls at event 0. */
  #selected(tile: number): Control[] {
    const source = this.#csr(tile, INCOMING_MUX);
    const paired = this.#csr(tile, INCOMING_MUXPAIR);
    const format = this.#csr(tile, INCOMING_FORMAT) & 3;
    const controls: Control[] = [];
    if (source !== NEUTRAL_SOURCE) controls.push({ event: 0, kind: 'source', value: source });
    if (paired !== NEUTRAL_SOURCE) controls.push({ event: 0, kind: 'pairedSource', value: paired });
    if (format !== 0) controls.push({ event: 0, kind: 'format', value: format });
    return controls;
  }

  /** The internal barrier tells every tile whether all of them agree [GUESS]. */
  #shareConsensus(): void {
    const { tiles } = this.#memory;
    const all = tiles.every((tile) => (this.#csr(tile, CSR.SSR) & LOCAL_CONSENSUS) !== 0);
    for (const tile of tiles) {
      const status = this.#csr(tile, CSR.SSR) & ~GLOBAL_CONSENSUS;
      this.#setCsr(tile, CSR.SSR, all ? status | GLOBAL_CONSENSUS : status);
    }
  }

  #csr(tile: number, index: number): number {
    return this.#memory.u32(tile, STATE.csrs + 4 * index);
  }

  #setCsr(tile: number, index: number, value: number): void {
    this.#memory.setU32(tile, STATE.csrs + 4 * index, value);
  }

  #takeLists(tile: number, sends: Send[], controls: Control[]): void {
    const memory = this.#memory;
    const base = memory.base(tile);
    const outgoing = this.#csr(tile, OUTGOING_BASE) >>> 2;
    const incoming = this.#csr(tile, INCOMING_BASE) >>> 2;
    const read = (list: number, index: number, word: number) =>
      memory.view.getUint32(base + list + index * 16 + word * 4, true);
    for (let index = 0; index < memory.u32(tile, STATE.sends); index++) {
      sends.push({
        start: read(STATE.sendList, index, 0),
        words: read(STATE.sendList, index, 1),
        wordAddress: outgoing + read(STATE.sendList, index, 2) * itemWords(read(STATE.sendList, index, 3)),
        control: read(STATE.sendList, index, 3),
      });
    }
    for (let index = 0; index < memory.u32(tile, STATE.controls); index++) {
      const kind = CONTROL_KINDS[read(STATE.controlList, index, 1)];
      const value = read(STATE.controlList, index, 2);
      controls.push({
        event: read(STATE.controlList, index, 0),
        kind,
        value: kind === 'pointer' ? incoming + value : value,
      });
    }
    memory.setU32(tile, STATE.sends, 0);
    memory.setU32(tile, STATE.controls, 0);
  }

  /** Copies words in time for the receivers' next instruction; what arrives later stays in flight. */
  #deliver(
    timelines: ReadonlyMap<number, TileTimeline>,
    deliveries: readonly Delivery[],
    release: number,
  ): void {
    const timely: Delivery[] = [];
    const late: LateWords[] = [];
    for (const delivery of deliveries) {
      const { wordsPerEvent } = delivery;
      const inTime = Math.max(0, timelines.get(delivery.target)!.rowEnd - delivery.written);
      const onTime = Math.min(delivery.words, inTime * wordsPerEvent);
      if (onTime > 0) timely.push({ ...delivery, words: onTime });
      if (onTime === delivery.words) continue;
      late.push({
        ...delivery,
        sent: delivery.sent + onTime / wordsPerEvent,
        written: release + delivery.written + onTime / wordsPerEvent,
        fromWord: delivery.fromWord + onTime,
        toWord: delivery.toWord + onTime,
        words: delivery.words - onTime,
        data: new Uint32Array(delivery.words - onTime),
      });
    }
    copyPhase(this.#memory, timely, late);
    this.#inFlight.add(late);
  }

  /** A supervisor may reach a barrier while workers run, but the model cannot let it go on beside them. */
  #refuseRunningWorkers(release: number): void {
    for (const tile of this.#memory.tiles) {
      const until = this.#memory.u64(tile, STATE.time);
      if (until <= release) continue;
      throw exchangeFault({
        tile,
        error: 'workers active',
        event: 0,
        address: 0,
        detail: `workers run until cycle ${until}, the barrier is released at ${release}`,
      });
    }
  }

  #resume(tile: number, cycle: number): void {
    this.#memory.setU64(tile, STATE.time, cycle);
    this.#memory.setU64(tile, STATE.supervisorReady, cycle);
  }

  /** Runs tiles to their next stop; words in flight land on the way, each in its cycle. */
  #runAll(tiles: readonly number[], limit: number): void {
    let running = tiles;
    while (running.length > 0) {
      this.#runner.run(running, limit);
      running = running.filter((tile) => this.#memory.u32(tile, STATE.status) === STATUS.wordsDue);
      for (const tile of running) this.#inFlight.land(this.#memory.u64(tile, STATE.supervisorReady), tile);
    }
    for (const tile of tiles) {
      const status = this.#memory.u32(tile, STATE.status);
      if (status === STATUS.faulted) throw tileFault(this.#memory, tile);
      if (status === STATUS.workersReceiving) throw this.#receivedWhileWorking(tile);
      if (status === STATUS.crashed) {
        throw new DeviceError(
          'infra-error',
          'run',
          `the simulator failed on physical tile ${tile}`,
          { physicalTile: tile },
          'This is a defect of the simulator; report the package.',
          logicalTileOf(tile as PhysicalTile),
        );
      }
      if (status === STATUS.limit) {
        throw new DeviceError(
          'infra-error',
          'run',
          `physical tile ${tile} passed the limit of cycle ${limit} at pc 0x${this.#memory.u32(tile, STATE.supervisor).toString(16)}`,
          { physicalTile: tile, cycleLimit: limit },
          'The program hangs or needs a higher cycle limit.',
          logicalTileOf(tile as PhysicalTile),
        );
      }
    }
  }

  #receivedWhileWorking(tile: number): DeviceError {
    const { written, toWord, source } = this.#inFlight.next(tile)!;
    return exchangeFault({
      tile,
      error: 'workers active',
      event: written - this.#memory.u64(tile, STATE.phaseStart),
      address: toWord * 4,
      detail: `a word from physical tile ${source} arrives after the row ended, while workers run`,
    });
  }

  #deadlock(waiting: readonly number[]): DeviceError {
    const names: Record<number, string> = {
      [STATUS.barrier]: 'the internal barrier',
      [STATUS.nonParticipation]: 'the end of a barrier they do not join',
      [STATUS.host]: 'the host barrier',
      [STATUS.rowEnded]: 'the end of a row',
    };
    const groups = new Map<number, number[]>();
    waiting.forEach((status, index) => {
      groups.set(status, [...(groups.get(status) ?? []), this.#memory.tiles[index]]);
    });
    const text = [...groups]
      .sort(([x], [y]) => x - y)
      .map(([status, tiles]) => {
        const pc = this.#memory.u32(tiles[0], STATE.supervisor).toString(16);
        return `${tiles.length} tiles wait at ${names[status] ?? status} (physical tile ${tiles[0]} at pc 0x${pc})`;
      })
      .join('; ');
    return new DeviceError(
      'device-fault',
      'run',
      `deadlock: ${text}`,
      { groups: groups.size },
      'Every tile must take part in the same barriers; compare the listings of the named tiles.',
      logicalTileOf([...groups.values()].sort((x, y) => x.length - y.length)[0][0] as PhysicalTile),
    );
  }
}

/** A loop of exchange instructions would fill the host's memory long before the cycle limit. */
function endlessRow(tile: number, entries: number): DeviceError {
  return new DeviceError(
    'infra-error',
    'exchange',
    `the row of physical tile ${tile} has ${entries} sends and controls and does not end`,
    { physicalTile: tile, entries, most: ROW_ENTRIES },
    'End the row with a memory access, a launch or a barrier.',
    logicalTileOf(tile as PhysicalTile),
  );
}
