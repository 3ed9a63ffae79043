import type { EngineHost } from './host.ts';
import { CONTROL, LIMIT_OFFSET } from './threadPool.ts';
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
      pool.offer(tiles.length, threads - 1);
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
