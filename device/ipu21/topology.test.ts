import { describe, expect, it } from 'vitest';
import { TILE_COUNT } from './chip.ts';
import {
  columnOf,
  isPrimary,
  type LogicalTile,
  logicalPartnerOf,
  logicalTile,
  logicalTileOf,
  type PhysicalTile,
  partnerOf,
  physicalTile,
  physicalTileOf,
  rowOf,
  TileRangeError,
} from './topology.ts';

/** Logical tile, physical tile, row, column, low two bits; read off the original tools. */
const KNOWN: readonly (readonly [number, number, number, number, number])[] = [
  [0, 0, 0, 0, 0],
  [1, 2, 0, 0, 2],
  [2, 64, 1, 0, 0],
  [3, 66, 1, 0, 2],
  [44, 1408, 22, 0, 0],
  [45, 1410, 22, 0, 2],
  [46, 1409, 22, 0, 1],
  [47, 1411, 22, 0, 3],
  [48, 1345, 21, 0, 1],
  [90, 1, 0, 0, 1],
  [91, 3, 0, 0, 3],
  [92, 4, 0, 1, 0],
  [138, 1413, 22, 1, 1],
  [183, 7, 0, 1, 3],
  [184, 8, 0, 2, 0],
  [367, 15, 0, 3, 3],
  [368, 16, 0, 4, 0],
  [735, 31, 0, 7, 3],
  [736, 32, 0, 8, 0],
  [1000, 361, 5, 10, 1],
  [1103, 47, 0, 11, 3],
  [1104, 48, 0, 12, 0],
  [1469, 127, 1, 15, 3],
  [1470, 61, 0, 15, 1],
  [1471, 63, 0, 15, 3],
];

const logicals = Array.from({ length: TILE_COUNT }, (_, tile) => tile as LogicalTile);

describe('tile numbering', () => {
  it.each(KNOWN)(
    'logical %i is physical %i, row %i, column %i, low bits %i',
    (logical, physical, row, column, low) => {
      const tile = physicalTileOf(logicalTile(logical));
      expect([tile, rowOf(tile), columnOf(tile), tile & 3]).toEqual([physical, row, column, low]);
      expect(logicalTileOf(physicalTile(physical))).toBe(logical);
    },
  );

  it('is a permutation', () => {
    const images = new Set(logicals.map(physicalTileOf));
    expect(images.size).toBe(TILE_COUNT);
    expect(Math.max(...images)).toBe(TILE_COUNT - 1);
    for (const tile of logicals) expect(logicalTileOf(physicalTileOf(tile))).toBe(tile);
  });

  it('keeps pairs together: logical neighbours differ in the pair lane', () => {
    for (const tile of logicals) {
      const physical = physicalTileOf(tile);
      expect(partnerOf(physical)).toBe(physicalTileOf(logicalPartnerOf(tile)));
      expect(isPrimary(physical)).toBe(tile % 2 === 0);
    }
  });

  it('fills a column with two blocks of 46 consecutive tiles', () => {
    for (const tile of logicals) {
      const physical = physicalTileOf(tile);
      expect(columnOf(physical)).toBe(Math.floor(tile / 92));
      expect(physical & 1).toBe(Math.floor(tile / 46) % 2);
    }
  });

  it.each([-1, 1472, 0.5, Number.NaN])('refuses %d', (tile) => {
    expect(() => logicalTile(tile)).toThrow(TileRangeError);
    expect(() => physicalTile(tile)).toThrow(TileRangeError);
    expect(() => physicalTileOf(tile as LogicalTile)).toThrow(/use an integer from 0 to 1471/);
    expect(() => logicalTileOf(tile as PhysicalTile)).toThrow(TileRangeError);
  });
});
