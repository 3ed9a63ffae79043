import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { physicalTileOf, routeLatency, timeToMux } from '../../device/ipu21/index.ts';
import { encodeRow } from './row.ts';
import { schedulePhase } from './schedule.ts';
import type { PhysicalTransfer } from './transfer.ts';
import { verifyPhase } from './verify.ts';

const tile = (logical: number) => physicalTileOf(logical as never);
const rowsOf = (transfers: readonly PhysicalTransfer[]) => {
  const schedule = schedulePhase(transfers);
  return {
    schedule,
    rows: new Map([...schedule.tiles].map(([id, tileSchedule]) => [id as number, encodeRow(tileSchedule)])),
  };
};

describe('schedulePhase', () => {
  it('starts a lone message as early as the receiver can select its sender', () => {
    const [from, to] = [tile(5), tile(1200)];
    const transfers = [
      {
        source: { tile: from, wordAddress: 0x18000 },
        words: 10,
        receivers: [{ tile: to, wordAddress: 0x20000 }],
      },
    ];
    const { schedule, rows } = rowsOf(transfers);
    verifyPhase(rows, transfers);
    const start = Math.max(0, -timeToMux(from, to));
    expect(schedule.tiles.get(from)?.sends).toEqual([
      { start, words: 10, wordAddress: 0x18000, direction: 1 },
    ]);
    expect(schedule.tiles.get(to)?.horizon).toBe(start + routeLatency(from, to) + 10 + 5);
  });

  it('tells the last event and the busiest endpoint, a sender as well as a receiver', () => {
    const from = tile(5);
    const transfers = [1200, 1201, 1300].map((receiver, index) => ({
      source: { tile: from, wordAddress: 0x18000 + 100 * index },
      words: 10 * (index + 1),
      receivers: [{ tile: tile(receiver), wordAddress: 0x20000 }],
    }));
    const { schedule } = rowsOf(transfers);
    expect(schedule.endpointBound).toBe(60);
    expect(schedule.horizon).toBe(Math.max(...[...schedule.tiles.values()].map(({ horizon }) => horizon)));
  });

  it('is refused by the verifier when a word comes from another tile', () => {
    const transfers = [0, 1].map((sender) => ({
      source: { tile: tile(sender), wordAddress: 0x18000 },
      words: 20,
      receivers: [{ tile: tile(40 + sender), wordAddress: 0x20000 }],
    }));
    const { rows } = rowsOf(transfers);
    const swapped = transfers.map((transfer, index) => ({
      ...transfer,
      source: { ...transfer.source, tile: tile(1 - index) },
    }));
    expect(() => verifyPhase(rows, transfers)).not.toThrow();
    expect(() => verifyPhase(rows, swapped)).toThrow(/exchange|transfer|word/i);
  });

  it('keeps a chain of equal messages gapless on its receiver', () => {
    const receiver = tile(4);
    const transfers = [0, 1, 2, 3].map((sender) => ({
      source: { tile: tile(sender), wordAddress: 0x18000 },
      words: 100,
      receivers: [{ tile: receiver, wordAddress: 0x20000 + sender * 100 }],
    }));
    const { schedule, rows } = rowsOf(transfers);
    verifyPhase(rows, transfers);
    expect(schedule.endpointBound).toBe(400);
    const controls = schedule.tiles.get(receiver)!.controls;
    expect(controls.filter((control) => control.kind === 'source')).toHaveLength(5);
    expect(controls.filter((control) => control.kind === 'pointer')).toHaveLength(1);
  });

  it('delivers random phases exactly: unicast, multicast and loop-back on shared tiles', () => {
    const message = fc.record({
      source: fc.integer({ min: 0, max: 11 }),
      words: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 50, max: 140 })),
      receivers: fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 6 }),
      gap: fc.integer({ min: 0, max: 2 }),
    });
    const spread = fc.constantFrom(1, 46, 113);
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 40 }), spread, (messages, stride) => {
        const sendAddress = new Map<number, number>();
        const receiveAddress = new Map<number, number>();
        const take = (map: Map<number, number>, id: number, base: number, words: number) => {
          const address = map.get(id) ?? base;
          map.set(id, address + words);
          return address;
        };
        const transfers: PhysicalTransfer[] = messages.map(({ source, words, receivers, gap }) => ({
          source: {
            tile: tile(source * stride),
            wordAddress: take(sendAddress, source, 0x18000, words),
          },
          words,
          receivers: receivers.map((receiver) => ({
            tile: tile(receiver * stride),
            wordAddress: take(receiveAddress, receiver, 0x22000, words + gap) + gap,
          })),
        }));
        const { schedule, rows } = rowsOf(transfers);
        verifyPhase(rows, transfers);
        for (const tileSchedule of schedule.tiles.values()) {
          const events = tileSchedule.controls.map((control) => control.event);
          expect(new Set(events).size).toBe(events.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('rejects rows that are one event off', () => {
    const transfers = [
      {
        source: { tile: tile(0), wordAddress: 0x18000 },
        words: 10,
        receivers: [{ tile: tile(3), wordAddress: 0x20000 }],
      },
    ];
    const { rows } = rowsOf(transfers);
    const sender = rows.get(tile(0))!;
    const late = [{ kind: 'delay' as const, events: 1 }, ...sender];
    expect(() => verifyPhase(new Map([...rows, [tile(0) as number, late]]), transfers)).toThrow(
      /do not deliver/,
    );
  });
});
