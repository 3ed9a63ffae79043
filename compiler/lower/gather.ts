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

/**
 * One order for messages of several receiver groups, each with a list of its own: the group that is free first takes
 * the message whose sender is free first, and among equals the one whose sender has most left to send. A model of
 * the schedule without routes; the scheduler keeps the order.
 */
export function orderByAvailability(lists: readonly (readonly Transfer[])[]): readonly Transfer[] {
  const left = new Map<number, number>();
  for (const list of lists)
    for (const { source, words } of list) left.set(source.tile, (left.get(source.tile) ?? 0) + words);
  const senderFree = new Map<number, number>();
  const groups = lists
    .map((list) => ({ pending: [...list], free: 0 }))
    .filter(({ pending }) => pending.length > 0);
  const order: { transfer: Transfer; start: number }[] = [];
  while (groups.length > 0) {
    let first = 0;
    for (let index = 1; index < groups.length; index++)
      if (groups[index].free < groups[first].free) first = index;
    const group = groups[first];
    let best = 0;
    let bestStart = Number.POSITIVE_INFINITY;
    let bestLeft = -1;
    group.pending.forEach(({ source }, index) => {
      const start = Math.max(group.free, senderFree.get(source.tile) ?? 0);
      const load = left.get(source.tile) ?? 0;
      if (start > bestStart || (start === bestStart && load <= bestLeft)) return;
      [best, bestStart, bestLeft] = [index, start, load];
    });
    const [transfer] = group.pending.splice(best, 1);
    order.push({ transfer, start: bestStart });
    group.free = bestStart + transfer.words;
    senderFree.set(transfer.source.tile, group.free);
    left.set(transfer.source.tile, bestLeft - transfer.words);
    if (group.pending.length === 0) groups.splice(first, 1);
  }
  return order.sort((x, y) => x.start - y.start).map(({ transfer }) => transfer);
}
