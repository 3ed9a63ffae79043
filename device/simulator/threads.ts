import { Worker } from 'node:worker_threads';
import { engineModule, TABLES, threadSetup } from './engine.ts';
import type { EngineHost } from './host.ts';
import type { ChipMemory } from './tileMemory.ts';

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
const NEXT = 1;
const COUNT = 2;
const IDLE = 3;
const LIMIT_WORD = 4;
const LIST = 16;

const BLOCK = TABLES.control / 4;
const CONTROL = {
  generation: BLOCK + GENERATION,
  next: BLOCK + NEXT,
  count: BLOCK + COUNT,
  idle: BLOCK + IDLE,
  list: BLOCK + LIST,
} as const;
const LIMIT_OFFSET = TABLES.control + LIMIT_WORD * 4;

/** Host threads that wait for work on one memory. */
export interface ThreadPool {
  readonly count: number;
  wake(tiles: number): void;
  close(): void;
}

/** Starts threads that take tiles from the control block. They do not keep the process alive. */
export function startThreads(memory: WebAssembly.Memory, count: number): ThreadPool {
  const words = new Int32Array(memory.buffer);
  const module = engineModule();
  const first = Atomics.load(words, CONTROL.generation);
  for (let index = 0; index < count; index++) {
    const worker = new Worker(new URL('./thread.mjs', import.meta.url), {
      workerData: {
        memory,
        module,
        setup: threadSetup(index + 1),
        control: CONTROL,
        limitOffset: LIMIT_OFFSET,
        generation: first,
      },
    });
    worker.unref();
  }
  const wake = (tiles: number) => {
    Atomics.store(words, CONTROL.next, 0);
    Atomics.store(words, CONTROL.idle, 0);
    Atomics.store(words, CONTROL.count, tiles);
    Atomics.add(words, CONTROL.generation, 1);
    Atomics.notify(words, CONTROL.generation);
  };
  return { count, wake, close: () => wake(-1) };
}

/** Spreads tiles over `threads` host threads, the caller included, by a shared counter. */
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
      pool.wake(tiles.length);
      for (;;) {
        const index = Atomics.add(words, CONTROL.next, 1);
        if (index >= tiles.length) break;
        host.engine.run(words[CONTROL.list + index], BigInt(limit));
      }
      for (;;) {
        const idle = Atomics.load(words, CONTROL.idle);
        if (idle === pool.count) return;
        Atomics.wait(words, CONTROL.idle, idle);
      }
    },
  };
}
