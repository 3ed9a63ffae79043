import type { PhysicalTile } from '../../device/ipu21/index.ts';

/** A receiving end: physical tile and destination word address (byte address / 4). */
export interface Receiver {
  readonly tile: PhysicalTile;
  readonly wordAddress: number;
}

/** A message with addresses: what the exchange scheduler orders in time. */
export interface PhysicalTransfer {
  readonly source: { readonly tile: PhysicalTile; readonly wordAddress: number };
  readonly words: number;
  readonly receivers: readonly Receiver[];
}
