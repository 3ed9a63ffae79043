import { CSR, m, NEUTRAL_SOURCE, routeDirection, rowOf, SYNC, timeToMux } from '../../ipu21/index.ts';
import type { HandProgram } from '../handProgram.ts';
import { tileProgram } from './run.ts';

/** Where senders keep their words: element 10 of region 0, then region 1 for long messages. */
export const SOURCE = 0x74000;
/** Where receivers want them. */
export const TARGET = 0x60000;
/** Event at which the recorded point-to-point primitive selects its source. */
const SELECT = 113;

/** `count` words that name their tile and position. */
export const messageOf = (tile: number, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, index) => (tile << 16) + index);

/** A tile that takes part in one phase: barrier, row, and at once an instruction that ends the row. */
export function phaseTile(
  tile: number,
  row: (program: HandProgram) => void,
  options: PhaseOptions = {},
): HandProgram {
  const { source = NEUTRAL_SOURCE, after } = options;
  return tileProgram(tile, (program) => {
    program.op('setzi', m(0), source).op('put', CSR.INCOMING_MUX, m(0)).op('sync', SYNC.internal);
    row(program);
    if (after === undefined) program.op('sans', 0);
    else after(program);
  });
}

export interface PhaseOptions {
  /** Source that is selected before the barrier. */
  readonly source?: number;
  /** Code behind the row; its first instruction should end the row, as every memory access or launch does. */
  readonly after?: (program: HandProgram) => void;
}

/** Waits so that the next instruction starts at `event`, the row being at `now`. */
export function waitUntil(program: HandProgram, now: number, event: number): HandProgram {
  return event > now ? program.op('delay', event - now - 1) : program;
}

/** The recorded sender: starts at 112 - ttm, up to 64 words by send, the rest by sendoff. */
export function sendRow(sender: number, receiver: number, words: number, options: SendOptions = {}) {
  const { address = SOURCE, control = routeDirection(sender, receiver), shift = 0 } = options;
  return (program: HandProgram): void => {
    program.op('delay', SELECT - 2 - timeToMux(sender, receiver) + shift);
    program.op('send', Math.min(words, 64) - 1, address / 4, control);
    for (let left = words - 64; left > 0; left -= 4096)
      program.op('sendoff', Math.min(left, 4096) - 1, 0, control);
    if (words < 6) program.op('delay', 5 - words);
  };
}

export interface SendOptions {
  readonly address?: number;
  readonly control?: number;
  /** Events later than the primitive. */
  readonly shift?: number;
}

/** The recorded receiver for each length: selection at 113, w events of ownership, pointer 52 + 2 x row later. */
export function receiveRow(sender: number, receiver: number, words: number, options: ReceiveOptions = {}) {
  const { address = TARGET, shift = 0, shorter = 0, pointerEarly = 0 } = options;
  const row = rowOf(receiver);
  return (program: HandProgram): void => {
    const owned = words - shorter;
    program.op('delayxpic', SELECT - 1 + shift, 0, sender);
    const neutral = owned;
    const pointer = 52 + 2 * row - shift - pointerEarly;
    let now = 0;
    const controls = [
      { event: neutral, op: () => program.op('delayxpic', neutral - now - 1, 0, NEUTRAL_SOURCE) },
      { event: pointer, op: () => program.op('delaypic', pointer - now - 1, 0, address / 4) },
    ].sort((x, y) => x.event - y.event);
    for (const control of controls) {
      if (control.event === now) throw new RangeError('two controls at one event need sendpicp');
      control.op();
      now = control.event;
    }
    program.op('delay', Math.max(words, pointer + words - now) + 4);
  };
}

export interface ReceiveOptions {
  readonly address?: number;
  /** Events by which the selection is late; the pointer stays where the words are due. */
  readonly shift?: number;
  /** Events by which the source is given up too soon. */
  readonly shorter?: number;
  readonly pointerEarly?: number;
}
