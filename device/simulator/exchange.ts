import {
  elementOf,
  NEUTRAL_SOURCE,
  REGION1_BASE,
  routeDirection,
  rowOf,
  SRAM_BASE,
  SRAM_END,
  timeToMux,
  writeLatency,
} from '../ipu21/index.ts';
import { receivePaired } from './pairedExchange.ts';
import {
  type Delivery,
  type ExchangeFault,
  firstOverlap,
  type Setting,
  settings,
  type TileTimeline,
  WIDE,
} from './timeline.ts';

/**
 * What every receiver captures: its mux samples, event by event, what the selected sender put on the fabric
 * one route earlier. A word goes out in the directions of its send only; an event without a word writes
 * nothing. Wrong schedules give the wrong words they would give on the chip.
 */
export function deliveriesOf(timelines: ReadonlyMap<number, TileTimeline>): {
  deliveries: Delivery[];
  faults: ExchangeFault[];
} {
  const deliveries: Delivery[] = [];
  const faults: ExchangeFault[] = [];
  for (const timeline of timelines.values()) {
    receive(timeline, timelines, deliveries, faults);
  }
  receivePaired(timelines, deliveries, faults);
  refuseCarriedPointers(timelines, deliveries, faults);
  return { deliveries, faults };
}

/**
 * 32-bit and 64-bit words are resolved apart, each from the pointers it was given. A tile that goes from one width
 * to the other without a new pointer would need the place where the other width stopped, which no source describes.
 */
function refuseCarriedPointers(
  timelines: ReadonlyMap<number, TileTimeline>,
  deliveries: readonly Delivery[],
  faults: ExchangeFault[],
): void {
  const wide = new Set(
    deliveries.filter(({ wordsPerEvent }) => wordsPerEvent === 2).map((each) => each.target),
  );
  for (const tile of wide) {
    const received = deliveries.filter(({ target }) => target === tile).sort((x, y) => x.written - y.written);
    const pointers = settings(timelines.get(tile)!.controls, 'pointer');
    for (let index = 1; index < received.length; index++) {
      const [before, after] = [received[index - 1], received[index]];
      if (before.wordsPerEvent === after.wordsPerEvent) continue;
      if (pointers.some(({ event }) => event > before.written && event <= after.written)) continue;
      faults.push({
        tile,
        error: 'not modelled',
        event: after.written,
        address: after.toWord * 4,
        detail: 'words of another width arrive without a pointer of their own',
      });
      break;
    }
  }
}

interface Arrival {
  readonly source: number;
  readonly sent: number;
  readonly event: number;
  readonly fromWord: number;
  readonly words: number;
}

function receive(
  timeline: TileTimeline,
  timelines: ReadonlyMap<number, TileTimeline>,
  deliveries: Delivery[],
  faults: ExchangeFault[],
): void {
  const { tile } = timeline;
  const controls = [...timeline.controls].sort((x, y) => x.event - y.event);
  const sources = controls.filter((control) => control.kind === 'source');
  const pointers = controls.filter((control) => control.kind === 'pointer');
  const arrivals: Arrival[] = [];
  sources.forEach(({ event, value }, index) => {
    if (value === NEUTRAL_SOURCE) return;
    const sender = timelines.get(value);
    if (sender === undefined) return;
    const until = sources[index + 1]?.event ?? Number.POSITIVE_INFINITY;
    const toMux = timeToMux(value, tile) + 1;
    const direction = routeDirection(value, tile);
    for (const send of firstOverlap(sender.sends, event - toMux)) {
      if (send.start + toMux >= until) break;
      if ((send.control & direction) === 0) continue;
      const first = Math.max(send.start + toMux, event);
      const last = Math.min(send.start + send.words + toMux, until);
      if (last <= first) continue;
      if ((send.control & WIDE) !== 0) {
        faults.push({
          tile,
          error: 'not modelled',
          event,
          address: 0,
          detail: `the selected source, physical tile ${value}, sends 64-bit items`,
        });
        return;
      }
      const sent = first - toMux;
      arrivals.push({
        source: value,
        sent,
        event: sent + toMux - 1 + writeLatency(rowOf(tile)),
        fromWord: send.wordAddress + sent - send.start,
        words: last - first,
      });
    }
  });
  arrivals.sort((x, y) => x.event - y.event);
  let pointer: number | undefined;
  let next = 0;
  const formats = settings(timeline.controls, 'format');
  for (const { source, sent, event, fromWord, words } of arrivals) {
    const wide = wideFormat(formats, event, event + words);
    if (wide !== undefined) {
      faults.push({
        tile,
        error: 'format change',
        event: Math.max(wide, event),
        address: 0,
        detail: `32-bit words from physical tile ${source} are written while the format is 64-bit`,
      });
      return;
    }
    let done = 0;
    while (done < words) {
      while (next < pointers.length && pointers[next].event <= event + done) pointer = pointers[next++].value;
      const span = Math.min(words - done, (pointers[next]?.event ?? Number.POSITIVE_INFINITY) - event - done);
      const fault = addressFault(source, fromWord + done, pointer, span);
      if (fault !== undefined) {
        faults.push({ ...fault, tile: fault.tile ?? tile, event: event + done + fault.after });
        return;
      }
      deliveries.push({
        source,
        target: tile,
        sent: sent + done,
        written: event + done,
        fromWord: fromWord + done,
        toWord: pointer as number,
        words: span,
        wordsPerEvent: 1,
      });
      pointer = (pointer as number) + span;
      done += span;
    }
  }
}

/** The first of `span` words that is read or written outside tile memory, if one is. */
function addressFault(
  source: number,
  fromWord: number,
  pointer: number | undefined,
  span: number,
): (Omit<ExchangeFault, 'tile' | 'event'> & { tile?: number; after: number }) | undefined {
  const error = 'bad address' as const;
  if (pointer === undefined)
    return { error, after: 0, address: 0, detail: 'a word arrived before any pointer was set' };
  const written = firstOutside(pointer, span);
  const read = firstOutside(fromWord, span);
  if (written < span && written <= read) {
    return {
      error,
      after: written,
      address: (pointer + written) * 4,
      detail: 'a word is written outside tile memory',
    };
  }
  if (read === span) return undefined;
  const detail = 'a word is sent from outside tile memory';
  return { error, tile: source, after: read, address: (fromWord + read) * 4, detail };
}

/** Position of the first word outside tile memory, `count` when there is none. */
function firstOutside(word: number, count: number): number {
  if (word < SRAM_BASE / 4 || word >= SRAM_END / 4) return 0;
  return Math.min(count, SRAM_END / 4 - word);
}

/** Event of the setting that makes the format 64-bit somewhere in [from, until). */
function wideFormat(formats: readonly Setting[], from: number, until: number): number | undefined {
  return formats.find(
    ({ event, value }, index) =>
      value !== 0 && event < until && (formats[index + 1]?.event ?? Number.POSITIVE_INFINITY) > from,
  )?.event;
}

const REGION0_ELEMENTS = elementOf(REGION1_BASE);

/** A use of SRAM by the exchange: addresses, and the events between which they are touched. */
interface Window {
  readonly from: number;
  readonly until: number;
  readonly address: number;
  readonly bytes: number;
}

/**
 * Element hazards: one tile may not read for sending and write received words in the same element at the
 * same time, and no received word may be written to the element that the row's code is fetched from.
 */
export function elementHazards(
  timelines: ReadonlyMap<number, TileTimeline>,
  deliveries: readonly Delivery[],
): ExchangeFault[] {
  const writes = new Map<number, Window[]>();
  for (const { target, written, toWord, words, wordsPerEvent } of deliveries) {
    const list = writes.get(target) ?? [];
    list.push({
      from: written,
      until: written + words / wordsPerEvent,
      address: toWord * 4,
      bytes: words * 4,
    });
    writes.set(target, list);
  }
  const faults: ExchangeFault[] = [];
  for (const [tile, list] of writes) {
    const timeline = timelines.get(tile);
    if (timeline === undefined) continue;
    const reads = timeline.sends.map(({ start, words, wordAddress, control }) => ({
      from: start,
      until: start + words,
      address: wordAddress * 4,
      bytes: words * ((control & WIDE) === 0 ? 4 : 8),
    }));
    // 64-bit deliveries stand behind the 32-bit ones; the search below goes forward in time.
    list.sort((x, y) => x.from - y.from);
    const clash = list.find((write) => runsFrom(timeline.codeElements, write));
    if (clash !== undefined) {
      faults.push({
        tile,
        error: 'instruction fetch',
        event: clash.from,
        address: clash.address,
        detail: 'received words are written to the element the row runs from',
      });
      continue;
    }
    const conflict = firstConflict(list, reads);
    if (conflict !== undefined) {
      faults.push({
        tile,
        error: 'memory conflict',
        event: Math.max(conflict.write.from, conflict.read.from),
        address: conflict.write.address,
        detail: `a send reads 0x${conflict.read.address.toString(16)} in the same element at that time`,
      });
    }
  }
  return faults;
}

/** First pair of a write and a read that meet in time and element; both lists are in time order. */
function firstConflict(writes: readonly Window[], reads: readonly Window[]) {
  let first = 0;
  for (const write of writes) {
    while (first < reads.length && reads[first].until <= write.from) first++;
    for (let index = first; index < reads.length && reads[index].from < write.until; index++) {
      const read = reads[index];
      if (overlap(elementRange(write.address, write.bytes), elementRange(read.address, read.bytes)))
        return { write, read };
    }
  }
  return undefined;
}

/** True when row code comes from an element that is written. */
function runsFrom(codeElements: number, { address, bytes }: Window): boolean {
  const [first, last] = elementRange(address, bytes);
  for (let element = first; element <= last && element < REGION0_ELEMENTS; element++)
    if ((codeElements & (1 << element)) !== 0) return true;
  return false;
}

const elementRange = (address: number, bytes: number): readonly [number, number] => [
  elementOf(address),
  elementOf(address + Math.max(bytes, 1) - 1),
];

const overlap = (x: readonly [number, number], y: readonly [number, number]) => x[0] <= y[1] && y[0] <= x[1];
