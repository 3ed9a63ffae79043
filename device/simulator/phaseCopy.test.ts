import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LateWords } from './lateWords.ts';
import { copyPhase } from './phaseCopy.ts';
import { ChipMemory } from './tileMemory.ts';
import type { Delivery } from './timeline.ts';

const TILES = [4, 9];
const FIRST = 0x60000 / 4;
const WORDS = 64;

const delivery = fc
  .record({
    source: fc.constantFrom(...TILES),
    target: fc.constantFrom(...TILES),
    sent: fc.nat(60),
    latency: fc.integer({ min: 1, max: 30 }),
    from: fc.nat(WORDS - 12),
    to: fc.nat(WORDS - 12),
    items: fc.integer({ min: 1, max: 6 }),
    wordsPerEvent: fc.constantFrom(1, 2),
    late: fc.boolean(),
  })
  .map(({ latency, from, to, items, late, ...rest }) => ({
    delivery: {
      ...rest,
      written: rest.sent + latency,
      fromWord: FIRST + from,
      toWord: FIRST + to,
      words: items * rest.wordsPerEvent,
    } satisfies Delivery,
    late,
  }));

/** A tile writes one word, or one pair, per event: deliveries whose write events meet on a tile are left out. */
function legal(all: readonly { delivery: Delivery; late: boolean }[]) {
  const busy = new Set<string>();
  return all.filter(({ delivery: { target, written, words, wordsPerEvent } }) => {
    const events = Array.from(
      { length: words / wordsPerEvent },
      (_, index) => `${target} ${written + index}`,
    );
    if (events.some((event) => busy.has(event))) return false;
    for (const event of events) busy.add(event);
    return true;
  });
}

/** The definition, word by word: reads of an event before its writes. */
function byDefinition(
  memory: Map<number, Uint32Array>,
  all: readonly { delivery: Delivery; late: boolean }[],
) {
  const buffers = all.map(({ delivery: { words } }) => new Uint32Array(words));
  for (let event = 0; event < 200; event++) {
    for (const writes of [false, true]) {
      all.forEach(({ delivery, late }, index) => {
        const begin = writes ? delivery.written : delivery.sent;
        for (let word = 0; word < delivery.words; word++) {
          if (begin + Math.floor(word / delivery.wordsPerEvent) !== event) continue;
          if (!writes) buffers[index][word] = memory.get(delivery.source)![delivery.fromWord - FIRST + word];
          else if (!late) memory.get(delivery.target)![delivery.toWord - FIRST + word] = buffers[index][word];
        }
      });
    }
  }
  return buffers.filter((_, index) => all[index].late);
}

it('every word is read and written as of its event', () => {
  const memory = new ChipMemory(TILES);
  fc.assert(
    fc.property(fc.array(delivery, { maxLength: 12 }).map(legal), (all) => {
      const model = new Map<number, Uint32Array>();
      for (const tile of TILES) {
        const start = Uint32Array.from({ length: WORDS }, (_, index) => (tile << 16) + index);
        memory.sram(tile, FIRST * 4, WORDS * 4).set(new Uint8Array(start.buffer));
        model.set(tile, start.slice());
      }
      const timely = all.filter(({ late }) => !late).map((entry) => entry.delivery);
      const late: LateWords[] = all
        .filter((entry) => entry.late)
        .map((entry) => ({ ...entry.delivery, data: new Uint32Array(entry.delivery.words) }));
      copyPhase(memory, timely, late);
      const buffers = byDefinition(model, all);
      expect(late.map(({ data }) => [...data])).toEqual(buffers.map((buffer) => [...buffer]));
      for (const tile of TILES) {
        const bytes = memory.sram(tile, FIRST * 4, WORDS * 4).slice();
        expect([...new Uint32Array(bytes.buffer)]).toEqual([...model.get(tile)!]);
      }
    }),
    { numRuns: 3000, seed: 1 },
  );
  memory.host.release();
});
