import type { ChipMemory } from './tileMemory.ts';
import { STATE } from './tileState.ts';
import type { Delivery } from './timeline.ts';

/** Words on their way to a tile that has left its row. `written` is the cycle of the first. */
export interface LateWords extends Delivery {
  /** The words as they left the sender. */
  readonly data: Uint32Array;
}

const NO_HORIZON = 0;

/**
 * Words that arrive after their receiver went on with other code. Each tile's horizon is the cycle of the next
 * such word; the engine stops there, so that every instruction sees memory as of its cycle.
 */
export class WordsInFlight {
  readonly #memory: ChipMemory;
  #words: LateWords[] = [];

  constructor(memory: ChipMemory) {
    this.#memory = memory;
  }

  add(words: readonly LateWords[]): void {
    if (words.length === 0) return;
    this.#words.push(...words);
    this.#words.sort((x, y) => x.written - y.written);
    for (const tile of new Set(words.map(({ target }) => target))) this.#setHorizon(tile);
  }

  /** The words a tile is waiting for, earliest first. */
  next(tile: number): LateWords | undefined {
    return this.#words.find(({ target }) => target === tile);
  }

  /** Writes what arrives on a tile, or on every tile, before a cycle. */
  land(before: number, tile?: number): void {
    if (this.#words.length === 0) return;
    const touched = new Set<number>();
    const rest: LateWords[] = [];
    for (const words of this.#words) {
      if ((tile !== undefined && words.target !== tile) || words.written >= before) rest.push(words);
      else {
        touched.add(words.target);
        const left = this.#write(words, before);
        if (left !== undefined) rest.push(left);
      }
    }
    this.#words = rest.sort((x, y) => x.written - y.written);
    for (const each of touched) this.#setHorizon(each);
  }

  /** Writes the part of a run that arrives before a cycle; returns the rest. */
  #write(late: LateWords, before: number): LateWords | undefined {
    const { target, toWord, wordsPerEvent, written, words, data } = late;
    const due = Math.min(words, (before - written) * wordsPerEvent);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, due * 4);
    this.#memory.sram(target, toWord * 4, due * 4).set(bytes);
    if (due === words) return undefined;
    return {
      ...late,
      sent: late.sent + due / wordsPerEvent,
      written: written + due / wordsPerEvent,
      fromWord: late.fromWord + due,
      toWord: toWord + due,
      words: words - due,
      data: data.subarray(due),
    };
  }

  #setHorizon(tile: number): void {
    this.#memory.setU64(tile, STATE.horizon, this.next(tile)?.written ?? NO_HORIZON);
  }
}
