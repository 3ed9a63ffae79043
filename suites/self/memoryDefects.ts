import { type LogicalTile, physicalTileOf } from '../../device/ipu21/index.ts';
import { tableAddress } from './calls.ts';
import type { PlantedDefect } from './defect.ts';
import {
  both,
  either,
  faultOnTile,
  inBlock,
  inColumnBlock,
  inRowBlock,
  message,
  pattern,
} from './location.ts';
import type { Surgery } from './surgery.ts';
import { onGrid, onSingle } from './trials.ts';

const GROUP = 16;
const HALF = { one: 0x3c00, nan: 0x7e00, sign: 0x8000 } as const;

const halves = (bytes: Uint8Array) => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);

/** Fills the padded inner values of the last group, k mod 16 of which are real. */
function dirtyTail(file: Uint8Array, k: number, code: number): void {
  const data = halves(file);
  const real = k % GROUP;
  for (let run = 0; run < data.length; run += GROUP) {
    const tail = data.subarray(run + real, run + GROUP);
    if (tail.every((value) => value === 0)) tail.fill(code);
  }
}

const innerExtent = (line: string) => Number(/k=(\d+)/.exec(line)![1]);

/** Index of the first element that is neither zero nor subnormal. */
const firstOrdinary = (data: Uint16Array) => data.findIndex((code) => (code & 0x7c00) !== 0);

/** Flips one bit of a loaded tile's memory. */
const flip = (address: (surgery: Surgery, tile: number) => number, bit: number) =>
  ({
    at: 'memory',
    strike: (device, surgery, { tile }) => {
      const physical = physicalTileOf(tile as LogicalTile);
      const place = address(surgery, tile) + (bit >> 3);
      const [byte] = device.readTile(physical, place, 1);
      device.writeTile(physical, place, Uint8Array.of(byte ^ (1 << (bit & 7))));
    },
  }) satisfies PlantedDefect['plant'];

/** Exchanges the tiles of two slices of equal size. */
const exchangeSlices = (name: string) =>
  ({
    at: 'images',
    patch: (surgery) =>
      surgery.rebind(name, (binding) => {
        const slices = [...binding.slices];
        const { size, tile } = slices[0];
        const other = slices.findIndex((slice) => slice.size === size && slice.tile !== tile);
        slices[0] = { ...slices[0], tile: slices[other].tile };
        slices[other] = { ...slices[other], tile };
        return { ...binding, slices };
      }),
  }) satisfies PlantedDefect['plant'];

/** Defects of what memory holds, of the host's maps and of the file. */
export const memoryDefects: readonly PlantedDefect[] = [
  {
    name: 'padding not zero',
    layer: 'sram',
    imitates: 'the padded inner values of both operands hold ones',
    trials: [...onGrid(['int', 'normal']), { line: 'gemm/m=21,k=75,n=38,fill=int', tile: 0 }],
    plant: {
      at: 'inputs',
      change: (files, { line }) => {
        for (const file of files.values()) dirtyTail(file, innerExtent(line), HALF.one);
      },
    },
    location: pattern('offset'),
  },
  {
    name: 'padding holds NaN',
    layer: 'sram',
    imitates: 'poison beside zeros of the other operand',
    trials: onGrid(['int', 'normal', 'onehot']),
    plant: {
      at: 'inputs',
      change: (files, { line }) => dirtyTail(files.get('a')!, innerExtent(line), HALF.nan),
    },
    location: pattern('nan-spread'),
  },
  {
    name: 'flipped sign in B',
    layer: 'sram',
    imitates: 'one damaged coefficient',
    trials: onGrid(['int', 'normal', 'onehot']),
    plant: {
      at: 'inputs',
      change: (files) => {
        const data = halves(files.get('b')!);
        data[firstOrdinary(data)] ^= HALF.sign;
      },
    },
    location: pattern('one-column', 'single-element'),
  },
  {
    name: 'flipped sign in A',
    layer: 'sram',
    imitates: 'one damaged value of the left operand',
    trials: onGrid(['int', 'normal', 'onehot']),
    plant: {
      at: 'inputs',
      change: (files) => {
        const data = halves(files.get('a')!);
        data[firstOrdinary(data)] ^= HALF.sign;
      },
    },
    location: pattern('one-row'),
  },
  {
    name: 'flipped bit in an argument table',
    layer: 'sram',
    imitates: 'memory damaged after loading: a worker writes 32 bytes off',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: flip((surgery, tile) => tableAddress(surgery, tile, 'gemm') + 4, 5),
    location: inBlock,
  },
  {
    name: 'flipped bit in kernel code',
    layer: 'sram',
    imitates: 'memory damaged after loading: a coefficient load goes to another entry',
    trials: [...onGrid(['int', 'normal']), ...onSingle(['int'])],
    plant: flip((surgery) => surgery.symbol('gemm.panel'), 3),
    location: either(inBlock, faultOnTile),
  },
  {
    name: 'operand slices exchanged',
    layer: 'package',
    imitates: 'two tiles swapped in an input binding',
    trials: onGrid(['int', 'normal', 'onehot'], 0),
    plant: exchangeSlices('a'),
    location: inRowBlock,
  },
  {
    name: 'output slices exchanged',
    layer: 'package',
    imitates: 'two tiles swapped in the output binding',
    trials: onGrid(['int', 'normal'], 0),
    plant: exchangeSlices('c'),
    location: both(inRowBlock, inColumnBlock),
  },
  {
    name: 'truncated package',
    layer: 'package',
    imitates: 'a write that did not finish',
    trials: onGrid(['int']),
    plant: { at: 'file', damage: (bytes) => bytes.subarray(0, bytes.byteLength - 64) },
    location: message('package, in one message', /^Cap'n Proto error/),
  },
];
