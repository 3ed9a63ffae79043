/**
 * Constants of the on-chip exchange. Events are tile cycles counted from the release of the internal barrier,
 * in the tile's own time; a count of n events is encoded as n - 1 [SDK].
 */

/** Most events one instruction lasts [SDK]. */
export const EVENT_LIMITS = {
  delay: 0x80000,
  delaypic: 128,
  delayxpic: 4096,
  send: 64,
  sendoff: 4096,
  sendpic: 64,
  sendpicp: 64,
} as const;

/** Source that disconnects a receiver, physical tile ids being smaller [SDK]. */
export const NEUTRAL_SOURCE = 0x640;
/** Bytes of a 32-bit and of a paired 64-bit item. */
export const ITEM_BYTES = { single: 4, paired: 8 } as const;

/** Events from source selection to the first word written on a tile of this row, 32-bit items [HW]. */
export const pointerLatency = (row: number): number => 52 + 2 * row;
/** Events from source selection to the start of the 64-bit format; the pointer follows 2 events later [SDK]. */
export const formatLatency = (row: number): number => 51 + 2 * row;
/** Event from issue of a word to its write, beyond the time to mux: 53 + 2 x row of the receiver [SDK]/[HW]. */
export const writeLatency = (row: number): number => 53 + 2 * row;

/** Events a receiver waits after its last word is written [SW]. */
export const RECEIVE_GUARD = 5;
/** Events after the last control of a paired receiver [SDK]/[HW]. */
export const PAIRED_GUARD = 7;
/** Shortest row of a sender, in events [SW]. */
export const MINIMUM_SENDER_EVENTS = 6;
/** Value of INCOMING_DCOUNT before a phase [SW]. */
export const PHASE_DCOUNT = 1;

/** Selector of delaypic and delayxpic, and the four-way selector of sendpic [SDK]. */
export const PIC_SELECTOR = { pointer: 0, format: 1 } as const;
export const XPIC_SELECTOR = { single: 0, paired: 1 } as const;
export const SENDPIC_SELECTOR = { single: 0, paired: 1, pointer: 2, format: 3 } as const;
/** Incoming formats: 32-bit, 64-bit from direction 1 (east), 64-bit from direction 2 (west) [SDK]. */
export const INCOMING_FORMAT = { single: 0, pairedDirection1: 1, pairedDirection2: 2 } as const;
/** Bits of the send control: direction mask, and the width flag [SDK]. */
export const SEND_CONTROL = { none: 0, direction1: 1, direction2: 2, both: 3, paired: 4 } as const;

/** Operands of sync. External groups come as slave (as listed) and as master (+ 8) [SDK]. */
export const SYNC = {
  receive: 0,
  nonParticipation: 1,
  local: 2,
  internal: 3,
  gs1: 4,
  gs1Host: 5,
  gs2: 6,
  gs2Host: 7,
} as const;
export const SYNC_MASTER = 8;
