/** Tokens, features and inner values go in blocks of 16: the matrix unit's channels and coefficient depth [SDK]. */
export const BLOCK = 16;

/**
 * A logical axis stored in whole blocks: `segments` runs of `length` elements, each padded to a multiple of 16.
 * A plain axis is one segment; heads of one width, or the sequences of a batch, are several.
 */
export interface BlockedAxis {
  readonly segments: number;
  readonly length: number;
}

export const plainAxis = (length: number): BlockedAxis => ({ segments: 1, length });

/** Blocks of one segment. */
export const segmentBlocks = ({ length }: BlockedAxis): number => Math.ceil(length / BLOCK);

export const blockCount = (axis: BlockedAxis): number => axis.segments * segmentBlocks(axis);

/** Logical elements of a block; `size` is below 16 where a segment ends. */
export function blockExtent(axis: BlockedAxis, block: number): { start: number; size: number } {
  const perSegment = segmentBlocks(axis);
  const inSegment = (block % perSegment) * BLOCK;
  return {
    start: Math.floor(block / perSegment) * axis.length + inSegment,
    size: Math.min(BLOCK, axis.length - inSegment),
  };
}

/** Elements with the padding between segments; the padding behind the last segment does not count. */
export const storedExtent = (axis: BlockedAxis): number =>
  (axis.segments - 1) * segmentBlocks(axis) * BLOCK + axis.length;
