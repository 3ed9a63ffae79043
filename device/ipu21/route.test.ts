import { describe, expect, it } from 'vitest';
import { TILE_COUNT } from './chip.ts';
import {
  isEarlyMember,
  pairedSource,
  pairedTimeToMux,
  routeDirection,
  routeDisplacement,
  routeLatency,
  timesFrom,
  timeToMux,
} from './route.ts';
import { logicalTile, physicalTileOf, rowOf } from './topology.ts';

/** Logical and physical sender and receiver, displacement, direction, time to mux, latency. */
const KNOWN: readonly (readonly [number, number, number, number, number, number, number, number])[] = [
  [0, 1, 0, 2, 2, 1, -28, 25],
  [0, 2, 0, 64, 1, 1, -31, 24],
  [0, 3, 0, 66, 2, 1, -30, 25],
  [1, 0, 2, 0, 1, 1, -29, 24],
  [0, 46, 0, 1409, 5, 1, -69, 28],
  [46, 0, 1409, 0, -5, 2, 19, 72],
  [0, 735, 0, 31, 46, 1, -19, 34],
  [0, 736, 0, 32, 47, 1, -4, 49],
  [736, 0, 32, 0, -47, 2, 68, 121],
  [0, 1471, 0, 63, 2, 1, -28, 25],
  [1471, 0, 63, 0, 1, 1, -13, 40],
  [5, 1200, 130, 180, 17, 1, -19, 38],
  [1200, 5, 180, 130, -16, 2, 12, 69],
  [100, 101, 260, 262, 2, 1, -28, 33],
  [700, 701, 1117, 1119, -2, 2, -28, 59],
];

describe('routes', () => {
  it.each(KNOWN)(
    'tile %i to %i (physical %i to %i)',
    (from, to, sender, receiver, disp, direction, ttm, latency) => {
      expect(physicalTileOf(logicalTile(from))).toBe(sender);
      expect(physicalTileOf(logicalTile(to))).toBe(receiver);
      expect(routeDisplacement(sender, receiver)).toBe(disp);
      expect(routeDirection(sender, receiver)).toBe(direction);
      expect(timeToMux(sender, receiver)).toBe(ttm);
      expect(routeLatency(sender, receiver)).toBe(latency);
    },
  );

  it('stay in the ranges known for all ordered pairs', () => {
    const range = () => ({ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, sum: 0 });
    const note = (r: ReturnType<typeof range>, value: number) => {
      r.min = Math.min(r.min, value);
      r.max = Math.max(r.max, value);
      r.sum += value;
    };
    const [disp, ttm, latency, loop] = [range(), range(), range(), range()];
    const times = new Int16Array(TILE_COUNT);
    let toDirection1 = 0;
    let bulkDiffers = 0;
    let pairGapNotOne = 0;
    let latencyDependsOnReceiverRow = 0;
    for (let sender = 0; sender < TILE_COUNT; sender++) {
      timesFrom(sender, times);
      for (let receiver = 0; receiver < TILE_COUNT; receiver++) {
        const time = timeToMux(sender, receiver);
        note(disp, routeDisplacement(sender, receiver));
        note(ttm, time);
        note(latency, routeLatency(sender, receiver));
        if (routeDirection(sender, receiver) === 1) toDirection1++;
        if (times[receiver] !== time) bulkDiffers++;
        if (Math.abs(time - timeToMux(sender, receiver ^ 2)) !== 1) pairGapNotOne++;
        if (routeLatency(sender, receiver) !== routeLatency(sender, receiver & 63))
          latencyDependsOnReceiverRow++;
      }
      note(loop, routeLatency(sender, sender));
    }
    const pairs = TILE_COUNT ** 2;
    expect([disp.min, disp.max]).toEqual([-47, 47]);
    expect([ttm.min, ttm.max, ttm.sum / pairs]).toEqual([-78, 112, -9.875]);
    expect([latency.min, latency.max]).toEqual([19, 165]);
    expect(latency.sum / pairs).toBeCloseTo(65.1, 1);
    expect([loop.min, loop.max]).toEqual([24, 69]);
    expect(toDirection1).toBe(pairs / 2);
    expect([bulkDiffers, pairGapNotOne, latencyDependsOnReceiverRow]).toEqual([0, 0, 0]);
    expect([timeToMux(1, 1412), timeToMux(1440, 0)]).toEqual([-78, 112]);
  });

  it('let one member of a receiver pair select a paired source, one event early', () => {
    for (const [, , sender, receiver] of KNOWN) {
      const partner = receiver ^ 2;
      expect(isEarlyMember(sender, receiver)).toBe(!isEarlyMember(sender, partner));
      const early = isEarlyMember(sender, receiver) ? receiver : partner;
      expect(pairedTimeToMux(sender, receiver)).toBe(timeToMux(sender, early) + 1);
      expect(pairedTimeToMux(sender, receiver)).toBe(pairedTimeToMux(sender, partner));
      expect(pairedSource(sender, receiver)).toBe(sender ^ (receiver & 2));
      expect(rowOf(receiver)).toBe(rowOf(partner));
    }
  });
});
