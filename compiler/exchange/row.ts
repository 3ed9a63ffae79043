import { EVENT_LIMITS } from '../../device/ipu21/index.ts';
import type { ScheduledControl, TileSchedule } from './schedule.ts';

/** One exchange instruction of a row. `events` is what it lasts; all fields are decoded values. */
export type RowInstruction =
  | { readonly kind: 'delay'; readonly events: number }
  | { readonly kind: 'delayControl'; readonly events: number; readonly control: ScheduledControl }
  | {
      readonly kind: 'send';
      readonly events: number;
      readonly wordAddress: number;
      readonly direction: number;
    }
  | { readonly kind: 'sendContinue'; readonly events: number; readonly direction: number }
  | { readonly kind: 'sendControl'; readonly events: number; readonly control: ScheduledControl };

/**
 * Turns a tile's schedule into instructions. Idle time carries controls at the end of a delay, sending
 * time carries them one event after the start of a continuation; a send's first instruction carries none.
 */
export function encodeRow(schedule: TileSchedule): readonly RowInstruction[] {
  const row: RowInstruction[] = [];
  const { sends, controls } = schedule;
  let next = 0;
  let now = 0;

  const idleUntil = (limit: number): void => {
    while (next < controls.length && controls[next].event <= limit) {
      const control = controls[next++];
      const longest = control.kind === 'pointer' ? EVENT_LIMITS.delaypic : EVENT_LIMITS.delayxpic;
      const events = control.event - now;
      if (events > longest) delay(events - longest);
      row.push({ kind: 'delayControl', events: Math.min(events, longest), control });
      now = control.event;
    }
    if (now < limit) delay(limit - now);
    now = limit;
  };
  const delay = (events: number): void => {
    for (let left = events; left > 0; left -= EVENT_LIMITS.delay)
      row.push({ kind: 'delay', events: Math.min(left, EVENT_LIMITS.delay) });
  };

  for (const send of sends) {
    idleUntil(send.start);
    const end = send.start + send.words;
    // A control at event c is written by an instruction that starts at c - 1.
    const boundary = () => (next < controls.length ? Math.min(end, controls[next].event - 1) : end);
    let events = Math.min(EVENT_LIMITS.send, boundary() - now);
    row.push({
      kind: 'send',
      events,
      wordAddress: send.wordAddress,
      direction: send.direction,
    });
    now += events;
    while (now < end) {
      if (next < controls.length && controls[next].event - 1 === now) {
        const control = controls[next++];
        events = Math.min(EVENT_LIMITS.sendpic, boundary() - now);
        row.push({ kind: 'sendControl', events, control });
      } else {
        events = Math.min(EVENT_LIMITS.sendoff, boundary() - now);
        row.push({ kind: 'sendContinue', events, direction: send.direction });
      }
      now += events;
    }
  }
  idleUntil(schedule.horizon);
  return row;
}
