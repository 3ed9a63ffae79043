import type { Judgement, PatternGuess } from '../../harness/judge/index.ts';
import type { Location, Sighting, Trial } from './defect.ts';

const judged = ({ judgement }: Sighting): Judgement | undefined => judgement?.outputs[0];

/** Keys of one label, or of `tile`, under which wrong elements lie. */
const keysOf = (sighting: Sighting, label: string): readonly number[] =>
  judged(sighting)?.map?.byLabel[label]?.map(({ key }) => key) ?? [];

const isSubset = (keys: readonly number[], allowed: readonly number[]) =>
  keys.length > 0 && keys.every((key) => allowed.includes(key));

/** Grid coordinates of a tile under the pinned plan of a trial: row block, column block, inner piece. */
export function gridPosition({ line, tile }: Trial): {
  rowBlock: number;
  columnBlock: number;
  kPiece: number;
} {
  const plan = /plan=(\d+)x(\d+)x(\d+)/.exec(line);
  const [, columns, inner] = plan === null ? [1, 1, 1] : plan.slice(1).map(Number);
  const rest = Math.floor(tile / inner);
  return { rowBlock: Math.floor(rest / columns), columnBlock: rest % columns, kPiece: tile % inner };
}

/** All wrong elements lie in the output block that the damaged tile works on. */
export const inBlock: Location = {
  text: 'output block',
  found: (sighting, trial) => {
    const { rowBlock, columnBlock } = gridPosition(trial);
    return (
      isSubset(keysOf(sighting, 'rowBlock'), [rowBlock]) &&
      isSubset(keysOf(sighting, 'columnBlock'), [columnBlock])
    );
  },
};

/** All wrong elements lie in the row block of the damaged tile. */
export const inRowBlock: Location = {
  text: 'row block',
  found: (sighting, trial) => isSubset(keysOf(sighting, 'rowBlock'), [gridPosition(trial).rowBlock]),
};

/** All wrong elements lie in the column block of the damaged tile. */
export const inColumnBlock: Location = {
  text: 'column block',
  found: (sighting, trial) => isSubset(keysOf(sighting, 'columnBlock'), [gridPosition(trial).columnBlock]),
};

/** All wrong elements are kept by the damaged tile. */
export const onTile: Location = {
  text: 'tile',
  found: (sighting, trial) => isSubset(keysOf(sighting, 'tile'), [trial.tile]),
};

/** All wrong elements belong to the rows of these workers. */
export const onWorkers = (...workers: readonly number[]): Location => ({
  text: `worker ${workers.join(', ')}`,
  found: (sighting) => isSubset(keysOf(sighting, 'worker'), workers),
});

/** All wrong elements lie in these columns of their groups of 16. */
export const inLanes = (...lanes: readonly number[]): Location => ({
  text: `columns ${lanes.join(', ')} of each group`,
  found: (sighting) => isSubset(judged(sighting)?.map?.byLane.map(({ key }) => key) ?? [], lanes),
});

/** All wrong elements lie in these rows. */
export const inRows = (...rows: readonly number[]): Location => ({
  text: `row ${rows.join(', ')}`,
  found: (sighting) => isSubset(judged(sighting)?.map?.byRow.map(({ key }) => key) ?? [], rows),
});

/** All wrong elements lie in these columns. */
export const inColumns = (...columns: readonly number[]): Location => ({
  text: `column ${columns.join(', ')}`,
  found: (sighting) => isSubset(judged(sighting)?.map?.byColumn.map(({ key }) => key) ?? [], columns),
});

/** The judge guesses one of these patterns. */
export const pattern = (...kinds: readonly PatternGuess['kind'][]): Location => ({
  text: `pattern ${kinds.join(' or ')}`,
  found: (sighting) => judged(sighting)?.patterns.some(({ kind }) => kinds.includes(kind)) ?? false,
});

/** The device's error names the damaged tile. */
export const faultOnTile: Location = {
  text: 'faulting tile',
  found: ({ failure }, { tile }) => failure?.tile === tile,
};

/** The message of the error or of the judgement matches. */
export const message = (text: string, expected: RegExp): Location => ({
  text,
  found: ({ failure, judgement }) =>
    expected.test(failure?.message ?? '') ||
    (judgement?.reasons.some((reason) => expected.test(reason)) ?? false),
});

/** Both places are named. */
export const both = (first: Location, second: Location): Location => ({
  text: `${first.text}, ${second.text}`,
  found: (sighting, trial) => first.found(sighting, trial) && second.found(sighting, trial),
});

/** At least one place is named. */
export const either = (first: Location, second: Location): Location => ({
  text: `${first.text} or ${second.text}`,
  found: (sighting, trial) => first.found(sighting, trial) || second.found(sighting, trial),
});
