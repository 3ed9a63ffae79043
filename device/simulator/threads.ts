import { Worker } from 'node:worker_threads';
import { engineModule, TABLES, threadSetup } from './engine.ts';
import type { EngineHost } from './host.ts';
import { type ChipMemory, STATE, STATUS } from './tileMemory.ts';

/** Runs tiles to their next stop. The result is in each tile's state; order and thread count do not matter. */
export interface TileRunner {
  run(tiles: readonly number[], limit: number): void;
}

/** Runs tiles one after the other in the calling thread. */
export function singleThread(host: EngineHost, chip: ChipMemory): TileRunner {
  return {
    run: (tiles, limit) => {
      for (const tile of tiles) host.engine.run(chip.base(tile), BigInt(limit));
    },
  };
}

/** Control block, in 32-bit words from TABLES.control. */
const GENERATION = 0;
const LEFT = 1;
const DONE = 2;
const CLOSED = 3;
const LIMIT_WORD = 4;
const LIST = 16;

const BLOCK = TABLES.control / 4;
const CONTROL = {
  generation: BLOCK + GENERATION,
  left: BLOCK + LEFT,
  done: BLOCK + DONE,
  closed: BLOCK + CLOSED,
  list: BLOCK + LIST,
} as const;
const LIMIT_OFFSET = TABLES.control + LIMIT_WORD * 4;

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

/**
 * Spreads tiles over `threads` host threads, the caller included. LEFT counts the tiles nobody has taken and is
 * all that threads compete for: one that wakes late, or never, finds nothing to do, and the run ends when DONE has
 * counted every tile.
 */
export function manyThreads(host: EngineHost, chip: ChipMemory, threads: number): TileRunner {
  const pool = host.threads(threads - 1);
  const words = new Int32Array(host.memory.buffer);
  const view = new DataView(host.memory.buffer);
  return {
    run: (tiles, limit) => {
      view.setBigUint64(LIMIT_OFFSET, BigInt(limit), true);
      tiles.forEach((tile, index) => {
        words[CONTROL.list + index] = chip.base(tile);
      });
      pool.offer(tiles.length);
      for (;;) {
        const index = Atomics.sub(words, CONTROL.left, 1) - 1;
        if (index < 0) break;
        host.engine.run(words[CONTROL.list + index], BigInt(limit));
        Atomics.add(words, CONTROL.done, 1);
      }
      for (;;) {
        const done = Atomics.load(words, CONTROL.done);
        if (done === tiles.length) return;
        Atomics.wait(words, CONTROL.done, done);
      }
    },
  };
}
