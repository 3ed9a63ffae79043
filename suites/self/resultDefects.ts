import { SIMULATOR_CANARIES } from '../attempt.ts';
import type { Patient, PlantedDefect } from './defect.ts';
import { both, inColumns, inRows, message, onTile, pattern } from './location.ts';
import { onGrid } from './trials.ts';

const tensor = (change: (codes: Uint16Array, columns: number, patient: Patient) => void) =>
  ({ at: 'tensor', change }) as const;

const halves = (bytes: Uint8Array) => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);

/** Flat index of row 7, column 33: in no corner of anything. */
const inside = (columns: number) => 7 * columns + 33;

function exchange(codes: Uint16Array, x: number, y: number): void {
  [codes[x], codes[y]] = [codes[y], codes[x]];
}

/** f16 code of a finite f16 code times a factor, nearest even; subnormals and zeros stay. */
function scaled(code: number, factor: number): number {
  const exponent = (code >> 10) & 31;
  if (exponent === 0 || exponent === 31) return code;
  const mantissa = (1024 + (code & 1023)) * factor;
  const floor = Math.floor(mantissa);
  const rest = mantissa - floor;
  const step = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
  return code + step - 1024 - (code & 1023);
}

const ALL = ['int', 'normal', 'onehot'] as const;

/** Defects of what the host reads back. */
export const resultDefects: readonly PlantedDefect[] = [
  {
    name: 'stale output',
    layer: 'result',
    imitates: 'the host reads what an earlier call left',
    trials: onGrid(ALL),
    plant: { at: 'earlier call' },
  },
  {
    name: 'columns exchanged',
    layer: 'result',
    imitates: 'two columns of the result swapped',
    trials: onGrid(ALL),
    plant: tensor((codes, columns) => {
      for (let row = 0; row < codes.length; row += columns) exchange(codes, row + 3, row + 40);
    }),
    location: both(inColumns(3, 40), pattern('swapped-columns')),
  },
  {
    name: 'rows exchanged',
    layer: 'result',
    imitates: 'two rows of the result swapped',
    trials: onGrid(ALL),
    plant: tensor((codes, columns) => {
      for (let column = 0; column < columns; column++)
        exchange(codes, 2 * columns + column, 21 * columns + column);
    }),
    location: both(inRows(2, 21), pattern('swapped-rows')),
  },
  {
    name: 'one ULP',
    layer: 'result',
    imitates: 'a last-bit error in one element',
    trials: onGrid(['int', 'onehot']),
    plant: tensor((codes, columns) => {
      codes[inside(columns)] ^= 1;
    }),
    location: both(inRows(7), inColumns(33)),
  },
  {
    name: 'one NaN',
    layer: 'result',
    imitates: 'a NaN that no comparison with a tolerance sees',
    trials: onGrid(ALL),
    plant: tensor((codes, columns) => {
      codes[inside(columns)] = 0x7e00;
    }),
    location: both(inRows(7), inColumns(33)),
  },
  {
    name: 'gain of 1.0005',
    layer: 'result',
    imitates: 'a constant of a scale rounded to f16',
    trials: onGrid(['int']),
    plant: tensor((codes) => {
      for (let index = 0; index < codes.length; index++) codes[index] = scaled(codes[index], 1.0005);
    }),
    location: pattern('gain'),
  },
  {
    name: 'gain of 1.01',
    layer: 'result',
    imitates: 'a scale applied twice',
    trials: onGrid(ALL),
    plant: tensor((codes) => {
      for (let index = 0; index < codes.length; index++) codes[index] = scaled(codes[index], 1.01);
    }),
    location: pattern('gain'),
  },
  {
    name: 'region never written',
    layer: 'result',
    imitates: 'a tile did not store its part of the result',
    trials: onGrid(ALL),
    plant: tensor((codes, columns, { compiled, tile }) => {
      for (let flat = 0; flat < codes.length; flat++) {
        const place = compiled.locate('c', [Math.floor(flat / columns), flat % columns]);
        if (place?.tile === tile) codes[flat] = SIMULATOR_CANARIES[0];
      }
    }),
    location: both(onTile, pattern('unwritten')),
  },
  {
    name: 'all zero',
    layer: 'result',
    imitates: 'a kernel that did nothing',
    trials: onGrid(ALL),
    plant: tensor((codes) => void codes.fill(0)),
    location: pattern('zeroed'),
  },
  {
    name: 'dirty padding of the output',
    layer: 'result',
    imitates: 'a column beyond the matrix was written',
    trials: onGrid(ALL),
    plant: {
      at: 'outputs',
      change: (bytes) => {
        // 69 columns leave 11 padded ones in the last panel of the last block.
        const codes = halves(bytes);
        codes[codes.length - 1] = 0x3c00;
      },
    },
    location: message(
      'padding, with tile and address',
      /padding violations of c; first: tile \d+ address 0x/,
    ),
  },
];
