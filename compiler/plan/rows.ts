import { BLOCK } from './axis.ts';
import { type AxisPartition, partitionAxis } from './partition.ts';

/** Plan of an operation over whole rows: runs of `grain` tokens of a panel, dealt to tiles in order. */
export interface RowsPlan {
  /** Tokens that stay together: a divisor of 16. */
  readonly grain: number;
  /** Shares of runs, one per tile. */
  readonly runs: AxisPartition;
}

/** Fewest tokens of a run: shorter ones cost more messages than they spread work. */
const SHORTEST_RUN = 2;

/** Spreads `panels` panels of 16 tokens over the tiles in the shortest runs that go round once. */
export function rowsPlan(panels: number, tiles: number): RowsPlan {
  let grain = SHORTEST_RUN;
  while (grain < BLOCK && panels * (BLOCK / grain) > tiles) grain *= 2;
  const runs = panels * (BLOCK / grain);
  return { grain, runs: partitionAxis(runs, 1, Math.min(runs, tiles)) };
}
