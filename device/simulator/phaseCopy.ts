import type { LateWords } from './lateWords.ts';
import type { ChipMemory } from './tileMemory.ts';
import type { Delivery } from './timeline.ts';

/** Words of one tile: [first, end). */
type Range = readonly [number, number];

/**
 * Moves the words of a phase: `timely` ones to their place, `late` ones into their buffers. Words that no tile
 * sends on in the same phase are copied in bulk; where a tile sends what it receives, or receives over what it
 * sends, reads and writes happen event by event.
 */
export function copyPhase(memory: ChipMemory, timely: readonly Delivery[], late: readonly LateWords[]): void {
  const entangled = findEntangled([...timely, ...late]);
  // Reads first: nothing outside the entangled ones writes where they read.
  const sweep: Flight[] = [];
  for (const words of late) {
    if (entangled.has(words)) sweep.push({ ...words, kept: true });
    else
      new Uint8Array(words.data.buffer).set(memory.sram(words.source, words.fromWord * 4, words.words * 4));
  }
  // One tile writes one item per event, so runs in the order in which they begin leave the last write in place.
  for (const delivery of [...timely].sort((x, y) => x.written - y.written)) {
    const { source, target, fromWord, toWord, words } = delivery;
    if (entangled.has(delivery)) sweep.push({ ...delivery, data: new Uint32Array(words), kept: false });
    else memory.sram(target, toWord * 4, words * 4).set(memory.sram(source, fromWord * 4, words * 4));
  }
  if (sweep.length > 0) copyByEvents(memory, sweep);
}

/** Deliveries whose words depend on the order of events, with all others that write to the same places. */
function findEntangled(deliveries: readonly Delivery[]): ReadonlySet<Delivery> {
  const sent = new RangeIndex();
  const received = new RangeIndex();
  for (const { source, target, fromWord, toWord, words } of deliveries) {
    sent.add(source, fromWord, words);
    received.add(target, toWord, words);
  }
  const isForwarded = ({ source, target, fromWord, toWord, words }: Delivery) =>
    received.meets(source, fromWord, words) || sent.meets(target, toWord, words);
  const forwarded = deliveries.filter(isForwarded);
  // A place that is written twice belongs to the later write; only the sweep knows which that is.
  return new Set(received.overlaps() && forwarded.length > 0 ? deliveries : forwarded);
}

/** Which words of which tile a set of runs covers. */
class RangeIndex {
  readonly #runs = new Map<number, Range[]>();
  readonly #sorted = new Map<number, { starts: number[]; furthest: number[] }>();

  add(tile: number, first: number, words: number): void {
    const list = this.#runs.get(tile);
    const last = list?.at(-1);
    if (list === undefined) this.#runs.set(tile, [[first, first + words]]);
    else if (last !== undefined && last[1] === first) list[list.length - 1] = [last[0], first + words];
    else list.push([first, first + words]);
  }

  /** True when [first, first + words) of a tile shares a word with a run. */
  meets(tile: number, first: number, words: number): boolean {
    const { starts, furthest } = this.#index(tile);
    const before = countBelow(starts, first + words);
    return before > 0 && furthest[before - 1] > first;
  }

  /** True when two runs of a tile share a word. */
  overlaps(): boolean {
    for (const tile of this.#runs.keys()) {
      const { starts, furthest } = this.#index(tile);
      for (let index = 1; index < starts.length; index++)
        if (starts[index] < furthest[index - 1]) return true;
    }
    return false;
  }

  /** Starts in ascending order, and the furthest end among the runs up to each. */
  #index(tile: number) {
    let index = this.#sorted.get(tile);
    if (index === undefined) {
      const runs = [...(this.#runs.get(tile) ?? [])].sort(([x], [y]) => x - y);
      const furthest: number[] = [];
      for (const [, end] of runs) furthest.push(Math.max(end, furthest.at(-1) ?? 0));
      index = { starts: runs.map(([start]) => start), furthest };
      this.#sorted.set(tile, index);
    }
    return index;
  }
}

/** How many of ascending numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Words between their read and their write. */
interface Flight extends Delivery {
  readonly data: Uint32Array;
  /** The buffer is what is wanted; nothing is written. */
  readonly kept: boolean;
}

/** Goes through the events in order: all reads of an event, then all its writes. */
function copyByEvents(memory: ChipMemory, flights: readonly Flight[]): void {
  const words = memory.words;
  const place = (tile: number, word: number) => memory.sram(tile, word * 4, 4).byteOffset / 4;
  const reads = new Agenda(flights.map((flight) => ({ flight, from: flight.sent })));
  // `written` of words that stay in flight is not an event of the phase; they are read only.
  const writes = new Agenda(
    flights.filter(({ kept }) => !kept).map((flight) => ({ flight, from: flight.written })),
  );
  for (;;) {
    const event = Math.min(reads.next(), writes.next());
    if (event === Number.POSITIVE_INFINITY) return;
    reads.at(event, ({ source, fromWord, data }, word) => {
      data[word] = words[place(source, fromWord + word)];
    });
    writes.at(event, ({ target, toWord, data }, word) => {
      words[place(target, toWord + word)] = data[word];
    });
  }
}

/** Runs in the order in which they begin, and those that are under way. */
class Agenda {
  readonly #waiting: readonly { readonly flight: Flight; readonly from: number }[];
  #started = 0;
  #active: { readonly flight: Flight; readonly from: number }[] = [];
  #now = Number.NEGATIVE_INFINITY;

  constructor(runs: readonly { readonly flight: Flight; readonly from: number }[]) {
    this.#waiting = [...runs].sort((x, y) => x.from - y.from);
  }

  /** Next event at which something happens. */
  next(): number {
    if (this.#active.length > 0) return this.#now + 1;
    return this.#waiting[this.#started]?.from ?? Number.POSITIVE_INFINITY;
  }

  /** Calls back for every word of an event. Events come in ascending order. */
  at(event: number, move: (flight: Flight, word: number) => void): void {
    this.#now = event;
    while (this.#started < this.#waiting.length && this.#waiting[this.#started].from <= event)
      this.#active.push(this.#waiting[this.#started++]);
    if (this.#active.length === 0) return;
    let ended = false;
    for (const { flight, from } of this.#active) {
      const first = (event - from) * flight.wordsPerEvent;
      for (let word = first; word < first + flight.wordsPerEvent; word++) move(flight, word);
      ended ||= first + flight.wordsPerEvent >= flight.words;
    }
    if (ended)
      this.#active = this.#active.filter(
        ({ flight, from }) => (event - from + 1) * flight.wordsPerEvent < flight.words,
      );
  }
}
