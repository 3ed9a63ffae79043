import {
  isEarlyMember,
  NEUTRAL_SOURCE,
  type PhysicalTile,
  pairedTimeToMux,
  partnerOf,
  routeDirection,
  rowOf,
  SRAM_BASE,
  SRAM_END,
} from '../ipu21/index.ts';
import {
  type Delivery,
  type ExchangeFault,
  firstOverlap,
  type Setting,
  settings,
  type TileTimeline,
  WIDE,
} from './timeline.ts';

/** Events from the event in which an item passes the mux to its write, beyond 2 x row of the receiver [SDK]. */
const MUX_TO_WRITE = 53;
/** An item is taken in its format this long before it is written [SDK]. */
const FORMAT_LEAD = 2;
const WORDS_PER_ITEM = 2;

/** Items that pass the mux of a receiver pair without interruption. */
interface Stream {
  readonly source: number;
  /** Sender event and receiver event (at the mux) of the first item. */
  readonly sent: number;
  readonly muxed: number;
  readonly fromWord: number;
  readonly items: number;
}

/**
 * 64-bit reception. The early member of a receiver pair selects the source for both; each member stores what
 * arrives while its format says 64-bit from the direction of the route. Everything no source describes, such
 * as a 32-bit stream at a 64-bit receiver, is refused and never guessed.
 */
export function receivePaired(
  timelines: ReadonlyMap<number, TileTimeline>,
  deliveries: Delivery[],
  faults: ExchangeFault[],
): void {
  for (const timeline of timelines.values()) {
    refuseBusyPartner(timeline, timelines, faults);
    refuseCoincidence(timeline, faults);
    // Once for each pair, at the member with the lower number that takes part.
    const partner = timelines.get(partnerOf(timeline.tile as PhysicalTile));
    if (partner !== undefined && partner.tile < timeline.tile) continue;
    const members = partner === undefined ? [timeline] : [timeline, partner];
    const streams = streamsOf(members, timelines, faults);
    for (const member of members) store(member, streams, deliveries, faults);
  }
}

/** What the pair's mux lets through. Both members run on the same event clock. */
function streamsOf(
  members: readonly TileTimeline[],
  timelines: ReadonlyMap<number, TileTimeline>,
  faults: ExchangeFault[],
): Stream[] {
  const selections = members
    .flatMap(({ tile, controls }) =>
      controls
        .filter(({ kind }) => kind === 'pairedSource')
        .map(({ event, value }) => ({ tile, event, value })),
    )
    .sort((x, y) => x.event - y.event);
  const streams: Stream[] = [];
  selections.forEach(({ tile, event, value }, index) => {
    if (value === NEUTRAL_SOURCE) return;
    const source = value ^ (tile & 2);
    const sender = timelines.get(source);
    if (sender === undefined) return;
    const refuse = (detail: string) =>
      faults.push({ tile, error: 'not modelled', event, address: 0, detail });
    if (!isEarlyMember(source, tile)) {
      refuse(`a paired source is selected by the early member of the pair, physical tile ${tile ^ 2}`);
      return;
    }
    if ((source & ~2) === (tile & ~2)) {
      refuse('a paired stream back to its own pair is not described');
      return;
    }
    const until = selections[index + 1]?.event ?? Number.POSITIVE_INFINITY;
    const toMux = pairedTimeToMux(source, tile);
    const direction = routeDirection(source, tile);
    for (const send of firstOverlap(sender.sends, event - toMux)) {
      if (send.start + toMux >= until) break;
      if ((send.control & direction) === 0) continue;
      if ((send.control & WIDE) === 0) {
        refuse('the selected source sends 32-bit words');
        return;
      }
      const first = Math.max(send.start + toMux, event);
      const last = Math.min(send.start + send.words + toMux, until);
      if (last <= first) continue;
      const sent = first - toMux;
      streams.push({
        source,
        sent,
        muxed: first,
        fromWord: send.wordAddress + WORDS_PER_ITEM * (sent - send.start),
        items: last - first,
      });
    }
  });
  return streams;
}

/** Writes of one member. */
function store(
  { tile, controls }: TileTimeline,
  streams: readonly Stream[],
  deliveries: Delivery[],
  faults: ExchangeFault[],
): void {
  const formats = settings(controls, 'format');
  const pointers = settings(controls, 'pointer');
  let pointer: number | undefined;
  let next = 0;
  for (const { source, sent, muxed, fromWord, items } of streams) {
    const written = muxed + MUX_TO_WRITE + 2 * rowOf(tile);
    const format = valueAt(formats, written - FORMAT_LEAD);
    const change = formats.find(
      ({ event, value }) =>
        event > written - FORMAT_LEAD && event < written - FORMAT_LEAD + items && value !== format,
    );
    if (change !== undefined) {
      faults.push({
        tile,
        error: 'format change',
        event: change.event,
        address: 0,
        detail: `the format becomes ${change.value} while 64-bit items from physical tile ${source} arrive`,
      });
      return;
    }
    if (format !== routeDirection(source, tile)) continue;
    let done = 0;
    while (done < items) {
      while (next < pointers.length && pointers[next].event <= written + done)
        pointer = pointers[next++].value;
      const limit = (pointers[next]?.event ?? Number.POSITIVE_INFINITY) - written - done;
      const span = Math.min(items - done, limit);
      const from = fromWord + WORDS_PER_ITEM * done;
      if (pointer === undefined || !fits(pointer, span) || !fits(from, span)) {
        faults.push({
          tile,
          error: 'bad address',
          event: written + done,
          address: (pointer ?? 0) * 4,
          detail:
            pointer === undefined
              ? 'an item arrived before any pointer was set'
              : `64-bit items from 0x${(from * 4).toString(16)} need 8-byte aligned tile memory on both sides`,
        });
        return;
      }
      deliveries.push({
        source,
        target: tile,
        sent: sent + done,
        written: written + done,
        fromWord: from,
        toWord: pointer,
        words: WORDS_PER_ITEM * span,
        wordsPerEvent: WORDS_PER_ITEM,
      });
      pointer += WORDS_PER_ITEM * span;
      done += span;
    }
  }
}

const fits = (word: number, items: number): boolean =>
  word % WORDS_PER_ITEM === 0 && word * 4 >= SRAM_BASE && (word + WORDS_PER_ITEM * items) * 4 <= SRAM_END;

/** Value in force at an event; 0 before the first. */
function valueAt(list: readonly Setting[], event: number): number {
  let value = 0;
  for (const setting of list) {
    if (setting.event > event) break;
    value = setting.value;
  }
  return value;
}

/** A 64-bit sender drives the lane of its partner too. */
function refuseBusyPartner(
  { tile, sends }: TileTimeline,
  timelines: ReadonlyMap<number, TileTimeline>,
  faults: ExchangeFault[],
): void {
  const partner = timelines.get(partnerOf(tile as PhysicalTile));
  if (partner === undefined || partner.sends.length === 0) return;
  for (const send of sends) {
    if ((send.control & WIDE) === 0) continue;
    for (const other of firstOverlap(partner.sends, send.start)) {
      if (other.start >= send.start + send.words) break;
      faults.push({
        tile: partner.tile,
        error: 'not modelled',
        event: Math.max(other.start, send.start),
        address: other.wordAddress * 4,
        detail: `a send while the partner, physical tile ${tile}, uses both lanes for 64-bit items`,
      });
      return;
    }
  }
}

/** A format change and a source change in one event are a fault of the chip [SDK]. */
function refuseCoincidence({ tile, controls }: TileTimeline, faults: ExchangeFault[]): void {
  const formats = new Set(
    controls.filter(({ kind, event }) => kind === 'format' && event > 0).map(({ event }) => event),
  );
  if (formats.size === 0) return;
  const clash = controls.find(
    ({ kind, event }) => (kind === 'source' || kind === 'pairedSource') && formats.has(event),
  );
  if (clash === undefined) return;
  faults.push({
    tile,
    error: 'format change',
    event: clash.event,
    address: 0,
    detail: 'format and source change in the same event',
  });
}
