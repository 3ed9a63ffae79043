import { main } from './form.ts';
import { named, presumed, zimm } from './slot.ts';

/**
 * Exchange instructions of the supervisor [SDK]. Every event count is encoded minus 1. A source is a
 * physical tile id or a mux constant; a PIC value is a destination word address (selector 0) or a format
 * (selector 1); send control is a direction mask, plus 4 for 64-bit items.
 */
const SUPERVISOR = { mode: 'supervisor', solo: true } as const;

const sendCount = named('Count', zimm(6, [21, 6]));
const sendAddress = named('Address', zimm(18, [3, 18]));
const sendControl = named('Control', zimm(3));
const picValue = (at: number) => named('PicValue', zimm(18, [at, 18]));

export const EXCHANGE = [
  main('delay.z19', 0x40a00000, [named('Count', presumed(zimm(19)))], SUPERVISOR),
  // Wait, then write one receive control: count, selector, value.
  main(
    'delaypic.z7z1z18',
    0x60000000,
    [named('Count', zimm(7, [19, 7])), named('Selector', zimm(1, [18, 1])), picValue(0)],
    SUPERVISOR,
  ),
  main(
    'delayxpic.z12z1z13',
    0x64000000,
    [named('Count', zimm(12, [14, 12])), named('Selector', zimm(1, [13, 1])), named('Source', zimm(13))],
    SUPERVISOR,
  ),
  // Send: count, source address in items, control.
  main('send.z6z18z3', 0x78000000, [sendCount, sendAddress, sendControl], SUPERVISOR),
  // Continue a stream: count (low bits in the place of the send count), source delta, control.
  main(
    'sendoff.z12z11z3',
    0x70000000,
    [named('Count', zimm(12, [21, 6], [14, 6])), named('Delta', zimm(11, [3, 11])), sendControl],
    SUPERVISOR,
  ),
  // Continue a stream and write one receive control: count, selector (0, 1 = XPIC, 2, 3 = PIC), value.
  main(
    'sendpic.z6z2z18',
    0x70100000,
    [sendCount, named('Selector', zimm(2, [18, 2])), picValue(0)],
    SUPERVISOR,
  ),
  // Two words, bit 31 set in the first: count, address, control, XPIC selector and source, PIC selector and value.
  main(
    'sendpicp.z6z18z3z1z13z1z18',
    0xf0000000,
    [
      sendCount,
      sendAddress,
      sendControl,
      named('SourceSelector', zimm(1, [63, 1])),
      named('Source', zimm(13, [50, 13])),
      named('PicSelector', zimm(1, [27, 1])),
      picValue(32),
    ],
    { ...SUPERVISOR, words: 2 },
  ),
] as const;
