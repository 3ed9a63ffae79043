import {
  NEUTRAL_SOURCE,
  pointerLatency,
  routeDirection,
  rowOf,
  timeToMux,
} from '../../device/ipu21/index.ts';
import { VerifierError } from '../errors.ts';
import type { RowInstruction } from './row.ts';
import type { PhysicalTransfer } from './transfer.ts';

/** A run of words that arrives on a tile without interruption. */
interface Run {
  readonly source: number;
  readonly from: number;
  readonly to: number;
  words: number;
}

interface Stream {
  readonly start: number;
  readonly words: number;
  readonly wordAddress: number;
  readonly direction: number;
}

interface Replay {
  readonly streams: readonly Stream[];
  readonly sources: readonly { event: number; value: number }[];
  readonly pointers: readonly { event: number; value: number }[];
}

/**
 * Replays the encoded rows of a phase, instruction by instruction, and checks that every word lands where
 * the transfers want it and nothing else lands anywhere. Shares no bookkeeping with the scheduler.
 */
export function verifyPhase(
  rows: ReadonlyMap<number, readonly RowInstruction[]>,
  transfers: readonly PhysicalTransfer[],
): void {
  const replays = new Map<number, Replay>();
  for (const [tile, row] of rows) replays.set(tile, replay(row, tile));
  const wanted = new Map<number, Run[]>();
  for (const { source, words, receivers } of transfers) {
    for (const { tile, wordAddress } of receivers) {
      const list = wanted.get(tile) ?? [];
      list.push({ source: source.tile, from: source.wordAddress, to: wordAddress, words });
      wanted.set(tile, list);
    }
  }
  for (const [tile, replayed] of replays) {
    const received = merge(deliveries(tile, replayed, replays));
    const expected = merge(wanted.get(tile) ?? []);
    wanted.delete(tile);
    for (let index = 0; index < Math.max(received.length, expected.length); index++) {
      const got = received[index];
      const want = expected[index];
      if (got === undefined || want === undefined || !sameRun(got, want)) {
        throw new VerifierError(
          'exchange',
          'rows do not deliver what the transfers ask for',
          { wanted: describe(want), delivered: describe(got) },
          tile,
        );
      }
    }
  }
  for (const tile of wanted.keys())
    throw new VerifierError('exchange', 'receiving tile has no row', { tile }, tile);
}

const sameRun = (x: Run, y: Run) =>
  x.source === y.source && x.from === y.from && x.to === y.to && x.words === y.words;

const describe = (run: Run | undefined) =>
  run === undefined
    ? 'nothing'
    : `${run.words} words from tile ${run.source} word 0x${run.from.toString(16)} to word 0x${run.to.toString(16)}`;

/** Runs in destination order, neighbours of one source joined. */
function merge(runs: readonly Run[]): Run[] {
  const sorted = [...runs].sort((x, y) => x.to - y.to || x.source - y.source);
  const merged: Run[] = [];
  for (const run of sorted) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      last.source === run.source &&
      last.from + last.words === run.from &&
      last.to + last.words === run.to
    )
      last.words += run.words;
    else merged.push({ ...run });
  }
  return merged;
}

function replay(row: readonly RowInstruction[], tile: number): Replay {
  const streams: Stream[] = [];
  const sources: { event: number; value: number }[] = [{ event: 0, value: NEUTRAL_SOURCE }];
  const pointers: { event: number; value: number }[] = [];
  let now = 0;
  const control = (kind: 'source' | 'pointer', event: number, value: number) =>
    (kind === 'source' ? sources : pointers).push({ event, value });
  const extend = (words: number) => {
    const last = streams.pop();
    if (last === undefined || last.start + last.words !== now)
      throw new VerifierError('exchange', 'continuation without a running send', { event: now }, tile);
    streams.push({ ...last, words: last.words + words });
  };
  for (const instruction of row) {
    const { events } = instruction;
    if (events < 1) throw new VerifierError('exchange', 'instruction of no events', { event: now }, tile);
    switch (instruction.kind) {
      case 'delay':
        break;
      case 'delayControl':
        control(instruction.control.kind, now + events, instruction.control.value);
        break;
      case 'send':
        streams.push({
          start: now,
          words: events,
          wordAddress: instruction.wordAddress,
          direction: instruction.direction,
        });
        break;
      case 'sendContinue':
        extend(events);
        break;
      case 'sendControl':
        extend(events);
        control(instruction.control.kind, now + 1, instruction.control.value);
        break;
    }
    now += events;
  }
  return { streams, sources, pointers };
}

function deliveries(
  tile: number,
  { sources, pointers }: Replay,
  replays: ReadonlyMap<number, Replay>,
): Run[] {
  const runs: Run[] = [];
  const arrivals: { event: number; source: number; from: number; words: number }[] = [];
  sources.forEach(({ event, value }, index) => {
    if (value === NEUTRAL_SOURCE) return;
    const until = sources[index + 1]?.event ?? Number.POSITIVE_INFINITY;
    const lag = timeToMux(value, tile) + 1;
    const direction = routeDirection(value, tile);
    for (const stream of replays.get(value)?.streams ?? []) {
      if ((stream.direction & direction) === 0) continue;
      const first = Math.max(stream.start + lag, event);
      const last = Math.min(stream.start + stream.words + lag, until);
      if (last > first)
        arrivals.push({
          event: first + pointerLatency(rowOf(tile)),
          source: value,
          from: stream.wordAddress + (first - lag - stream.start),
          words: last - first,
        });
    }
  });
  arrivals.sort((x, y) => x.event - y.event);
  let pointer = -1;
  let next = 0;
  for (const { event, source, from, words } of arrivals) {
    let sent = 0;
    while (sent < words) {
      while (next < pointers.length && pointers[next].event <= event + sent) pointer = pointers[next++].value;
      if (pointer < 0)
        throw new VerifierError('exchange', 'word arrives before any pointer', { event }, tile);
      const span = Math.min(words - sent, (pointers[next]?.event ?? Number.POSITIVE_INFINITY) - event - sent);
      runs.push({ source, from: from + sent, to: pointer, words: span });
      pointer += span;
      sent += span;
    }
  }
  return runs;
}
