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

/** A stream a tile put on the fabric: one word per event from `start`. */
export interface Send {
  readonly start: number;
  readonly words: number;
  /** Source address in words. */
  readonly wordAddress: number;
  /** Direction bits, plus 4 for 64-bit items. */
  readonly control: number;
}

export type ControlKind = 'source' | 'pointer' | 'pairedSource' | 'format';

/** A receive control that takes effect at an event of the tile. */
export interface Control {
  readonly event: number;
  readonly kind: ControlKind;
  readonly value: number;
}

/** What one tile did in a phase, in events since the barrier's release. */
export interface TileTimeline {
  readonly tile: number;
  readonly sends: readonly Send[];
  readonly controls: readonly Control[];
  /** Event at which the tile went on with other code. */
  readonly rowEnd: number;
  /** Bit n is set when row code was fetched from element n of region 0. */
  readonly codeElements: number;
}

/** A run of words that crosses the fabric without interruption. */
export interface Delivery {
  readonly source: number;
  readonly target: number;
  /** Sender event of the first word, and event of its write on the receiver. */
  readonly sent: number;
  readonly written: number;
  readonly fromWord: number;
  readonly toWord: number;
  words: number;
}

/** Why the exchange stopped a tile. */
export interface ExchangeFault {
  readonly tile: number;
  readonly error: 'memory access' | 'instruction fetch' | 'bad address' | 'memory conflict' | 'not modelled';
  readonly event: number;
  readonly address: number;
  readonly detail: string;
}

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
    const paired = timeline.controls.find(
      (control) => control.kind === 'pairedSource' || (control.kind === 'format' && control.value !== 0),
    );
    const wide = timeline.sends.find((send) => (send.control & 4) !== 0);
    if (paired !== undefined || wide !== undefined) {
      faults.push({
        tile: timeline.tile,
        error: 'not modelled',
        event: paired?.event ?? wide?.start ?? 0,
        address: 0,
        detail: '64-bit paired exchange is not modelled yet',
      });
      continue;
    }
    receive(timeline, timelines, deliveries, faults);
  }
  return { deliveries, faults };
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
  for (const { source, sent, event, fromWord, words } of arrivals) {
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

/** Sends that may still run at `event`; they are in time order. */
function* firstOverlap(sends: readonly Send[], event: number): Generator<Send> {
  let low = 0;
  let high = sends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sends[middle].start + sends[middle].words <= event) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < sends.length; index++) yield sends[index];
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
  for (const { target, written, toWord, words } of deliveries) {
    const list = writes.get(target) ?? [];
    list.push({ from: written, until: written + words, address: toWord * 4, bytes: words * 4 });
    writes.set(target, list);
  }
  const faults: ExchangeFault[] = [];
  for (const [tile, list] of writes) {
    const timeline = timelines.get(tile);
    if (timeline === undefined) continue;
    const reads = timeline.sends.map(({ start, words, wordAddress }) => ({
      from: start,
      until: start + words,
      address: wordAddress * 4,
      bytes: words * 4,
    }));
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
