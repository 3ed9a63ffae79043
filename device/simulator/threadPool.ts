import { Worker } from 'node:worker_threads';
import { engineModule, TABLES, threadSetup } from './engine.ts';
import { STATE, STATUS } from './tileState.ts';

/** Control block, in 32-bit words from TABLES.control. */
const GENERATION = 0;
const LEFT = 1;
const DONE = 2;
const CLOSED = 3;
const LIMIT_WORD = 4;
const LIST = 16;

const BLOCK = TABLES.control / 4;
export const CONTROL = {
  generation: BLOCK + GENERATION,
  left: BLOCK + LEFT,
  done: BLOCK + DONE,
  closed: BLOCK + CLOSED,
  list: BLOCK + LIST,
} as const;
export const LIMIT_OFFSET = TABLES.control + LIMIT_WORD * 4;

/** Host threads that wait for work on one memory. */
export interface ThreadPool {
  readonly count: number;
  /** Offers the tiles of the list. */
  offer(tiles: number): void;
  close(): void;
}

/** Starts threads that take tiles from the control block. They do not keep the process alive. */
export function startThreads(memory: WebAssembly.Memory, count: number): ThreadPool {
  const words = new Int32Array(memory.buffer);
  const module = engineModule();
  const first = Atomics.load(words, CONTROL.generation);
  Atomics.store(words, CONTROL.left, 0);
  Atomics.store(words, CONTROL.closed, 0);
  for (let index = 0; index < count; index++) {
    const worker = new Worker(new URL('./thread.mjs', import.meta.url), {
      workerData: {
        memory,
        module,
        setup: threadSetup(index + 1),
        control: CONTROL,
        limitOffset: LIMIT_OFFSET,
        generation: first,
        crashed: { offset: STATE.status, status: STATUS.crashed },
      },
    });
    // A thread that is lost changes nothing but the speed: the caller takes what nobody took.
    worker.on('error', () => {});
    worker.unref();
  }
  const wake = () => {
    Atomics.add(words, CONTROL.generation, 1);
    Atomics.notify(words, CONTROL.generation);
  };
  return {
    count,
    offer: (tiles) => {
      Atomics.store(words, CONTROL.done, 0);
      Atomics.store(words, CONTROL.left, tiles);
      wake();
    },
    close: () => {
      Atomics.store(words, CONTROL.closed, 1);
      wake();
    },
  };
}
