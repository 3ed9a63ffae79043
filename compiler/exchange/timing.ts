/** Timing facts of the exchange that schedules rest on, in events (one event = one tile cycle). */

/** From the selection of a source to the first word written, on physical row 0; two more per row [HW]. */
export const POINTER_LATENCY = 52;
/** Events a row lasts beyond its last received word [SW]. */
export const RECEIVE_GUARD = 5;
/** Source value that disconnects the receiver [SDK]. */
export const NEUTRAL_SOURCE = 0x640;
/** Longest instruction of each kind, in events [SDK]. */
export const LIMITS = {
  delay: 524_288,
  pointerDelay: 128,
  sourceDelay: 4096,
  send: 64,
  sendContinue: 4096,
  sendControl: 64,
} as const;
