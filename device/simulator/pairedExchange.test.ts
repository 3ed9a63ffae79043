import { describe, expect, it } from 'vitest';
import {
  isEarlyMember,
  logicalTile,
  NEUTRAL_SOURCE,
  type PhysicalTile,
  pairedSource,
  pairedTimeToMux,
  physicalTileOf,
  routeDirection,
  rowOf,
  timeToMux,
} from '../ipu21/index.ts';
import type { HandProgram } from './handProgram.ts';
import { messageOf, phaseTile, SOURCE, waitUntil } from './testing/rows.ts';
import { readWords, runTiles } from './testing/run.ts';

const POISON = 0x7ef17ef1;
const TARGET = 0x60000;
const ITEMS = 64;
const WIDE = 4;

interface Timed {
  readonly event: number;
  readonly control: 'paired' | 'format' | 'pointer' | 'source';
  readonly value: number;
}

/** Row of receive controls; the events must differ. */
function controlRow(controls: readonly Timed[], horizon: number) {
  return (program: HandProgram): void => {
    let now = 0;
    for (const { event, control, value } of [...controls].sort((x, y) => x.event - y.event)) {
      const pic = control === 'format' || control === 'pointer';
      const longest = pic ? 128 : 4096;
      if (event - now > longest) {
        waitUntil(program, now, event - longest);
        now = event - longest;
      }
      if (pic) program.op('delaypic', event - now - 1, control === 'format' ? 1 : 0, value);
      else program.op('delayxpic', event - now - 1, control === 'paired' ? 1 : 0, value);
      now = event;
    }
    waitUntil(program, now, horizon);
  };
}

interface Change {
  readonly sourceShift?: number;
  readonly formatShift?: number;
  readonly formatEndShift?: number;
  readonly format?: number;
  readonly sendControl?: number;
  readonly pointer?: number;
}

/** Controls of one member of a receiver pair, as published: format start + 2 = pointer, both behind the source. */
function memberControls(sender: number, member: number, sourceEvent: number, change: Change): Timed[] {
  const format = sourceEvent + 51 + 2 * rowOf(member) + (change.formatShift ?? 0);
  const controls: Timed[] = [
    { event: format, control: 'format', value: change.format ?? routeDirection(sender, member) },
    { event: format + 2, control: 'pointer', value: change.pointer ?? TARGET / 4 },
    { event: format + ITEMS + (change.formatEndShift ?? 0), control: 'format', value: 0 },
  ];
  if (isEarlyMember(sender, member)) {
    const at = sourceEvent + (change.sourceShift ?? 0);
    controls.push(
      { event: at, control: 'paired', value: pairedSource(sender, member) },
      { event: at + ITEMS, control: 'paired', value: NEUTRAL_SOURCE },
    );
  }
  return controls;
}

/** One sender, the given receiver pairs, all timing by the published formulas. */
async function transfer(sender: number, pairs: readonly number[], change: Change = {}) {
  const members = pairs.flatMap((tile) => [tile, tile ^ 2]);
  const start = Math.max(0, -Math.min(...members.map((tile) => timeToMux(sender, tile))));
  const shift = Math.max(0, 1 - Math.min(...pairs.map((tile) => pairedTimeToMux(sender, tile))));
  const control = change.sendControl ?? (pairs.length > 1 ? 7 : routeDirection(sender, pairs[0]) + WIDE);
  const receivers = members.map((tile) => {
    const source = pairedTimeToMux(sender, tile) + shift;
    const controls = memberControls(sender, tile, source, change);
    const horizon = Math.max(...controls.map(({ event }) => event)) + 7;
    return phaseTile(tile, controlRow(controls, horizon));
  });
  const device = await runTiles([
    phaseTile(sender, (program) => {
      waitUntil(program, 0, start);
      program.op('send', ITEMS - 1, SOURCE / 8, control).op('delay', 5);
      program.data(SOURCE, messageOf(sender, 2 * ITEMS));
    }),
    ...receivers,
  ]);
  return members.map((tile) => readWords(device, tile, TARGET - 4, 2 * ITEMS + 2));
}

const whole = (sender: number) => [POISON, ...messageOf(sender, 2 * ITEMS), POISON];
const nothing = Array.from({ length: 2 * ITEMS + 2 }, () => POISON);
const physical = (logical: number): PhysicalTile => physicalTileOf(logicalTile(logical));

describe('both members of a pair store every 64-bit item', () => {
  const ROUTES = [
    [0, 2],
    [0, 46],
    [46, 0],
    [0, 735 ^ 1],
    [1200, 4],
    [700, 900],
    [0, 1470],
  ] as const;
  it.each(ROUTES)('logical %i to the pair of logical %i', async (sender, receiver) => {
    const S = physical(sender);
    expect(await transfer(S, [physical(receiver)])).toEqual([whole(S), whole(S)]);
  });

  it('several pairs at once', async () => {
    const S = physical(10);
    const pairs = [physical(2), physical(600), physical(1300)];
    // Sources of pairs whose time to mux is positive all come from the same formula.
    expect(await transfer(S, pairs)).toEqual(pairs.flatMap(() => [whole(S), whole(S)]));
  });
});

it('a selection that is late by an event loses the first item', async () => {
  const S = physical(0);
  const [first, second] = await transfer(S, [physical(2)], { sourceShift: 1 });
  const words = [...messageOf(S, 2 * ITEMS)];
  // The pointer stands one event before the first item that passes, which goes to the first place.
  const expected = [POISON, ...words.slice(2), POISON, POISON, POISON];
  expect([first, second]).toEqual([expected, expected]);
});

it('a format of the wrong direction, or none, stores nothing', async () => {
  const S = physical(0);
  const right = routeDirection(S, physical(2));
  expect(await transfer(S, [physical(2)], { format: 3 - right })).toEqual([nothing, nothing]);
  expect(await transfer(S, [physical(2)], { format: 0 })).toEqual([nothing, nothing]);
});

it('a send in the wrong direction passes nobody', async () => {
  const S = physical(0);
  const wrong = 3 - routeDirection(S, physical(2)) + WIDE;
  expect(await transfer(S, [physical(2)], { sendControl: wrong })).toEqual([nothing, nothing]);
});

it('a format that changes while items arrive is the receive error MODI', async () => {
  const S = physical(0);
  const modi = { facts: { exception: 'EXERR', receiveError: 7 } };
  await expect(transfer(S, [physical(2)], { formatEndShift: -1 })).rejects.toMatchObject(modi);
  await expect(transfer(S, [physical(2)], { formatShift: 1, formatEndShift: 0 })).rejects.toMatchObject(modi);
  await expect(transfer(S, [physical(2)], { formatEndShift: 1 })).resolves.toHaveLength(2);
});

it('destinations are 8-byte aligned', async () => {
  await expect(transfer(physical(0), [physical(2)], { pointer: TARGET / 4 + 1 })).rejects.toMatchObject({
    facts: { exception: 'EXERR', receiveError: 3 },
  });
});

it('streams of another width and busy lanes are refused, not guessed', async () => {
  const S = physical(0);
  const refused = { facts: { exception: 'not modelled' } };
  await expect(
    transfer(S, [physical(2)], { sendControl: routeDirection(S, physical(2)) }),
  ).rejects.toMatchObject(refused);
  const late = physical(2) ^ (isEarlyMember(S, physical(2)) ? 2 : 0);
  const listen = (tile: number, kind: Timed['control'], value: number) =>
    phaseTile(tile, controlRow([{ event: 1, control: kind, value }], 8));
  const sender = phaseTile(S, (program) => {
    program
      .op('delay', 99)
      .op('send', 63, SOURCE / 8, 7)
      .op('delay', 5);
    program.data(SOURCE, messageOf(S, 128));
  });
  await expect(runTiles([sender, listen(late, 'paired', pairedSource(S, late))])).rejects.toMatchObject(
    refused,
  );
  await expect(runTiles([sender, listen(physical(40), 'source', S)])).rejects.toMatchObject(refused);
  const partner = phaseTile(S ^ 2, (program) => program.op('delay', 120).op('send', 3, SOURCE / 4, 3));
  await expect(runTiles([sender, partner])).rejects.toMatchObject(refused);
  const quiet = phaseTile(S ^ 2, (program) => program.op('delay', 199).op('send', 3, SOURCE / 4, 3));
  await expect(runTiles([sender, quiet])).resolves.toBeDefined();
});

it('a 32-bit word that is written under a 64-bit format is MODI', async () => {
  const S = physical(4);
  const D = physical(6);
  const run = (format: number) => {
    const start = 100;
    const source = start + timeToMux(S, D) + 1;
    const pointer = source + 52 + 2 * rowOf(D);
    return runTiles([
      phaseTile(S, (program) => {
        waitUntil(program, 0, start);
        program.op('send', 7, SOURCE / 4, 3).op('delay', 5);
        program.data(SOURCE, messageOf(S, 8));
      }),
      phaseTile(
        D,
        controlRow(
          [
            { event: source, control: 'source', value: S },
            { event: source + 8, control: 'source', value: NEUTRAL_SOURCE },
            { event: pointer, control: 'pointer', value: TARGET / 4 },
            { event: pointer + format, control: 'format', value: 1 },
          ],
          pointer + 40,
        ),
      ),
    ]);
  };
  await expect(run(7)).rejects.toMatchObject({ facts: { exception: 'EXERR', receiveError: 7 } });
  await expect(run(8)).resolves.toBeDefined();
});
