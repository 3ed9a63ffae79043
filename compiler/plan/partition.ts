/** One contiguous share of an axis, in elements of the axis. */
export interface Share {
  readonly start: number;
  /** Logical elements; the last share may hold fewer than `blocks * block`. */
  readonly size: number;
  /** First grain block of the share. */
  readonly firstBlock: number;
  /** Whole grain blocks, padding included. */
  readonly blocks: number;
}

/** A balanced split of an axis into contiguous shares of whole grain blocks. */
export interface AxisPartition {
  readonly extent: number;
  /** Grain in elements: 1 for rows, 16 for columns and for inner values of f16. */
  readonly block: number;
  readonly shares: readonly Share[];
  /** Largest number of blocks in a share. */
  readonly maxBlocks: number;
}

/**
 * Splits `extent` elements, counted in grains of `block`, into `parts` shares; the first shares get one
 * block more. Requires 1 <= parts <= ceil(extent / block).
 */
export function partitionAxis(extent: number, block: number, parts: number): AxisPartition {
  const blocks = Math.ceil(extent / block);
  if (parts < 1 || parts > blocks) {
    throw new RangeError(`cannot split ${blocks} blocks of ${block} into ${parts} parts`);
  }
  const base = Math.floor(blocks / parts);
  const longer = blocks % parts;
  const shares: Share[] = [];
  let firstBlock = 0;
  for (let part = 0; part < parts; part++) {
    const count = base + (part < longer ? 1 : 0);
    const start = firstBlock * block;
    const size = Math.min(extent, start + count * block) - start;
    shares.push({ start, size, firstBlock, blocks: count });
    firstBlock += count;
  }
  return { extent, block, shares, maxBlocks: base + (longer > 0 ? 1 : 0) };
}

/** Splits `count` items into `parts` contiguous ranges [start, end); the first ranges get one more. */
export function splitEvenly(count: number, parts: number): readonly { start: number; end: number }[] {
  const base = Math.floor(count / parts);
  const longer = count % parts;
  const ranges: { start: number; end: number }[] = [];
  let start = 0;
  for (let part = 0; part < parts; part++) {
    const end = start + base + (part < longer ? 1 : 0);
    ranges.push({ start, end });
    start = end;
  }
  return ranges;
}

/** Part counts of an axis that no smaller count equals in its largest share. */
export function* tightParts(blocks: number, limit: number): Generator<number> {
  let last = Number.POSITIVE_INFINITY;
  for (let parts = 1; parts <= Math.min(blocks, limit); parts++) {
    const share = Math.ceil(blocks / parts);
    if (share < last) yield parts;
    last = share;
  }
}
