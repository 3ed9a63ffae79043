import {
  MINIMUM_SENDER_EVENTS,
  NEUTRAL_SOURCE,
  pointerLatency,
  RECEIVE_GUARD,
  routeDirection,
  rowOf,
  timeToMux,
} from '../../device/ipu21/index.ts';
import { CompileError } from '../errors.ts';
import type { PhysicalTransfer, Receiver } from './transfer.ts';

/** A 32-bit stream a tile sends: `words` words from `wordAddress`, one per event from `start`. */
export interface ScheduledSend {
  readonly start: number;
  readonly words: number;
  readonly wordAddress: number;
  /** Fabric directions enabled: 1, 2, or 3 for both. */
  readonly direction: number;
}

/** A receive control that takes effect at `event`: which sender to listen to, or where words go. */
export interface ScheduledControl {
  readonly event: number;
  readonly kind: 'source' | 'pointer';
  /** Physical tile id (or NEUTRAL_SOURCE), or destination word address. */
  readonly value: number;
}

/** Everything one tile does in a phase, in its own event time. */
export interface TileSchedule {
  readonly sends: readonly ScheduledSend[];
  /** Sorted by event; no two at one event. */
  readonly controls: readonly ScheduledControl[];
  /** Event at which the row may end. */
  readonly horizon: number;
}

/** A scheduled phase. */
export interface PhaseSchedule {
  /** By physical tile; tiles without traffic are absent. */
  readonly tiles: ReadonlyMap<number, TileSchedule>;
  readonly horizon: number;
  /** Largest number of words any tile sends or receives. */
  readonly endpointBound: number;
  readonly transfers: number;
}

/** Attempts to move a start by one event before giving up; conflicts are sparse, so a few suffice. */
const START_ATTEMPTS = 100_000;

/** Growing schedule of one tile. Sends and receives are only ever appended. */
class TileTimeline {
  readonly sends: ScheduledSend[] = [];
  readonly controls: ScheduledControl[] = [];
  /** Events that already hold a control, the pending deselect included. */
  readonly busy = new Set<number>();
  /** Events at which no control can be encoded: the second event of every send. */
  readonly blocked = new Set<number>();
  sendFree = 0;
  /** First event at which another source may be selected; a deselect is pending there. */
  sourceFree = 1;
  listening = false;
  /** First event at which the pointer may move: the previous payload has been written. */
  payloadFree = 1;
  nextWordAddress = -1;
  horizon = 0;
  sent = 0;
  received = 0;

  /** True when a control can take effect at the event. */
  canControl(event: number): boolean {
    return event >= 1 && !this.busy.has(event) && !this.blocked.has(event);
  }
}

/**
 * Appends transfers in the given order, each at the earliest start at which its sender, all its receivers
 * and the encoding rules agree. Quality comes from the order: structured collectives list transfers so
 * that endpoints stay busy. One pass, linear in deliveries.
 *
 * Rules [HW] unless noted: a source is selected exactly `words` events; the first word is written
 * 52 + 2 row events after the selection; controls of one tile take distinct events [SW]; a control cannot
 * take effect on the event after a send starts.
 */
export function schedulePhase(transfers: readonly PhysicalTransfer[]): PhaseSchedule {
  const timelines = new Map<number, TileTimeline>();
  const timelineOf = (tile: number): TileTimeline => {
    let timeline = timelines.get(tile);
    if (timeline === undefined) {
      timeline = new TileTimeline();
      timelines.set(tile, timeline);
    }
    return timeline;
  };
  for (const transfer of transfers) append(transfer, timelineOf);
  const tiles = new Map<number, TileSchedule>();
  let horizon = 0;
  let endpointBound = 0;
  for (const tile of [...timelines.keys()].sort((x, y) => x - y)) {
    const timeline = timelines.get(tile)!;
    if (timeline.listening)
      timeline.controls.push({ event: timeline.sourceFree, kind: 'source', value: NEUTRAL_SOURCE });
    timeline.controls.sort((x, y) => x.event - y.event);
    tiles.set(tile, {
      sends: timeline.sends,
      controls: timeline.controls,
      horizon: timeline.horizon,
    });
    horizon = Math.max(horizon, timeline.horizon);
    endpointBound = Math.max(endpointBound, timeline.sent, timeline.received);
  }
  return { tiles, horizon, endpointBound, transfers: transfers.length };
}

interface Landing {
  readonly receiver: Receiver;
  readonly timeline: TileTimeline;
  /** Events from the sender's start to the selection on this receiver; may be negative. */
  readonly lag: number;
  readonly pointerLag: number;
}

function append(transfer: PhysicalTransfer, timelineOf: (tile: number) => TileTimeline): void {
  const { source, words } = transfer;
  const sender = timelineOf(source.tile);
  const landings: Landing[] = transfer.receivers.map((receiver) => ({
    receiver,
    timeline: timelineOf(receiver.tile),
    lag: timeToMux(source.tile, receiver.tile) + 1,
    pointerLag: pointerLatency(rowOf(receiver.tile)),
  }));
  let start = sender.sendFree;
  for (const { timeline, lag } of landings) start = Math.max(start, timeline.sourceFree - lag, 1 - lag);
  const first = start;
  while (!fits(start, words, sender, landings)) {
    start += 1;
    if (start - first > START_ATTEMPTS) {
      throw new CompileError(
        'exchange',
        `no legal start for a message of ${words} words from physical tile ${source.tile}`,
        { words, source: source.tile, receivers: landings.length, firstTried: first },
        'This message cannot be encoded on its sender; use another plan.',
      );
    }
  }
  const direction = landings.length === 1 ? routeDirection(source.tile, landings[0].receiver.tile) : 3;
  sender.sends.push({ start, words, wordAddress: source.wordAddress, direction });
  sender.blocked.add(start + 1);
  sender.sendFree = start + words;
  sender.sent += words;
  sender.horizon = Math.max(sender.horizon, start + words, MINIMUM_SENDER_EVENTS);
  for (const landing of landings) land(landing, start, words, source.tile, sender);
}

/** True when every control of the message can be encoded if the sender starts at `start`. */
function fits(start: number, words: number, sender: TileTimeline, landings: readonly Landing[]): boolean {
  if (sender.busy.has(start + 1)) return false;
  for (const landing of landings) {
    const { timeline, lag } = landing;
    const select = start + lag;
    const joins = timeline.listening && select === timeline.sourceFree;
    if (!joins && !timeline.canControl(select)) return false;
    const release = select + words;
    if (!timeline.canControl(release)) return false;
    // A send of this very message blocks its own second event on a loop-back receiver.
    if (timeline === sender && (select === start + 1 || release === start + 1)) return false;
    if (pointerEvent(landing, start, words, sender) === undefined) return false;
  }
  return true;
}

/**
 * Event for the pointer write: the latest free one between the end of the previous payload and the first
 * word. -1 when the stream continues at the next address, undefined when no event is free.
 */
function pointerEvent(
  landing: Landing,
  start: number,
  words: number,
  sender: TileTimeline,
): number | undefined {
  const { timeline, receiver, lag, pointerLag } = landing;
  if (receiver.wordAddress === timeline.nextWordAddress) return -1;
  const select = start + lag;
  const due = select + pointerLag;
  const blockedBySend = (event: number) => timeline === sender && event === start + 1;
  for (let event = due; event >= Math.max(timeline.payloadFree, 1); event--) {
    const own = event === select || event === select + words;
    if (!own && !blockedBySend(event) && timeline.canControl(event)) return event;
  }
  return undefined;
}

function land(landing: Landing, start: number, words: number, source: number, sender: TileTimeline): void {
  const { timeline, receiver, lag, pointerLag } = landing;
  const pointer = pointerEvent(landing, start, words, sender);
  const select = start + lag;
  if (timeline.listening && select > timeline.sourceFree) {
    timeline.controls.push({ event: timeline.sourceFree, kind: 'source', value: NEUTRAL_SOURCE });
  }
  timeline.controls.push({ event: select, kind: 'source', value: source });
  timeline.busy.add(select);
  if (pointer !== undefined && pointer >= 0) {
    timeline.controls.push({ event: pointer, kind: 'pointer', value: receiver.wordAddress });
    timeline.busy.add(pointer);
  }
  timeline.listening = true;
  timeline.sourceFree = select + words;
  timeline.busy.add(timeline.sourceFree);
  timeline.payloadFree = select + pointerLag + words;
  timeline.nextWordAddress = receiver.wordAddress + words;
  timeline.received += words;
  timeline.horizon = Math.max(timeline.horizon, timeline.payloadFree + RECEIVE_GUARD);
}
