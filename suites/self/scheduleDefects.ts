import { NEUTRAL_SOURCE, SEND_CONTROL, SENDPIC_SELECTOR, SYNC } from '../../device/ipu21/index.ts';
import type { PlantedDefect } from './defect.ts';
import { either, faultOnTile, inBlock, inRowBlock, message, onTile } from './location.ts';
import { exchangeRow, inRow, moveBoundary } from './rows.ts';
import { operandOf, type Site, type Surgery } from './surgery.ts';
import { onGrid, onPieces } from './trials.ts';

/** Exchange phases of a program with a reduction. */
const OPERANDS = 0;
const PARTIALS = 1;

const inPhase = (phase: number, patch: (surgery: Surgery, row: readonly Site[]) => void) =>
  ({
    at: 'images',
    patch: (surgery: Surgery, { tile }: { tile: number }) =>
      patch(surgery, exchangeRow(surgery, tile, phase)),
  }) as const;

const is = (mnemonic: string) => (site: Site) => site.instruction.form.mnemonic === mnemonic;
/** Selects a source at the end of a wait. */
const selects = (site: Site) => is('delayxpic')(site) && operandOf(site, 2) !== NEUTRAL_SOURCE;
const deselects = (site: Site) => is('delayxpic')(site) && operandOf(site, 2) === NEUTRAL_SOURCE;
/** Lets go of a source one event after the instruction starts, without a pause of the stream. */
const deselectsSending = (site: Site) =>
  is('sendpic')(site) &&
  operandOf(site, 1) === SENDPIC_SELECTOR.single &&
  operandOf(site, 2) === NEUTRAL_SOURCE;
const setsPointer = (site: Site) =>
  is('delaypic')(site) || (is('sendpic')(site) && operandOf(site, 1) === SENDPIC_SELECTOR.pointer);

const addToPointer = (words: number) => (surgery: Surgery, row: readonly Site[]) => {
  const pointer = inRow(row, 0, setsPointer);
  surgery.amend(pointer, { 2: operandOf(pointer, 2) + words });
};

/** Moves the first send of a row; the end of the row stays where it is. */
const moveSender = (events: number) => (surgery: Surgery, row: readonly Site[]) => {
  const wait = row[row.findIndex(is('send')) - 1];
  const last = row[row.length - 1];
  surgery.amend(wait, { 0: operandOf(wait, 0) + events });
  surgery.amend(last, { 0: operandOf(last, 0) - events });
};

/** Sends in other directions; the control is the last operand of send and sendoff. */
const redirect = (control: number) => (surgery: Surgery, row: readonly Site[]) => {
  for (const site of row.filter((entry) => is('send')(entry) || is('sendoff')(entry)))
    surgery.amend(site, { 2: control });
};

const BOTH_FILLS = ['int', 'normal'] as const;

/** Defects of one tile's exchange row, and of barriers. */
export const scheduleDefects: readonly PlantedDefect[] = [
  {
    name: 'wrong multicast source',
    layer: 'schedule',
    imitates: 'receiver listens to the neighbour of its source',
    trials: onGrid(['int', 'normal', 'onehot']),
    plant: inPhase(OPERANDS, (surgery, row) => {
      const select = inRow(row, 1, selects);
      surgery.amend(select, { 2: operandOf(select, 2) ^ 2 });
    }),
    location: inBlock,
  },
  {
    name: 'wrong partner in the reduction',
    layer: 'schedule',
    imitates: 'rotation of the reduce-scatter off by one',
    trials: onPieces(BOTH_FILLS),
    plant: inPhase(PARTIALS, (surgery, row) => {
      const [first, second] = row.filter(
        (site) =>
          selects(site) || (is('sendpic')(site) && operandOf(site, 1) === 0 && !deselectsSending(site)),
      );
      surgery.amend(first, { 2: operandOf(second, 2) });
    }),
    location: onTile,
  },
  {
    name: 'source selected one event early',
    layer: 'schedule',
    imitates: 'route latency one too small: the last word for somebody else is taken too',
    trials: [...onGrid(BOTH_FILLS, 0), ...onGrid(['int'], 2)],
    plant: inPhase(OPERANDS, (surgery, row) => moveBoundary(surgery, row, inRow(row, 1, selects), -1)),
    location: inBlock,
  },
  {
    name: 'source selected one event late',
    layer: 'schedule',
    imitates: 'route latency one too large: the first word is lost',
    trials: [...onGrid(BOTH_FILLS), ...onPieces(['int'], 4)],
    plant: inPhase(PARTIALS, (surgery, row) => moveBoundary(surgery, row, inRow(row, 0, selects), 1)),
    location: onTile,
  },
  {
    name: 'source released one event early',
    layer: 'schedule',
    imitates: 'ownership of a stream one word too short',
    trials: onGrid(BOTH_FILLS),
    plant: inPhase(OPERANDS, (surgery, row) => moveBoundary(surgery, row, inRow(row, 1, deselects), -1)),
    location: inBlock,
  },
  {
    name: 'source not released',
    layer: 'schedule',
    imitates: 'missing selection of the neutral source: words for others are taken too',
    trials: [...onPieces(BOTH_FILLS, 4), ...onPieces(['int'], 0)],
    plant: inPhase(PARTIALS, (surgery, row) => {
      const release = inRow(row, 0, deselectsSending);
      const { both: control } = SEND_CONTROL;
      surgery.replace(release, 'sendoff', operandOf(release, 0), 0, control);
    }),
    location: onTile,
  },
  {
    name: 'sender one event late',
    layer: 'schedule',
    imitates: 'send start off by one',
    trials: onGrid(BOTH_FILLS),
    plant: inPhase(PARTIALS, moveSender(1)),
    location: either(inBlock, faultOnTile),
  },
  {
    name: 'sender one event early',
    layer: 'schedule',
    imitates: 'send start off by one the other way',
    trials: onGrid(BOTH_FILLS),
    plant: inPhase(PARTIALS, moveSender(-1)),
    location: inBlock,
  },
  {
    name: 'receive pointer one word off',
    layer: 'schedule',
    imitates: 'destination address of a message',
    trials: [...onGrid(BOTH_FILLS), ...onPieces(['int'])],
    plant: inPhase(PARTIALS, addToPointer(1)),
    location: onTile,
  },
  {
    name: 'operand pointer one word off',
    layer: 'schedule',
    imitates: 'two inner values too far in a gathered operand',
    trials: onGrid(['int', 'normal', 'onehot']),
    plant: inPhase(OPERANDS, addToPointer(1)),
    location: inBlock,
  },
  {
    name: 'wrong direction',
    layer: 'schedule',
    imitates: 'direction bit of a single receiver',
    trials: onGrid(BOTH_FILLS),
    plant: inPhase(PARTIALS, redirect(SEND_CONTROL.direction2)),
    location: inBlock,
  },
  {
    name: 'multicast to one side',
    layer: 'schedule',
    imitates: 'one direction bit of a multicast missing',
    trials: onGrid(BOTH_FILLS, 4),
    plant: inPhase(OPERANDS, redirect(SEND_CONTROL.direction2)),
  },
  {
    name: 'launch while receiving',
    layer: 'schedule',
    imitates: 'wait at the end of a row too short',
    trials: onGrid(BOTH_FILLS),
    plant: inPhase(OPERANDS, (surgery, row) => surgery.amend(row[row.length - 1], { 0: 0 })),
    location: faultOnTile,
  },
  {
    name: 'received words in the element of the row',
    layer: 'schedule',
    imitates: 'row code placed in a data element',
    trials: onGrid(BOTH_FILLS),
    plant: inPhase(OPERANDS, (surgery, row) => {
      const pointer = inRow(row, 0, setsPointer);
      surgery.amend(pointer, { 2: (surgery.symbol('gemm') + 0x2000) / 4 });
    }),
    location: faultOnTile,
  },
  {
    name: 'barrier left out',
    layer: 'schedule',
    imitates: 'a tile goes into its row without waiting for the others',
    trials: onGrid(BOTH_FILLS),
    plant: {
      at: 'images',
      patch: (surgery, { tile }) => {
        const barriers = surgery.sites(tile, 'sync').filter((site) => operandOf(site, 0) === SYNC.internal);
        surgery.replace(barriers[0], 'nop');
      },
    },
    location: either(faultOnTile, inRowBlock),
  },
  {
    name: 'idle tile misses a barrier',
    layer: 'schedule',
    imitates: 'a tile without traffic does not take part in one of the phases',
    trials: onGrid(['int'], 12),
    plant: {
      at: 'images',
      patch: (surgery, { tile }) => {
        const idle = surgery
          .sites(tile, 'sync')
          .filter((site) => operandOf(site, 0) === SYNC.nonParticipation);
        surgery.replace(idle[0], 'nop');
      },
    },
    location: message('tiles that wait for each other', /barrier/),
  },
];
