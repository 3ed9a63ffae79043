import { expect, it } from 'vitest';
import {
  isEarlyMember,
  NEUTRAL_SOURCE,
  pairedTimeToMux,
  routeDirection,
  rowOf,
  timeToMux,
} from '../ipu21/index.ts';
import { deliveriesOf } from './exchange.ts';
import { type Control, type TileTimeline, WIDE } from './timeline.ts';

const SENDER = 0;
/** A pair whose lower member is the early one for the sender. */
const RECEIVER = 64;
const ITEMS = 8;

const timeline = (tile: number, rest: Partial<TileTimeline>): TileTimeline => ({
  tile,
  sends: [],
  controls: [],
  rowEnd: 2000,
  codeElements: 0,
  ...rest,
});

/** 32-bit words at event 200, then 64-bit items at event 600; the second pointer may be missing. */
function phase(secondPointer: boolean) {
  expect(isEarlyMember(SENDER, RECEIVER)).toBe(true);
  const direction = routeDirection(SENDER, RECEIVER);
  const row = rowOf(RECEIVER);
  const single = 200 + timeToMux(SENDER, RECEIVER) + 1;
  const paired = 600 + pairedTimeToMux(SENDER, RECEIVER);
  const written = paired + 53 + 2 * row;
  const controls: Control[] = [
    { event: single, kind: 'source', value: SENDER },
    { event: single + 1, kind: 'pointer', value: 0x18000 },
    { event: single + ITEMS, kind: 'source', value: NEUTRAL_SOURCE },
    { event: paired, kind: 'pairedSource', value: SENDER },
    { event: written - 2, kind: 'format', value: direction },
    ...(secondPointer ? ([{ event: written, kind: 'pointer', value: 0x1c000 }] as const) : []),
    { event: paired + ITEMS, kind: 'pairedSource', value: NEUTRAL_SOURCE },
    { event: written - 2 + ITEMS, kind: 'format', value: 0 },
  ];
  const sends = [
    { start: 200, words: ITEMS, wordAddress: 0x20000, control: direction },
    { start: 600, words: ITEMS, wordAddress: 0x20100, control: direction + WIDE },
  ];
  return deliveriesOf(
    new Map([
      [SENDER, timeline(SENDER, { sends })],
      [RECEIVER, timeline(RECEIVER, { controls })],
    ]),
  );
}

it('a receiver changes width with a new pointer', () => {
  const { deliveries, faults } = phase(true);
  expect(faults).toEqual([]);
  expect(deliveries.map(({ toWord, words, wordsPerEvent }) => [toWord, words, wordsPerEvent])).toEqual([
    [0x18000, ITEMS, 1],
    [0x1c000, 2 * ITEMS, 2],
  ]);
});

it('a receiver that keeps the pointer of the other width is refused', () => {
  const { faults } = phase(false);
  expect(faults).toMatchObject([{ tile: RECEIVER, error: 'not modelled' }]);
});
