import { TILE_COUNT } from './chip.ts';

/** Number used by compilers, 0..1471: neighbours in it share columns. */
export type LogicalTile = number & { readonly space: 'logical' };
/** Number used by the exchange hardware, 0..1471: side bit, pair lane, column, row from bit 0 up [SDK]. */
export type PhysicalTile = number & { readonly space: 'physical' };

export const ROW_COUNT = 23;
export const COLUMN_COUNT = 16;
const TILES_PER_ROW = TILE_COUNT / ROW_COUNT;
const PAIRS_PER_BLOCK = ROW_COUNT;

/** A number that is no tile. */
export class TileRangeError extends RangeError {
  readonly tile: number;

  constructor(space: string, tile: number) {
    super(`${tile} is not a ${space} tile number; use an integer from 0 to ${TILE_COUNT - 1}`);
    this.name = 'TileRangeError';
    this.tile = tile;
  }
}

const isTile = (tile: number): boolean => Number.isInteger(tile) && tile >= 0 && tile < TILE_COUNT;

/** Checked logical tile number; throws TileRangeError. */
export function logicalTile(tile: number): LogicalTile {
  if (!isTile(tile)) throw new TileRangeError('logical', tile);
  return tile as LogicalTile;
}

/** Checked physical tile number; throws TileRangeError. */
export function physicalTile(tile: number): PhysicalTile {
  if (!isTile(tile)) throw new TileRangeError('physical', tile);
  return tile as PhysicalTile;
}

/** Blocks of 23 pairs run down and up the columns in turn [SDK]. */
function placeOf(logical: number): number {
  const pair = Math.floor(logical / 2);
  const block = Math.floor(pair / PAIRS_PER_BLOCK);
  const position = pair % PAIRS_PER_BLOCK;
  const row = block % 2 === 0 ? position : ROW_COUNT - 1 - position;
  return TILES_PER_ROW * row + 4 * Math.floor(block / 2) + (block % 2) + 2 * (logical % 2);
}

const PHYSICAL = Int16Array.from({ length: TILE_COUNT }, (_, logical) => placeOf(logical));
const LOGICAL = new Int16Array(TILE_COUNT);
for (const [logical, physical] of PHYSICAL.entries()) LOGICAL[physical] = logical;

/** Throws TileRangeError. */
export const physicalTileOf = (tile: LogicalTile): PhysicalTile =>
  PHYSICAL[logicalTile(tile)] as PhysicalTile;
/** Throws TileRangeError. */
export const logicalTileOf = (tile: PhysicalTile): LogicalTile => LOGICAL[physicalTile(tile)] as LogicalTile;

/** Row 0..22 of a physical tile. */
export const rowOf = (tile: number): number => tile >> 6;
/** Column 0..15 of a physical tile. */
export const columnOf = (tile: number): number => (tile >> 2) & 15;

/** The other tile of an exchange pair. */
export const partnerOf = (tile: PhysicalTile): PhysicalTile => (tile ^ 2) as PhysicalTile;
export const logicalPartnerOf = (tile: LogicalTile): LogicalTile => (tile ^ 1) as LogicalTile;
/** The primary member of a pair is the even logical tile [SDK]. */
export const isPrimary = (tile: PhysicalTile): boolean => (tile & 2) === 0;
