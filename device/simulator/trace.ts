import { WORKER_COUNT } from '../ipu21/index.ts';
import type { EngineHost } from './host.ts';
import { singleThread, type TileRunner } from './threads.ts';
import type { ChipMemory } from './tileMemory.ts';
import { STATE, STATUS } from './tileState.ts';

/** One instruction or bundle that a tile issued. */
export interface Issue {
  /** Tile cycle of the issue, counted from the start of the program. */
  readonly cycle: number;
  /** 0 is the supervisor, 1..6 are the workers. */
  readonly context: number;
  /** Byte address of the instruction. */
  readonly pc: number;
}

/** Who is told of the issues of a tile. */
export interface Trace {
  readonly physicalTile: number;
  readonly onIssue: (issue: Issue) => void;
}

/**
 * Runs one tile an issue at a time and tells of each; other tiles run as ever. Cycles and results are those
 * of an untraced run.
 */
export function tracing(host: EngineHost, chip: ChipMemory, { physicalTile, onIssue }: Trace): TileRunner {
  const rest = singleThread(host, chip);
  const programCounter = (context: number): number =>
    chip.u32(
      physicalTile,
      context === 0 ? STATE.supervisor : STATE.workers + (context - 1) * STATE.workerBytes,
    );
  const runTraced = (limit: number): void => {
    for (;;) {
      const active = chip.u32(physicalTile, STATE.active);
      const time = chip.u64(physicalTile, STATE.time);
      const slot = time % WORKER_COUNT;
      const context = active !== 0 && (active & (1 << slot)) !== 0 ? slot + 1 : 0;
      const pc = programCounter(context);
      const retired = chip.u64(physicalTile, STATE.instructions);
      const status = host.engine.step(chip.base(physicalTile));
      if (chip.u64(physicalTile, STATE.instructions) > retired) {
        // A supervisor on its own waits for its operands first; the clock then stands at its issue.
        const cycle = active === 0 ? chip.u64(physicalTile, STATE.time) : time;
        onIssue({ cycle, context, pc });
      }
      if (status !== STATUS.running) return;
      if (chip.u64(physicalTile, STATE.time) > limit) {
        chip.setU32(physicalTile, STATE.status, STATUS.limit);
        return;
      }
    }
  };
  return {
    run: (tiles, limit) => {
      rest.run(
        tiles.filter((tile) => tile !== physicalTile),
        limit,
      );
      if (tiles.includes(physicalTile)) runTraced(limit);
    },
  };
}
