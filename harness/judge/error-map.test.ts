import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { encodeHalf } from '../fill/index.ts';
import { errorPicture, judge } from './index.ts';
import { colourOf, downsample } from './picture.ts';
import { CODES, changed, NAN, output, reference, VALUES, WIDTH } from './test-tensors.ts';

describe('error map and picture', () => {
  const place = (tensor: string, index: readonly number[]) => {
    if (tensor !== 'c') return undefined;
    const tile = index[1] < 6 ? 3 : 4;
    return {
      tile,
      physicalTile: 40 + tile,
      address: 0x80000 + 2 * index[0],
      labels: { worker: index[0] % 2 },
    };
  };

  test('counts by row, column, lane and every label; mismatches carry their place', () => {
    const codes = [...CODES];
    for (const flat of [14, 15, 26, 38]) codes[flat] = encodeHalf(999);
    const result = judge(reference(VALUES, WIDTH), output(codes, WIDTH), { locate: place, shown: 2 });
    expect(result.map).toMatchObject({
      rows: 5,
      columns: 12,
      mismatchedRows: 3,
      mismatchedColumns: 2,
      located: 4,
      byRow: [
        { key: 1, count: 2 },
        { key: 2, count: 1 },
        { key: 3, count: 1 },
      ],
      byColumn: [
        { key: 2, count: 3 },
        { key: 3, count: 1 },
      ],
      byLabel: {
        tile: [{ key: 3, count: 4 }],
        worker: [
          { key: 1, count: 3 },
          { key: 0, count: 1 },
        ],
      },
    });
    expect(result.mismatches).toHaveLength(2);
    expect(result.mismatches[0].place).toMatchObject({ tile: 3, physicalTile: 43, address: 0x80002 });
    expect(result.patterns).toContainEqual(
      expect.objectContaining({ kind: 'one-tile', detail: 'all on tile 3' }),
    );
  });

  test('the picture has one cell per element, wrong ones in warm colours', () => {
    const codes = changed(14, encodeHalf(999));
    codes[20] = NAN;
    const bytes = errorPicture(judge(reference(VALUES, WIDTH), output(codes, WIDTH)));
    const png = PNG.sync.read(Buffer.from(bytes ?? []));
    expect([png.width, png.height]).toEqual([120, 50]);
    const pixel = (row: number, column: number) => {
      const at = (row * 10 * png.width + column * 10) * 4;
      return [...png.data.subarray(at, at + 3)];
    };
    expect(pixel(0, 0)).toEqual([0, 0, 55]);
    expect(pixel(1, 2)).toEqual([255, 0, 0]);
    expect(pixel(1, 8)).toEqual([255, 0, 255]);
  });

  test('large planes keep the worst element of each cell', () => {
    const [rows, columns] = [700, 1000];
    const severity = new Float32Array(rows * columns);
    severity[333 * columns + 777] = 5;
    severity[699 * columns + 999] = Number.NaN;
    severity[699 * columns + 998] = 7;
    const cells = downsample(severity, rows, columns);
    expect([cells.width, cells.height]).toEqual([256, 256]);
    expect(cells.values.filter((value) => value !== 0)).toEqual(Float32Array.of(5, Number.NaN));
  });

  test('colours order severities', () => {
    expect(colourOf(1)[2]).toBe(255);
    expect(colourOf(1.01)[0]).toBe(255);
    expect(colourOf(64)).toEqual([255, 0, 0]);
    expect(colourOf(Number.POSITIVE_INFINITY)).toEqual([255, 0, 0]);
  });
});
