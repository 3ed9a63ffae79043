import { CSR, m, SYNC } from '../../device/ipu21/index.ts';
import { callOf } from './calls.ts';
import type { PlantedDefect } from './defect.ts';
import { both, either, faultOnTile, inBlock, inLanes, onTile, pattern } from './location.ts';
import { operandOf, type Site, type Surgery } from './surgery.ts';
import { onGrid, onIdleWorkers, onOnePanel, onPieces, onSingle } from './trials.ts';

const images = (patch: (surgery: Surgery, tile: number) => void) =>
  ({ at: 'images', patch: (surgery: Surgery, { tile }: { tile: number }) => patch(surgery, tile) }) as const;

/** Swaps the entries that coefficient loads of a tile write to. */
const swapEntries = (pairs: Readonly<Record<number, number>>) =>
  images((surgery, tile) => {
    for (const site of surgery.sites(tile, 'ld128putcs')) {
      const entry = pairs[operandOf(site, 0)];
      if (entry !== undefined) surgery.amend(site, { 0: entry });
    }
  });

/** The supervisor's barrier for its workers behind a kernel label. */
const workerBarrier = (surgery: Surgery, tile: number, label: string): Site =>
  surgery.sites(tile, 'sync', surgery.symbol(label)).filter((site) => operandOf(site, 0) === SYNC.local)[0];

/** Takes one group off the count in m5, which holds the number of groups less two. */
function dropGroup(surgery: Surgery, tile: number): void {
  const call = callOf(surgery, tile, 'gemm');
  const counts = surgery.sites(tile, 'setzi', surgery.symbol('gemm'), call.address);
  const count = counts.filter((site) => operandOf(site, 0) === 5).at(-1)!;
  surgery.amend(count, { 1: operandOf(count, 1) - 1 });
}

/** RND field of FP_ICTL, rounding toward zero [SDK]. */
const TOWARD_ZERO = 3 << 16;

/**
 * Defects of kernel code and of the calls of kernels, planted on one tile. A missing barrier shows only where some workers are idle:
 * the supervisor gets no issue slots while all six are active, and rows that are dealt evenly end together.
 */
export const kernelDefects: readonly PlantedDefect[] = [
  {
    name: 'coefficient columns exchanged',
    layer: 'package',
    imitates: 'coefficients of two columns loaded in each other’s place',
    trials: [...onGrid(['int', 'normal', 'onehot']), ...onSingle(['int'])],
    plant: swapEntries({ 0: 4, 2: 6, 4: 0, 6: 2 }),
    location: both(inBlock, inLanes(0, 1)),
  },
  {
    name: 'coefficient lanes exchanged',
    layer: 'package',
    imitates: 'two entries of the coefficient load order swapped: half of the inner values of two columns',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: swapEntries({ 0: 4, 4: 0 }),
    location: both(inBlock, inLanes(0, 1)),
  },
  {
    name: 'stale coefficients',
    layer: 'package',
    imitates: 'two phases of a column keep the coefficients of the last launch',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: images((surgery, tile) => {
      // The last entry, which is written again later, takes the data: the load address still advances.
      const loads = surgery.sites(tile, 'ld128putcs', surgery.symbol('gemm.group'));
      surgery.amend(loads.find((site) => operandOf(site, 0) === 8)!, { 0: 62 });
    }),
    location: inBlock,
  },
  {
    name: 'K group dropped on one tile',
    layer: 'package',
    imitates: 'loop count of one tile one too small',
    trials: onGrid(['int', 'normal']),
    plant: images(dropGroup),
    location: inBlock,
  },
  {
    name: 'K group dropped',
    layer: 'package',
    imitates: 'loop count one too small',
    trials: onOnePanel(['int', 'normal']),
    plant: images(dropGroup),
    location: pattern('missing-k-block'),
  },
  {
    name: 'left operand not advanced',
    layer: 'package',
    imitates: 'pointer update between groups forgotten: the first group of rows is used again',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: images((surgery, tile) => {
      const next = surgery.symbol('gemm.nextGroup');
      const advance = surgery.sites(tile, 'add', next).find((site) => operandOf(site, 2) === 3)!;
      surgery.replace(advance, 'add', m(0), m(0), 0);
    }),
    location: inBlock,
  },
  {
    name: 'wrong matrix phase',
    layer: 'package',
    imitates: 'phase flag of one matrix step in the loop over rows',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: images((surgery, tile) => {
      const loop = surgery.sites(tile, 'rpt', surgery.symbol('gemm.nextGroup'))[0];
      const step = surgery.sites(tile, 'f16v4hihov4amp', loop.address)[0];
      surgery.amend(step, { 3: operandOf(step, 3) ^ 1 });
    }),
    location: either(inBlock, faultOnTile),
  },
  {
    name: 'coefficients loaded under running workers',
    layer: 'package',
    imitates: 'missing barrier before the next group’s coefficient load',
    trials: onIdleWorkers(['int', 'normal']),
    plant: images((surgery, tile) => surgery.replace(workerBarrier(surgery, tile, 'gemm.group'), 'nop')),
    location: either(faultOnTile, inBlock),
  },
  {
    name: 'panel started under running workers',
    layer: 'package',
    imitates: 'missing barrier before the next panel’s coefficient load',
    trials: onIdleWorkers(['int', 'normal']),
    plant: images((surgery, tile) => surgery.replace(workerBarrier(surgery, tile, 'gemm.panelDone'), 'nop')),
    location: either(faultOnTile, inBlock),
  },
  {
    name: 'accumulators not cleared',
    layer: 'package',
    imitates: 'sums of the last launch leak into the first group of the next panel',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: images((surgery, tile) => {
      const [clear] = surgery.sites(tile, 'uput', surgery.symbol('gemm.start'));
      surgery.replace(clear, 'fnop');
    }),
    location: inBlock,
  },
  {
    name: 'worker leaves at once',
    layer: 'package',
    imitates: 'entry point of the first group returns immediately',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: images((surgery, tile) => {
      const first = surgery.symbol('gemm.first');
      surgery.replace(surgery.code(tile, first)[0], 'exitz', m(15));
    }),
    location: either(faultOnTile, inBlock),
  },
  {
    name: 'matrix kernel not called',
    layer: 'package',
    imitates: 'a tile left out of a compute step',
    trials: onGrid(['int', 'normal']),
    plant: images((surgery, tile) => surgery.replace(callOf(surgery, tile, 'gemm'), 'nop')),
    location: either(inBlock, faultOnTile),
  },
  {
    name: 'reduction not called',
    layer: 'package',
    imitates: 'a tile left out of the reduction',
    trials: [...onGrid(['int', 'normal']), ...onPieces(['int'])],
    plant: images((surgery, tile) => surgery.replace(callOf(surgery, tile, 'reduce'), 'nop')),
    location: onTile,
  },
  {
    name: 'rounding toward zero',
    layer: 'package',
    imitates: 'rounding mode of FP_ICTL',
    trials: onGrid(['normal']),
    plant: images((surgery, tile) => {
      // The base of the last worker, which these kernels do not use, makes room for the mode in m0.
      const puts = surgery.sites(tile, 'put', surgery.symbol('gemm'));
      const mode = puts.find((site) => operandOf(site, 0) === CSR.FP_ICTL)!;
      const scratch = surgery.sites(tile, 'setzi', 0, mode.address).at(-1)!;
      surgery.amend(scratch, { 1: TOWARD_ZERO });
      surgery.amend(mode, { 1: m(0) });
    }),
    location: both(inBlock, pattern('precision')),
  },
  {
    name: 'undefined instruction',
    layer: 'package',
    imitates: 'data executed as code',
    trials: [...onGrid(['int']), ...onSingle(['normal'])],
    plant: images((surgery, tile) => surgery.setWord(tile, surgery.symbol('gemm.first'), 0x7fffffff)),
    location: faultOnTile,
  },
  {
    name: 'loop without end',
    layer: 'package',
    imitates: 'counter of the group loop never decremented',
    trials: [...onGrid(['int']), ...onSingle(['int'])],
    plant: images((surgery, tile) => {
      const [loop] = surgery.sites(tile, 'brnzdec', surgery.symbol('gemm.group'));
      surgery.replace(loop, 'bri', operandOf(loop, 1));
    }),
    location: faultOnTile,
  },
];
