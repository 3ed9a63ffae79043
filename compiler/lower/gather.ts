import type { LogicalTile } from '../../device/ipu21/index.ts';
import { splitEvenly } from '../plan/partition.ts';
import type { BufferName, Transfer } from './stages.ts';

/** One owner's part of a block that several tiles need. */
export interface Piece {
  readonly owner: LogicalTile;
  /** Byte offset in the block. */
  readonly offset: number;
  readonly bytes: number;
}

/** Shortest worthwhile message: below it, changing the source costs more than the words moved [model]. */
const MINIMUM_PIECE_BYTES = 256;
/** Unit of a piece: one 64-bit SRAM access. */
const PIECE_GRAIN = 8;

/**
 * Cuts a block of `bytes` into one contiguous piece per owner, owners spread evenly over the members.
 * Piece order is member order, so that receivers fill the block front to back without moving a pointer.
 */
export function ownedPieces(bytes: number, members: readonly LogicalTile[]): readonly Piece[] {
  const owners = Math.min(members.length, Math.max(1, Math.floor(bytes / MINIMUM_PIECE_BYTES)));
  return splitEvenly(bytes / PIECE_GRAIN, owners).map(({ start, end }, index) => ({
    owner: members[Math.floor((index * members.length) / owners)],
    offset: start * PIECE_GRAIN,
    bytes: (end - start) * PIECE_GRAIN,
  }));
}

/**
 * All-gather by multicast: owners take turns, every member (the owner too, by loop-back) receives the
 * piece at its place in the block. The block must not share an element with the pieces' home.
 */
export function gatherTransfers(
  pieces: readonly Piece[],
  members: readonly LogicalTile[],
  home: BufferName,
  block: BufferName,
): readonly Transfer[] {
  return pieces.map((piece) => ({
    source: { tile: piece.owner, buffer: home, offset: 0 },
    words: piece.bytes / 4,
    receivers: members.map((tile) => ({ tile, buffer: block, offset: piece.offset })),
  }));
}
