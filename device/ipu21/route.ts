import { writeLatency } from './exchange.ts';

/**
 * Routes of the exchange between physical tiles, recovered from the SDK's fabric model and confirmed by
 * replays on hardware [SDK]/[HW]. All arguments are physical tile numbers 0..1471 and are not checked: a
 * scheduler calls these functions millions of times.
 *
 * Everything but the rows follows from the low six bits (side, lane, column) of both tiles, so that two tables
 * of 64 x 64 entries hold all routes.
 */
const COLUMN_TILES = 64;

/** Distance of a column from the edge of its half: 0..7. */
const fold = (column: number): number => (column <= 7 ? column : 15 - column);

/** Signed number of steps between sender and receiver column, with the receiver's lane in the last digit. */
function displacementOf(sender: number, receiver: number): number {
  const senderColumn = sender >> 2;
  const receiverColumn = receiver >> 2;
  const mux = fold(senderColumn) + ((senderColumn >> 3) ^ (sender & 1));
  const base = 6 * (fold(receiverColumn) - mux);
  const half = receiverColumn >> 3;
  const lane = receiver & 3;
  if (lane >= 2) return base + (half === (receiver & 1) ? 2 : 4);
  return base + (half === lane ? 1 : 5);
}

/** Time to mux of two tiles in the same row. */
function timeInRow(sender: number, receiver: number): number {
  const senderColumn = sender >> 2;
  const receiverColumn = receiver >> 2;
  const inHalf = senderColumn & 7;
  const sourceEdge = 4 * fold(senderColumn);
  const destinationEdge = 4 * fold(receiverColumn);
  const local = (senderColumn & 8) | ((sender >> 3) & 3);
  const crossing = local - receiverColumn + ((inHalf >> 1) ^ 3);
  const turn = senderColumn >> 3 === receiverColumn >> 3 ? inHalf + 1 : 16 - inHalf;
  const distance = Math.abs(displacementOf(sender, receiver));
  return crossing + sourceEdge + turn - destinationEdge + distance - 34;
}

const tabulate = (of: (sender: number, receiver: number) => number): Int16Array =>
  Int16Array.from({ length: COLUMN_TILES ** 2 }, (_, index) => of(index >> 6, index & 63));

const DISPLACEMENT = tabulate(displacementOf);
const TIME_IN_ROW = tabulate(timeInRow);

/** Displacement of a route, -47..47. */
export const routeDisplacement = (sender: number, receiver: number): number =>
  DISPLACEMENT[((sender & 63) << 6) | (receiver & 63)];

/** Direction bit of the send control: 1 or 2. */
export const routeDirection = (sender: number, receiver: number): 1 | 2 =>
  routeDisplacement(sender, receiver) < 1 ? 2 : 1;

/**
 * Events from the issue of a word on the sender to the event before its mux on the receiver, -78..112: a word
 * sent at event s passes when the source was selected at s + timeToMux + 1.
 */
export const timeToMux = (sender: number, receiver: number): number =>
  TIME_IN_ROW[((sender & 63) << 6) | (receiver & 63)] + 2 * ((sender >> 6) - (receiver >> 6));

/** Time to mux of a paired 64-bit route: the later member of the receiver's pair decides. */
export const pairedTimeToMux = (sender: number, receiver: number): number =>
  Math.max(timeToMux(sender, receiver), timeToMux(sender, receiver ^ 2));

/** The early member of a receiver pair owns the selection of a paired source. */
export const isEarlyMember = (sender: number, receiver: number): boolean =>
  timeToMux(sender, receiver) < timeToMux(sender, receiver ^ 2);

/** Value that selects a paired source on this receiver. */
export const pairedSource = (sender: number, receiver: number): number => sender ^ (receiver & 2);

/** Events from the issue of a word to its write into the receiver's SRAM, 19..165, 32-bit items. */
export const routeLatency = (sender: number, receiver: number): number =>
  timeToMux(sender, receiver) + writeLatency(receiver >> 6);

/** Fills `times` (length 1472) with timeToMux of one sender to every physical tile. */
export function timesFrom(sender: number, times: Int16Array): void {
  const table = (sender & 63) << 6;
  const senderRow = 2 * (sender >> 6);
  for (let receiver = 0; receiver < times.length; receiver++)
    times[receiver] = TIME_IN_ROW[table | (receiver & 63)] + senderRow - 2 * (receiver >> 6);
}
