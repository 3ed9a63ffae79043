import { SYNC } from '../../device/ipu21/index.ts';
import { operandOf, type Site, type Surgery } from './surgery.ts';

const EXCHANGE = ['delay', 'delaypic', 'delayxpic', 'send', 'sendoff', 'sendpic'];

/** Exchange row of a tile: what stands behind its n-th internal barrier. Throws RangeError without one. */
export function exchangeRow(surgery: Surgery, tile: number, phase: number): readonly Site[] {
  const code = surgery.code(tile, surgery.symbol('gemm'));
  const barriers = code.flatMap((site, index) =>
    site.instruction.form.mnemonic === 'sync' && operandOf(site, 0) === SYNC.internal ? [index] : [],
  );
  if (barriers[phase] === undefined) throw new RangeError(`tile ${tile} takes no part in phase ${phase}`);
  const behind = code.slice(barriers[phase] + 1);
  const end = behind.findIndex((site) => !EXCHANGE.includes(site.instruction.form.mnemonic));
  return end < 0 ? behind : behind.slice(0, end);
}

/** The n-th instruction of a row that satisfies a test. Throws RangeError without one. */
export function inRow(row: readonly Site[], nth: number, test: (site: Site) => boolean): Site {
  const found = row.filter(test)[nth];
  if (found === undefined) throw new RangeError(`the row has fewer than ${nth + 1} such instructions`);
  return found;
}

/** Makes one instruction of a row last some events longer (or shorter) and the next delay as much shorter. */
export function moveBoundary(surgery: Surgery, row: readonly Site[], site: Site, events: number): void {
  const next = row[row.indexOf(site) + 1];
  if (next === undefined || next.instruction.form.mnemonic !== 'delay')
    throw new RangeError('no delay behind the instruction to make up for it');
  surgery.amend(site, { 0: operandOf(site, 0) + events });
  surgery.amend(next, { 0: operandOf(next, 0) - events });
}
