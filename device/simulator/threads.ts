import { Worker } from 'node:worker_threads';
import { type EngineExports, engineModule, instantiate, TABLES, threadSetup } from './engine.ts';
import type { ChipMemory } from './tileMemory.ts';

/** Runs tiles to their next stop. The result is in each tile's state; order and thread count do not matter. */
export interface TileRunner {
  run(tiles: readonly number[], limit: number): void;
  close(): void;
}

/** Runs tiles one after the other in the calling thread. */
export function singleThread(chip: ChipMemory): TileRunner {
  const engine = instantiate(chip.memory, engineModule(), 0);
  return {
    run: (tiles, limit) => {
      for (const tile of tiles) engine.run(chip.base(tile), BigInt(limit));
    },
    close: () => {},
  };
}

/** Control block, in 32-bit words from TABLES.control. */
const GENERATION = 0;
const NEXT = 1;
const COUNT = 2;
const IDLE = 3;
const LIMIT_WORD = 4;
const LIST = 16;

/** Spreads tiles over `threads` host threads, the caller included, by a shared counter. */
export function manyThreads(chip: ChipMemory, threads: number): TileRunner {
  const module = engineModule();
  const engine: EngineExports = instantiate(chip.memory, module, 0);
  const words = new Int32Array(chip.memory.buffer);
  const view = new DataView(chip.memory.buffer);
  const block = TABLES.control / 4;
  const control = {
    generation: block + GENERATION,
    next: block + NEXT,
    count: block + COUNT,
    idle: block + IDLE,
    list: block + LIST,
  };
  const workers = Array.from({ length: threads - 1 }, (_, index) => {
    const worker = new Worker(new URL('./thread.mjs', import.meta.url), {
      workerData: {
        memory: chip.memory,
        module,
        setup: threadSetup(index + 1),
        control,
        limitOffset: TABLES.control + LIMIT_WORD * 4,
      },
    });
    worker.unref();
    return worker;
  });
  const wake = (count: number) => {
    Atomics.store(words, control.next, 0);
    Atomics.store(words, control.idle, 0);
    Atomics.store(words, control.count, count);
    Atomics.add(words, control.generation, 1);
    Atomics.notify(words, control.generation);
  };
  return {
    run: (tiles, limit) => {
      view.setBigUint64(TABLES.control + LIMIT_WORD * 4, BigInt(limit), true);
      tiles.forEach((tile, index) => {
        words[control.list + index] = chip.base(tile);
      });
      wake(tiles.length);
      for (;;) {
        const index = Atomics.add(words, control.next, 1);
        if (index >= tiles.length) break;
        engine.run(words[control.list + index], BigInt(limit));
      }
      for (;;) {
        const idle = Atomics.load(words, control.idle);
        if (idle === workers.length) return;
        Atomics.wait(words, control.idle, idle);
      }
    },
    close: () => {
      wake(-1);
    },
  };
}
