import { expect, it } from 'vitest';
import { DeviceError } from '../device.ts';
import { CSR, m, NEUTRAL_SOURCE, routeDirection, rowOf, SYNC, timeToMux } from '../ipu21/index.ts';
import type { HandProgram } from './handProgram.ts';
import { messageOf, phaseTile, receiveRow, SOURCE, sendRow, TARGET, waitUntil } from './testing/rows.ts';
import { EXIT, RESULT, readWords, runTiles, WORKER_CODE, ZERO } from './testing/run.ts';

const POISON = 0x7ef17ef1;
const poison = (count: number) => Array.from({ length: count }, () => POISON);

/** Sends `words` words from one tile to another with the recorded primitive; returns what stands around the target. */
async function transfer(sender: number, receiver: number, words: number) {
  const long = words > 1024;
  const [from, to] = long ? [0x80000, 0xa0000] : [SOURCE, TARGET];
  const device = await runTiles([
    phaseTile(sender, (program) => {
      sendRow(sender, receiver, words, { address: from })(program);
      program.data(from, messageOf(sender, words));
    }),
    phaseTile(
      receiver,
      words === 52 ? recorded52(sender, receiver, to) : receiveRow(sender, receiver, words, { address: to }),
    ),
  ]);
  return readWords(device, receiver, to - 4, words + 2);
}

/** The recorded form for 52 words sets the pointer one event early. */
const recorded52 = (sender: number, receiver: number, address: number) => (program: HandProgram) =>
  program
    .op('delayxpic', 112, 0, sender)
    .op('delaypic', 50 + 2 * rowOf(receiver), 0, address / 4)
    .op('delayxpic', 0, 0, NEUTRAL_SOURCE)
    .op('delay', 56 + 2 * rowOf(receiver));

const VECTORS: readonly (readonly [number, number])[] = [
  [0, 2],
  [0, 64],
  [2, 0],
  [0, 1409],
  [1409, 0],
  [0, 31],
  [0, 32],
  [32, 0],
  [63, 0],
  [130, 180],
  [180, 130],
  [1117, 1119],
];

it.each(VECTORS)('physical tile %i sends to %i with the recorded primitive', async (sender, receiver) => {
  for (const words of [1, 7, 51, 53]) {
    expect(await transfer(sender, receiver, words)).toEqual([POISON, ...messageOf(sender, words), POISON]);
  }
});

it('every length of the primitive arrives whole, up to the longest', async () => {
  for (const words of [52, 64, 65, 128, 1024, 4148])
    expect(await transfer(0, 2, words)).toEqual([POISON, ...messageOf(0, words), POISON]);
});

/** Sender 0 sends words -1..w from its place; receiver 2 is told to take words 0..w-1. */
async function window(options: Parameters<typeof receiveRow>[3], control?: number) {
  const words = 8;
  const device = await runTiles([
    phaseTile(0, (program) => {
      sendRow(0, 2, words + 4, { shift: -2, address: SOURCE, ...(control === undefined ? {} : { control }) })(
        program,
      );
      program.data(SOURCE, messageOf(0, words + 4));
    }),
    phaseTile(2, receiveRow(0, 2, words, options)),
  ]);
  return readWords(device, 2, TARGET - 8, words + 4);
}

it('a selection that is early or late by an event captures the neighbour', async () => {
  const from = (first: number) => Array.from({ length: 8 }, (_, index) => first + index);
  expect(await window({})).toEqual([...poison(2), ...from(2), ...poison(2)]);
  // One event early: the word before arrives before the pointer stands, which is an error of its own.
  await expect(window({ shift: -1 })).rejects.toThrow(/before any pointer was set/);
  expect(await window({ shift: -1, pointerEarly: 1 })).toEqual([...poison(2), ...from(1), ...poison(2)]);
  expect(await window({ shift: 1 })).toEqual([...poison(2), ...from(3), ...poison(2)]);
});

it('a source that is given up early loses the last words, one that is kept takes the next', async () => {
  expect(await window({ shorter: 3 })).toEqual([...poison(2), 2, 3, 4, 5, 6, ...poison(5)]);
  expect(await window({ shorter: -1 })).toEqual([...poison(2), 2, 3, 4, 5, 6, 7, 8, 9, 10, POISON]);
});

it('a send in the wrong direction reaches nobody, one in both directions does', async () => {
  const right = routeDirection(0, 2);
  expect(await window({}, 3 - right)).toEqual(poison(12));
  expect(await window({}, 3)).toEqual([...poison(2), 2, 3, 4, 5, 6, 7, 8, 9, ...poison(2)]);
});

it('a pointer set early costs words in front of the target when they are on the fabric', async () => {
  // The pointer stands one event before the first wanted word arrives; nothing arrives in that event.
  expect(await window({ pointerEarly: 1 })).toEqual([...poison(2), 2, 3, 4, 5, 6, 7, 8, 9, ...poison(2)]);
});

it('a receiver that listens to the wrong tile gets that tile', async () => {
  const words = 6;
  const device = await runTiles([
    phaseTile(0, (program) => {
      sendRow(0, 2, words)(program);
      program.data(SOURCE, messageOf(0, words));
    }),
    phaseTile(64, (program) => {
      sendRow(64, 2, words)(program);
      program.data(SOURCE, messageOf(64, words));
    }),
    phaseTile(2, receiveRow(64, 2, words)),
    phaseTile(66, receiveRow(65, 66, words)),
  ]);
  expect(readWords(device, 2, TARGET, words + 1)).toEqual([...messageOf(64, words), POISON]);
  expect(readWords(device, 66, TARGET, words)).toEqual(poison(words));
});

it('one send reaches any number of listeners', async () => {
  const receivers = [0, 2, 66, 31, 1409, 1471];
  const words = 20;
  const sender = 130;
  const start = Math.max(0, ...receivers.map((receiver) => -timeToMux(sender, receiver))) + 3;
  const device = await runTiles([
    phaseTile(sender, (program) => {
      waitUntil(program, 0, start).op('send', words - 1, SOURCE / 4, 3);
      program.data(SOURCE, messageOf(sender, words));
    }),
    ...receivers.map((receiver) =>
      phaseTile(receiver, (program) => {
        program.op('delayxpic', start + timeToMux(sender, receiver), 0, sender);
        program.op('delayxpic', words - 1, 0, NEUTRAL_SOURCE);
        program.op('delaypic', 51 - words + 2 * rowOf(receiver), 0, TARGET / 4).op('delay', words + 4);
      }),
    ),
  ]);
  for (const receiver of receivers)
    expect(readWords(device, receiver, TARGET - 4, words + 2), `tile ${receiver}`).toEqual([
      POISON,
      ...messageOf(sender, words),
      POISON,
    ]);
});

/** Senders of the recorded four-message row, all 52 words, into a tile of row 0. */
const CHAIN = [130, 192, 194, 256];

function chainSender(sender: number, receiver: number, position: number): HandProgram {
  // Selections at 1, 53, 105 and 157.
  const start = 52 * position - timeToMux(sender, receiver);
  return phaseTile(sender, (program) => {
    waitUntil(program, 0, start).op('send', 51, SOURCE / 4, routeDirection(sender, receiver));
    program.data(SOURCE, messageOf(sender, 52));
  });
}

it('the recorded row of four 52-word messages puts each at its pointer', async () => {
  const receiver = 36;
  expect(CHAIN.every((sender, index) => 52 * index >= timeToMux(sender, receiver))).toBe(true);
  const device = await runTiles([
    ...CHAIN.map((sender, index) => chainSender(sender, receiver, index)),
    phaseTile(receiver, (program) => {
      program.align(8);
      const row = [
        0x64000082, 0x40a00032, 0xf6600000, 0x03014048, 0xf6600000, 0x03095000, 0xf6600000, 0x04016000,
        0xf7200000, 0x19017000,
      ];
      program.raw(...row);
    }),
  ]);
  for (const [index, pointer] of [0x14048, 0x15000, 0x16000, 0x17000].entries())
    expect(readWords(device, receiver, pointer * 4 - 4, 54)).toEqual([
      POISON,
      ...messageOf(CHAIN[index], 52),
      POISON,
    ]);
});

it('messages that continue at the next address need no second pointer', async () => {
  const receiver = 36;
  const device = await runTiles([
    ...CHAIN.map((sender, index) => chainSender(sender, receiver, index)),
    phaseTile(receiver, (program) => {
      program
        .op('delayxpic', 0, 0, CHAIN[0])
        .op('delaypic', 50, 0, TARGET / 4)
        .op('delayxpic', 0, 0, CHAIN[1]);
      program.op('delayxpic', 51, 0, CHAIN[2]).op('delayxpic', 51, 0, CHAIN[3]);
      program.op('delayxpic', 51, 0, NEUTRAL_SOURCE).op('delay', 60);
    }),
  ]);
  // The pointer is set one event before its due time, because only one control fits an event here.
  expect(readWords(device, receiver, TARGET, 209)).toEqual([
    ...CHAIN.flatMap((sender) => [...messageOf(sender, 52)]),
    POISON,
  ]);
});

it('a tile sends and receives at the same time, with controls inside its sends', async () => {
  const [left, right] = [0, 2];
  const words = 100;
  // Both start at event 120; each selects the other when its first word passes.
  const start = 120;
  const tile = (self: number, other: number) =>
    phaseTile(self, (program) => {
      const select = start + timeToMux(other, self) + 1;
      const pointer = select + 52 + 2 * rowOf(self);
      program.op('delayxpic', select - 1, 0, other);
      // Now at `select`, which is before the start of the own send.
      waitUntil(program, select, start);
      program.op('send', 5, SOURCE / 4, routeDirection(self, other));
      let now = start + 6;
      const stream = (until: number) => {
        if (until > now) program.op('sendoff', until - now - 1, 0, routeDirection(self, other));
        now = Math.max(now, until);
      };
      stream(pointer - 1);
      program.op('sendpic', 0, 2, TARGET / 4);
      now = pointer;
      stream(select + words - 1);
      program.op('sendpic', 0, 0, NEUTRAL_SOURCE);
      now = select + words;
      stream(start + words);
      program.op('delay', 120);
      program.data(SOURCE, messageOf(self, words));
    });
  const device = await runTiles([tile(left, right), tile(right, left)]);
  expect(readWords(device, left, TARGET, words + 1)).toEqual([...messageOf(right, words), POISON]);
  expect(readWords(device, right, TARGET, words + 1)).toEqual([...messageOf(left, words), POISON]);
});

it('the recorded two-word send transmits and switches both controls one event after its start', async () => {
  // 43 words from word address 0x14021 in direction 1; source neutral and pointer 0x15000 at start + 1.
  const [sender, receiver] = [0, 2];
  expect(routeDirection(sender, receiver)).toBe(1);
  const start = 140;
  const select = start + timeToMux(sender, receiver) + 1;
  const device = await runTiles([
    phaseTile(sender, (program) => {
      waitUntil(program, 0, start).align(8);
      const padded = program.address;
      program.raw(0xf54a0109, 0x19015000).data(0x14021 * 4, messageOf(sender, 43));
      expect(padded % 8).toBe(0);
    }),
    phaseTile(receiver, (program) => {
      // The sender may have spent one event on a nop that aligns its pair.
      program.op('delayxpic', select - 1, 0, sender).op('delayxpic', 43, 0, NEUTRAL_SOURCE);
      program.op('delaypic', 7, 0, TARGET / 4).op('delay', 60);
    }),
  ]);
  const received = readWords(device, receiver, TARGET, 44);
  expect(received.slice(0, 43)).toEqual([...messageOf(sender, 43)]);
  expect(received[43]).toBe(POISON);
});

it('a tile can listen to itself', async () => {
  // Tiles that select themselves before they send; all controls stand outside the sends.
  for (const [tile, words] of [
    [0, 1],
    [5, 16],
    [1471, 40],
  ]) {
    const select = 10;
    const start = select - 1 - timeToMux(tile, tile);
    const pointer = select + 52 + 2 * rowOf(tile);
    expect(start).toBeGreaterThan(select);
    expect(pointer).toBeGreaterThan(start + words);
    const device = await runTiles([
      phaseTile(tile, (program) => {
        program.op('delayxpic', select - 1, 0, tile);
        waitUntil(program, select, start).op('send', words - 1, 0x80000 / 4, routeDirection(tile, tile));
        program.op('delaypic', pointer - start - words - 1, 0, 0xa0000 / 4).op('delay', words + 4);
        program.data(0x80000, messageOf(tile, words));
      }),
    ]);
    expect(readWords(device, tile, 0xa0000, words + 1), `tile ${tile}`).toEqual([
      ...messageOf(tile, words),
      POISON,
    ]);
  }
});

it('a sent word that nobody listens to is legal', async () => {
  await runTiles([
    phaseTile(0, (program) => {
      sendRow(0, 2, 200, { control: 3 })(program);
      program.data(SOURCE, messageOf(0, 200));
    }),
    phaseTile(2, () => {}),
  ]);
});

it('words are forwarded within a phase once they have arrived', async () => {
  const words = 16;
  // 0 -> 2 by the primitive; 2 -> 64 starts `wait` events after the first word stands in memory.
  const arrival = 113 + 52;
  const forward = async (wait: number) => {
    const start = arrival + wait;
    const select = start + timeToMux(2, 64) + 1;
    const device = await runTiles([
      phaseTile(0, (program) => {
        sendRow(0, 2, words)(program);
        program.data(SOURCE, messageOf(0, words));
      }),
      phaseTile(2, (program) => {
        program.op('delayxpic', 112, 0, 0).op('delayxpic', words - 1, 0, NEUTRAL_SOURCE);
        program.op('delaypic', 51 - words, 0, 0x80000 / 4);
        waitUntil(program, arrival, start).op('send', words - 1, 0x80000 / 4, routeDirection(2, 64));
      }),
      phaseTile(64, (program) => {
        program.op('delayxpic', select - 1, 0, 2).op('delayxpic', words - 1, 0, NEUTRAL_SOURCE);
        program.op('delaypic', 51 - words + 2, 0, TARGET / 4).op('delay', words + 4);
      }),
    ]);
    return readWords(device, 64, TARGET, words);
  };
  expect(await forward(words)).toEqual([...messageOf(0, words)]);
  // A send that reads while words still arrive is a conflict of the element.
  await expect(forward(1)).rejects.toThrow(/memory conflict/);
});

/** Tile 2 leaves its row with two of four words of tile 0 written; words 2 and 3 are due in its next two cycles. */
const leavesEarly = (after: (program: HandProgram) => void) =>
  phaseTile(
    2,
    (program) => {
      program.op('setzi', m(1), TARGET).op('setzi', m(2), RESULT + 0x4000);
      program.op('delayxpic', 110, 0, 0).op('delayxpic', 3, 0, NEUTRAL_SOURCE);
      program.op('delaypic', 47, 0, TARGET / 4).op('delay', 1);
    },
    { after },
  );

it('words that arrive after a row ended land in their cycle', async () => {
  const device = await runTiles([
    plainSender(4),
    leavesEarly((program) => {
      // Issued in the cycles in which words 2, 3, and no more are written.
      program.op('ld32', m(3), m(1), ZERO, 2);
      program.op('ld32', m(4), m(1), ZERO, 2);
      program.op('ld32', m(5), m(1), ZERO, 3);
      for (const register of [3, 4, 5]) program.op('st32', m(register), m(2), ZERO, register - 3);
    }),
  ]);
  expect(readWords(device, 2, RESULT + 0x4000, 3)).toEqual([POISON, 2, 3]);
  expect(readWords(device, 2, TARGET, 5)).toEqual([0, 1, 2, 3, POISON]);
});

async function exchangeError(programs: readonly HandProgram[]): Promise<DeviceError> {
  const error = await runTiles(programs).then(
    () => undefined,
    (caught) => caught,
  );
  expect(error).toBeInstanceOf(DeviceError);
  return error;
}

const plainSender = (words: number) =>
  phaseTile(0, (program) => {
    sendRow(0, 2, words)(program);
    program.data(SOURCE, messageOf(0, words));
  });

it('a launch while words arrive is receive error 4', async () => {
  const early = (rest: number) => [
    plainSender(4),
    phaseTile(
      2,
      (program) => {
        program.op('setzi', m(0), 'worker').op('setzi', m(1), RESULT);
        program.op('delayxpic', 110, 0, 0).op('delayxpic', 3, 0, NEUTRAL_SOURCE);
        program.op('delaypic', 47, 0, TARGET / 4).op('delay', rest);
      },
      {
        after: (program) => {
          program.op('runall', m(0), m(1), 0).op('sync', SYNC.local);
          const after = program.address;
          program
            .origin(WORKER_CODE)
            .label('worker')
            .op(...EXIT)
            .origin(after);
        },
      },
    ),
  ];
  const error = await exchangeError(early(1));
  expect(error.facts).toMatchObject({ exception: 'EXERR', receiveError: 4, physicalTile: 2 });
  await runTiles(early(8));
});

it('a send and a receive in one element at one time are receive error 6; in two elements they are fine', async () => {
  const both = (own: number) => [
    plainSender(64),
    phaseTile(2, (program) => {
      program.op('delayxpic', 112, 0, 0).op('delaypic', 51, 0, TARGET / 4);
      program
        .op('send', 5, own / 4, 1)
        .op('delay', 4)
        .op('delayxpic', 0, 0, NEUTRAL_SOURCE)
        .op('delay', 80);
    }),
  ];
  const error = await exchangeError(both(TARGET + 0x2000));
  expect(error.facts).toMatchObject({ exception: 'EXERR', receiveError: 6, physicalTile: 2 });
  await runTiles(both(TARGET + 0x4000));
});

it('received words in the element of the row are receive error 2', async () => {
  const into = (address: number) => [plainSender(8), phaseTile(2, receiveRow(0, 2, 8, { address }))];
  const error = await exchangeError(into(0x4f000));
  expect(error.facts).toMatchObject({ exception: 'EXERR', receiveError: 2, physicalTile: 2 });
  await runTiles(into(0x50000));
});

it('received words outside memory are receive error 3', async () => {
  const into = (address: number) => [plainSender(8), phaseTile(2, receiveRow(0, 2, 8, { address }))];
  const error = await exchangeError(into(0xe7fe4));
  expect(error.facts).toMatchObject({ exception: 'EXERR', receiveError: 3, address: '0xe8000' });
  await runTiles(into(0xe7fe0));
});

it('bases are added to the addresses of rows', async () => {
  const words = 8;
  const device = await runTiles(
    [
      phaseTile(0, (program) => {
        sendRow(0, 2, words, { address: 0x1000 })(program);
        program.data(SOURCE, messageOf(0, words));
      }),
      phaseTile(2, receiveRow(0, 2, words, { address: 0x40 })),
    ].map((program, index) => {
      // The base registers are written by start-up code in front of the call loop.
      const entry = 0x4c400 + 0x100 * index;
      const place = program.address;
      program.origin(entry).op('setzi', m(0), index === 0 ? SOURCE - 0x1000 : TARGET - 0x40);
      program
        .op('put', index === 0 ? CSR.OUTGOING_BASE : CSR.INCOMING_BASE, m(0))
        .op('bri', 'call')
        .origin(place);
      return program.startAt(entry);
    }),
  );
  expect(readWords(device, 2, TARGET - 4, words + 2)).toEqual([POISON, ...messageOf(0, words), POISON]);
});

it('a source selected before the barrier is heard from the first event', async () => {
  const sender = 32;
  const receiver = 0;
  // This route is long enough that the first word of event 0 passes after the barrier.
  const select = timeToMux(sender, receiver) + 1;
  expect(select).toBeGreaterThan(0);
  const device = await runTiles([
    phaseTile(sender, (program) => {
      program.op('send', 7, SOURCE / 4, routeDirection(sender, receiver)).data(SOURCE, messageOf(sender, 8));
    }),
    phaseTile(
      receiver,
      (program) => {
        // Pointer at event 10, before the first word of this route can arrive.
        program.op('delaypic', 9, 0, TARGET / 4).op('delay', 170);
      },
      { source: sender },
    ),
  ]);
  expect(readWords(device, receiver, TARGET, 9)).toEqual([...messageOf(sender, 8), POISON]);
});

it('rows with more sends and controls than the engine lists at once lose nothing', async () => {
  const sender = 0;
  const receiver = 2;
  const count = 700;
  const start = 120;
  const select = start + timeToMux(sender, receiver) + 1;
  const programs = () => [
    phaseTile(sender, (program) => {
      waitUntil(program, 0, start);
      // One word each, every other word of memory, so that no two sends join.
      for (let index = 0; index < count; index++) program.op('send', 0, SOURCE / 4 + 2 * index, 1);
      program.data(SOURCE, messageOf(sender, 2 * count));
    }),
    phaseTile(receiver, (program) => {
      program.op('delayxpic', select - 1, 0, sender);
      // The pointer goes back and forth: every word gets its own, in pairs of halves.
      program.op('delaypic', 51, 0, TARGET / 4);
      for (let index = 1; index < count; index++)
        program.op('delaypic', 0, 0, TARGET / 4 + (index % 2 === 0 ? index / 2 : 400 + (index - 1) / 2));
      program.op('delayxpic', 0, 0, NEUTRAL_SOURCE).op('delay', 60);
    }),
  ];
  const device = await runTiles(programs());
  const even = readWords(device, receiver, TARGET, count / 2);
  const odd = readWords(device, receiver, TARGET + 1600, count / 2);
  expect(even).toEqual(Array.from({ length: count / 2 }, (_, index) => 4 * index));
  // The source is kept for as long as the last pointer takes: it hears silence after the last word.
  expect(odd).toEqual(Array.from({ length: count / 2 }, (_, index) => 4 * index + 2));
});

it('a row that loops without end is refused before it fills the host', async () => {
  const error = await exchangeError([
    phaseTile(2, (program) =>
      program
        .label('row')
        .op('delaypic', 0, 0, TARGET / 4)
        .op('bri', 'row'),
    ),
  ]);
  expect(error.verdict).toBe('infra-error');
  expect(error.message).toMatch(/sends and controls and does not end/);
});
