import { PNG } from 'pngjs';
import type { Judgement } from './judgement.ts';

/** Largest picture, in cells; larger planes show the worst element of each cell. */
const LARGEST = 256;

/** Small planes are drawn with cells of several pixels. */
const SMALLEST_SIDE = 128;

/**
 * A picture of a judgement as PNG bytes: rows down, columns across. Dark to light blue is an error within
 * the bound (0 to 1 times it), yellow to red one beyond it (1 to 64 times), magenta a wrong NaN or infinity.
 * Undefined when nothing was compared.
 */
export function errorPicture(judgement: Judgement): Uint8Array | undefined {
  const { severity, map } = judgement;
  if (severity === undefined || map === undefined) return undefined;
  const cells = downsample(severity, map.rows, map.columns);
  const scale = Math.max(1, Math.floor(SMALLEST_SIDE / Math.max(cells.width, cells.height)));
  const png = new PNG({ width: cells.width * scale, height: cells.height * scale });
  for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++) {
      const cell = Math.floor(y / scale) * cells.width + Math.floor(x / scale);
      png.data.set([...colourOf(cells.values[cell]), 255], (y * png.width + x) * 4);
    }
  }
  return new Uint8Array(PNG.sync.write(png));
}

interface Cells {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
}

/** Worst severity per cell; NaN is worse than any number. */
export function downsample(severity: Float32Array, rows: number, columns: number): Cells {
  const height = Math.min(rows, LARGEST);
  const width = Math.min(columns, LARGEST);
  const values = new Float32Array(width * height);
  for (let row = 0; row < rows; row++) {
    const line = Math.floor((row * height) / rows) * width;
    for (let column = 0; column < columns; column++) {
      const cell = line + Math.floor((column * width) / columns);
      const value = severity[row * columns + column];
      if (!(value <= values[cell])) values[cell] = Number.isNaN(values[cell]) ? Number.NaN : value;
    }
  }
  return { width, height, values };
}

/** Red, green, blue of a severity. */
export function colourOf(severity: number): readonly [number, number, number] {
  if (Number.isNaN(severity)) return [255, 0, 255];
  if (severity <= 1) {
    const level = Math.round(200 * severity);
    return [level >> 1, level, Math.min(255, 55 + level)];
  }
  const heat = Math.min(1, Math.log2(severity) / 6);
  return [255, Math.round(220 * (1 - heat)), 0];
}
