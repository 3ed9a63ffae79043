import { DeviceError } from '../device.ts';
import { logicalTileOf, type PhysicalTile } from '../ipu21/index.ts';
import { CHOICES } from './choices.ts';
import {
  type Control,
  type ControlKind,
  type Delivery,
  deliveriesOf,
  elementHazards,
  type Send,
  type TileTimeline,
} from './exchange.ts';
import { exchangeFault, tileFault } from './faults.ts';
import type { TileRunner } from './threads.ts';
import { type ChipMemory, STATE, STATUS } from './tileMemory.ts';

const CONTROL_KINDS: readonly ControlKind[] = ['source', 'pointer', 'pairedSource', 'format'];
const SYNC_INSTRUCTION_BYTES = 4;

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
  readonly #late: Delivery[] = [];
  readonly #rowStart = new Map<number, number>();

  constructor(memory: ChipMemory, runner: TileRunner) {
    this.#memory = memory;
    this.#runner = runner;
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
    for (const [tile, entry] of entries) this.#memory.setU32(tile, STATE.supervisor, entry);
  }

  /**
   * Runs until all tiles wait at the host barrier. Throws DeviceError for a fault, a deadlock, or when a
   * tile passes the cycle limit.
   */
  runToHost(cycleLimit: number): void {
    const { tiles } = this.#memory;
    const begin = Math.max(...tiles.map((tile) => this.#memory.u64(tile, STATE.time)));
    for (const tile of tiles) this.#resume(tile, begin);
    this.#accounts.clear();
    const limit = begin + cycleLimit;
    this.#runAll(tiles, limit);
    for (;;) {
      const waiting = tiles.map((tile) => this.#memory.u32(tile, STATE.status));
      if (waiting.every((status) => status === STATUS.host)) {
        this.#land(Number.POSITIVE_INFINITY);
        return;
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
    const arrivals = tiles.map((tile) => memory.u64(tile, STATE.time));
    const release = Math.max(...arrivals) + CHOICES.INTERNAL_SYNC_CYCLES.value;
    this.#land(release);
    const active: number[] = [];
    tiles.forEach((tile, index) => {
      this.account(tile).waited += release - arrivals[index];
      memory.setU32(tile, STATE.sans, 0);
      this.#resume(tile, release);
      if (waiting[index] !== STATUS.barrier) return;
      active.push(tile);
      memory.setU64(tile, STATE.phaseStart, release);
      memory.setU32(tile, STATE.inRow, 1);
      this.#rowStart.set(tile, memory.u32(tile, STATE.supervisor));
    });
    const timelines = this.#runRows(active, limit);
    const { deliveries, faults } = deliveriesOf(timelines);
    const fault = [...faults, ...elementHazards(timelines, deliveries)].sort(
      (x, y) => x.event - y.event || x.tile - y.tile,
    )[0];
    if (fault !== undefined) throw exchangeFault(fault);
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
    const controls = new Map<number, Control[]>(active.map((tile) => [tile, []]));
    let running = active;
    while (running.length > 0) {
      this.#runAll(running, limit);
      for (const tile of running) this.#takeLists(tile, sends.get(tile)!, controls.get(tile)!);
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
          code: [
            this.#rowStart.get(tile)! - SYNC_INSTRUCTION_BYTES,
            memory.u32(tile, STATE.supervisor) - 1,
          ] as const,
        },
      ]),
    );
  }

  #takeLists(tile: number, sends: Send[], controls: Control[]): void {
    const memory = this.#memory;
    const base = memory.base(tile);
    const read = (list: number, index: number, word: number) =>
      memory.view.getUint32(base + list + index * 16 + word * 4, true);
    for (let index = 0; index < memory.u32(tile, STATE.sends); index++) {
      sends.push({
        start: read(STATE.sendList, index, 0),
        words: read(STATE.sendList, index, 1),
        wordAddress: read(STATE.sendList, index, 2),
        control: read(STATE.sendList, index, 3),
      });
    }
    for (let index = 0; index < memory.u32(tile, STATE.controls); index++) {
      controls.push({
        event: read(STATE.controlList, index, 0),
        kind: CONTROL_KINDS[read(STATE.controlList, index, 1)],
        value: read(STATE.controlList, index, 2),
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
    for (const delivery of deliveries) {
      const onTime = Math.min(
        delivery.words,
        Math.max(0, timelines.get(delivery.target)!.rowEnd - delivery.written),
      );
      if (onTime > 0) timely.push({ ...delivery, words: onTime });
      if (onTime === delivery.words) continue;
      this.#late.push({
        ...delivery,
        sent: delivery.sent + onTime,
        written: release + delivery.written + onTime,
        fromWord: delivery.fromWord + onTime,
        toWord: delivery.toWord + onTime,
        words: delivery.words - onTime,
      });
    }
    this.#refuseLaunchWhileReceiving();
    if (forwards(timely)) this.#copyInEventOrder(timely);
    else for (const delivery of timely) this.#copy(delivery);
  }

  /** Workers must not run while words arrive; a launch right after a row that ends too early is an error. */
  #refuseLaunchWhileReceiving(): void {
    for (const delivery of this.#late) {
      if (delivery.written <= this.#memory.u64(delivery.target, STATE.time)) continue;
      const pc = this.#memory.u32(delivery.target, STATE.supervisor);
      const [word] = new Uint32Array(this.#memory.sram(delivery.target, pc, 4).slice().buffer);
      if ((word & 0x7e000000) >>> 0 !== 0x14000000) continue;
      throw exchangeFault({
        tile: delivery.target,
        error: 'workers active',
        event: delivery.written,
        address: delivery.toWord * 4,
        detail: `${delivery.words} words from tile ${delivery.source} arrive after the row ended`,
      });
    }
  }

  /** Writes words in flight that arrived before a cycle. */
  #land(before: number): void {
    const rest: Delivery[] = [];
    for (const delivery of this.#late) {
      if (delivery.written + delivery.words <= before) this.#copy(delivery);
      else rest.push(delivery);
    }
    this.#late.splice(0, this.#late.length, ...rest);
  }

  #copy({ source, target, fromWord, toWord, words }: Delivery): void {
    this.#memory.sram(target, toWord * 4, words * 4).set(this.#memory.sram(source, fromWord * 4, words * 4));
  }

  /** A tile sends words it received in the same phase: read and write word by word as events happen. */
  #copyInEventOrder(deliveries: readonly Delivery[]): void {
    const words = this.#memory.words;
    const place = (tile: number, word: number) => this.#memory.sram(tile, word * 4, 4).byteOffset / 4;
    const steps: { event: number; write: boolean; from: number; to: number; slot: number }[] = [];
    const inFlight: number[] = [];
    for (const delivery of deliveries) {
      for (let word = 0; word < delivery.words; word++) {
        const from = place(delivery.source, delivery.fromWord + word);
        const to = place(delivery.target, delivery.toWord + word);
        const slot = inFlight.push(0) - 1;
        steps.push({ event: delivery.sent + word, write: false, from, to, slot });
        steps.push({ event: delivery.written + word, write: true, from, to, slot });
      }
    }
    steps.sort((x, y) => x.event - y.event || Number(x.write) - Number(y.write) || x.slot - y.slot);
    for (const { write, from, to, slot } of steps) {
      if (write) words[to] = inFlight[slot];
      else inFlight[slot] = words[from];
    }
  }

  #resume(tile: number, cycle: number): void {
    this.#memory.setU64(tile, STATE.time, cycle);
    this.#memory.setU64(tile, STATE.supervisorReady, cycle);
  }

  #runAll(tiles: readonly number[], limit: number): void {
    this.#runner.run(tiles, limit);
    for (const tile of tiles) {
      const status = this.#memory.u32(tile, STATE.status);
      if (status === STATUS.faulted) throw tileFault(this.#memory, tile);
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

/** True when some tile receives into a range that it also sends from. */
function forwards(deliveries: readonly Delivery[]): boolean {
  const received = new Map<number, [number, number][]>();
  for (const { target, toWord, words } of deliveries) {
    const list = received.get(target) ?? [];
    const last = list.at(-1);
    if (last !== undefined && last[1] === toWord) last[1] += words;
    else list.push([toWord, toWord + words]);
    received.set(target, list);
  }
  return deliveries.some(({ source, fromWord, words }) =>
    (received.get(source) ?? []).some(([from, to]) => fromWord < to && from < fromWord + words),
  );
}
