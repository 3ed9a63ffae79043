import { tableAddress } from './calls.ts';
import type { PlantedDefect } from './defect.ts';
import { both, inBlock, onTile, onWorkers } from './location.ts';
import type { Surgery } from './surgery.ts';
import { onGrid, onPieces, onSingle } from './trials.ts';

const WORKERS = 6;
/** Words of a worker's entry: left, out, rows - 1, bytes from group to group. */
const GEMM = { kernel: 'gemm', words: 4, left: 0, out: 1, rows: 2, groupBytes: 3 } as const;
/** Own, staged, out, granules - 1, granules from partial to partial, partials - 2. */
const REDUCE = { kernel: 'reduce', words: 6, granules: 3, stride: 4, more: 5 } as const;

/** Adds to one word of the entries of some workers, of all unless told. */
const shift = (
  { kernel, words }: { kernel: string; words: number },
  word: number,
  by: number,
  workers = Array.from({ length: WORKERS }, (_, worker) => worker),
) =>
  ({
    at: 'images',
    patch: (surgery: Surgery, { tile }: { tile: number }) => {
      const table = tableAddress(surgery, tile, kernel);
      for (const worker of workers) {
        const address = table + 4 * (worker * words + word);
        surgery.setWord(tile, address, surgery.word(tile, address) + by);
      }
    },
  }) as const;

/** Defects of the argument tables of one tile. */
export const tableDefects: readonly PlantedDefect[] = [
  {
    name: 'worker one row short',
    layer: 'package',
    imitates: 'row partition off by one',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: shift(GEMM, GEMM.rows, -1, [1]),
    location: both(inBlock, onWorkers(1)),
  },
  {
    name: 'output pointer one row too far',
    layer: 'package',
    imitates: 'row offset of one worker’s results',
    trials: [...onGrid(['int', 'onehot']), ...onSingle(['normal'])],
    plant: shift(GEMM, GEMM.out, 32, [2]),
    location: both(inBlock, onWorkers(2, 3)),
  },
  {
    name: 'left pointer one row too far',
    layer: 'package',
    imitates: 'row offset of one worker’s operand',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['onehot'])],
    plant: shift(GEMM, GEMM.left, 32, [2]),
    location: both(inBlock, onWorkers(2)),
  },
  {
    name: 'stride between groups one row too long',
    layer: 'package',
    imitates: 'leading dimension of the left operand',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: shift(GEMM, GEMM.groupBytes, 32),
    location: inBlock,
  },
  {
    name: 'partial left out',
    layer: 'package',
    imitates: 'one K piece dropped in the reduction',
    trials: onPieces(['int', 'normal']),
    plant: shift(REDUCE, REDUCE.more, -1),
    location: onTile,
  },
  {
    name: 'stride of reduction slots',
    layer: 'package',
    imitates: 'staged partials expected one granule too far apart',
    trials: onPieces(['int', 'normal']),
    plant: shift(REDUCE, REDUCE.stride, 1),
    location: onTile,
  },
  {
    name: 'granule left out',
    layer: 'package',
    imitates: 'one worker of the reduction stops early',
    trials: [...onGrid(['int', 'normal']), ...onPieces(['int'])],
    plant: shift(REDUCE, REDUCE.granules, -1, [0]),
    location: onTile,
  },
];
