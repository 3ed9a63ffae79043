import { operandOf, type Site, type Surgery } from './surgery.ts';

/** Register that holds the argument table of a kernel when it is called. */
const TABLE_REGISTER = 3;

/** The calls of a kernel routine on a tile; none on a tile without work for it. */
export const callsOf = (surgery: Surgery, tile: number, kernel: string): readonly Site[] =>
  surgery
    .code(tile)
    .filter(
      (site) => site.instruction.form.mnemonic === 'call' && operandOf(site, 1) === surgery.symbol(kernel),
    );

/** The first call of a kernel routine. Throws RangeError on a tile without one. */
export function callOf(surgery: Surgery, tile: number, kernel: string): Site {
  const [first] = callsOf(surgery, tile, kernel);
  if (first === undefined) throw new RangeError(`tile ${tile} does not call ${kernel}`);
  return first;
}

/** Byte address of the argument table of a kernel, read off the code before its call. */
export function tableAddress(surgery: Surgery, tile: number, kernel: string): number {
  const call = callOf(surgery, tile, kernel);
  const loads = surgery.sites(tile, 'setzi', 0, call.address);
  const last = loads.filter((site) => operandOf(site, 0) === TABLE_REGISTER).at(-1);
  if (last === undefined) throw new RangeError(`tile ${tile} calls ${kernel} without a table`);
  return operandOf(last, 1);
}
