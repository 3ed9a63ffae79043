import type { Operand, RegisterOperand } from './operand.ts';
import { type ImmediateSlot, piecesOf, type RegisterSlot, type Slot } from './slot.ts';

/** Why an operand does not fit a slot: wrong sort, or right sort with a bad value. */
export type Misfit = 'kind' | 'alignment' | 'range' | undefined;

/** Smallest and largest operand value of an immediate, and the step between its values. */
export function immediateRange(slot: ImmediateSlot): { min: number; max: number; step: number } {
  const step = 2 ** slot.shift;
  const values = 2 ** slot.bits;
  if (slot.type === 'simm') return { min: -values / 2, max: values / 2 - 1, step };
  return { min: 0, max: (values - 1) * step, step };
}

function registerMisfit(slot: RegisterSlot, operand: RegisterOperand): Misfit {
  const { file, index, span, broadcast, mark } = operand;
  if (file !== slot.file || span !== slot.span) return 'kind';
  if (broadcast !== slot.broadcast || mark !== slot.mark) return 'kind';
  if (!Number.isInteger(index) || index < 0 || index + span - 1 > slot.last) return 'range';
  return index % span === 0 ? undefined : 'alignment';
}

/** Like a comparison with immediateRange, without its object: this runs for every operand of a program. */
function immediateMisfit(slot: ImmediateSlot, value: number): Misfit {
  if (!Number.isInteger(value)) return 'range';
  const values = 2 ** slot.bits;
  const field = value / 2 ** slot.shift;
  const lowest = slot.type === 'simm' ? -values / 2 : 0;
  if (field < lowest || field > lowest + values - 1) return 'range';
  return Number.isInteger(field) ? undefined : 'alignment';
}

/** Undefined when the operand fits. */
export function misfit(slot: Slot, operand: Operand): Misfit {
  if (slot.kind === 'register') return typeof operand === 'object' ? registerMisfit(slot, operand) : 'kind';
  return typeof operand === 'number' ? immediateMisfit(slot, operand) : 'kind';
}

/** Ors the bits of a fitting operand into the words. */
export function insertField(words: [number, number], slot: Slot, operand: Operand): void {
  if (slot.kind === 'register') {
    words[0] |= (operand as RegisterOperand).index << slot.at;
    return;
  }
  let value = (operand as number) / 2 ** slot.shift;
  for (const [at, bits] of slot.pieces) {
    const piece = value & ((1 << bits) - 1);
    if (at < 32) words[0] |= piece << at;
    else words[1] |= piece << (at - 32);
    value >>= bits;
  }
}

/** Reads an operand back; undefined when the bits are no legal value of the slot. */
export function extractField(word0: number, word1: number, slot: Slot): Operand | undefined {
  let value = 0;
  let width = 0;
  for (const [at, bits] of piecesOf(slot)) {
    const word = at < 32 ? word0 >>> at : word1 >>> (at - 32);
    value |= (word & ((1 << bits) - 1)) << width;
    width += bits;
  }
  if (slot.kind === 'immediate') {
    if (slot.type === 'simm' && value >= 2 ** (width - 1)) value -= 2 ** width;
    return value * 2 ** slot.shift;
  }
  if (value % slot.span !== 0 || value + slot.span - 1 > slot.last) return undefined;
  return {
    file: slot.file,
    index: value,
    span: slot.span,
    ...(slot.broadcast === undefined ? {} : { broadcast: slot.broadcast }),
    ...(slot.mark === undefined ? {} : { mark: slot.mark }),
  };
}
