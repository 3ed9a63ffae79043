import { Worker } from 'node:worker_threads';
import { engineModule, TABLES, threadSetup } from './engine.ts';
import { STATE, STATUS } from './tileState.ts';

/** Control block, in 32-bit words from TABLES.control. */
const GENERATION = 0;
const LEFT = 1;
const DONE = 2;
/** Threads that may take tiles; those started for a larger number stay idle. */
const ACTIVE = 3;
const LIMIT_WORD = 4;
const LIST = 16;

const BLOCK = TABLES.control / 4;
export const CONTROL = {
  generation: BLOCK + GENERATION,
  left: BLOCK + LEFT,
  done: BLOCK + DONE,
  active: BLOCK + ACTIVE,
  list: BLOCK + LIST,
} as const;
export const LIMIT_OFFSET = TABLES.control + LIMIT_WORD * 4;

/**
 * Host threads that wait for work on one memory. They are started once and never end: a thread that was asked to
 * end could still be on its way to a tile, beside a new thread with the same decode cache.
 */
export class ThreadPool {
  readonly #memory: WebAssembly.Memory;
  readonly #words: Int32Array;
  #started = 0;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#words = new Int32Array(memory.buffer);
  }

  /** Has at least `count` threads beside the caller. */
  grow(count: number): void {
    while (this.#started < count) this.#start(this.#started++);
  }

  /** Offers the tiles of the list to the first `count` threads. */
  offer(tiles: number, count: number): void {
    const words = this.#words;
    Atomics.store(words, CONTROL.done, 0);
    Atomics.store(words, CONTROL.active, count);
    Atomics.store(words, CONTROL.left, tiles);
    Atomics.add(words, CONTROL.generation, 1);
    Atomics.notify(words, CONTROL.generation);
  }

  #start(index: number): void {
    const worker = new Worker(new URL('./thread.mjs', import.meta.url), {
      workerData: {
        memory: this.#memory,
        module: engineModule(),
        setup: threadSetup(index + 1),
        index,
        control: CONTROL,
        limitOffset: LIMIT_OFFSET,
        generation: Atomics.load(this.#words, CONTROL.generation),
        crashed: { offset: STATE.status, status: STATUS.crashed },
      },
    });
    // A thread that is lost changes nothing but the speed: the caller takes what nobody took.
    worker.on('error', () => {});
    worker.unref();
  }
}
