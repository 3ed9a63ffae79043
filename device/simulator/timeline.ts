/** What tiles do on the exchange in one phase, in events since the barrier's release. */

/** Bit of the send control: items of 64 bits. */
export const WIDE = 4;

/** A stream a tile put on the fabric: one item per event from `start`. */
export interface Send {
  readonly start: number;
  /** Number of items: words, or 64-bit items when the control says so. */
  readonly words: number;
  /** Source address in words. */
  readonly wordAddress: number;
  /** Direction bits, plus 4 for 64-bit items. */
  readonly control: number;
}

export type ControlKind = 'source' | 'pointer' | 'pairedSource' | 'format';

/** A receive control that takes effect at an event of the tile. */
export interface Control {
  readonly event: number;
  readonly kind: ControlKind;
  readonly value: number;
}

/** What one tile did in a phase, in events since the barrier's release. */
export interface TileTimeline {
  readonly tile: number;
  readonly sends: readonly Send[];
  readonly controls: readonly Control[];
  /** Event at which the tile went on with other code. */
  readonly rowEnd: number;
  /** Bit n is set when row code was fetched from element n of region 0. */
  readonly codeElements: number;
}

/** A run of words that crosses the fabric without interruption, one 32-bit or 64-bit item per event. */
export interface Delivery {
  readonly source: number;
  readonly target: number;
  /** Sender event of the first word, and event of its write on the receiver. */
  readonly sent: number;
  readonly written: number;
  readonly fromWord: number;
  readonly toWord: number;
  readonly words: number;
  readonly wordsPerEvent: 1 | 2;
}

/** Why the exchange stopped a tile. */
export interface ExchangeFault {
  readonly tile: number;
  readonly error:
    | 'memory access'
    | 'instruction fetch'
    | 'bad address'
    | 'memory conflict'
    | 'format change'
    | 'not modelled';
  readonly event: number;
  readonly address: number;
  readonly detail: string;
}

/** Sends that may still run at `event`; they are in time order. */
export function* firstOverlap(sends: readonly Send[], event: number): Generator<Send> {
  let low = 0;
  let high = sends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sends[middle].start + sends[middle].words <= event) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < sends.length; index++) yield sends[index];
}

/** A control value in force from an event on. */
export interface Setting {
  readonly event: number;
  readonly value: number;
}

/** Values of one kind of control, in time order. */
export const settings = (controls: readonly Control[], kind: ControlKind): Setting[] =>
  controls.filter((control) => control.kind === kind).sort((x, y) => x.event - y.event);
