import { EncodingError } from './errors.ts';
import type { Broadcast, Mark, RegisterFile, Span } from './slot.ts';

/** One register, pair or quad as an instruction names it. */
export interface RegisterOperand {
  readonly file: RegisterFile;
  /** Number of the first register, 0..15. */
  readonly index: number;
  readonly span: Span;
  readonly broadcast?: Broadcast;
  readonly mark?: Mark;
}

/**
 * A register, or the number shown in the text: immediates as they are, offsets and strides in units of the
 * access size, branch targets as byte addresses, `immz` as the full 32-bit value.
 */
export type Operand = RegisterOperand | number;

function register(file: RegisterFile, index: number): RegisterOperand {
  if (!Number.isInteger(index) || index < 0 || index > 15) {
    const name = `$${file}${index}`;
    throw new EncodingError('range', `${name} is not a register`, { index }, 'Registers are 0..15.');
  }
  return { file, index, span: 1 };
}

/** Main register 0..15. */
export const m = (index: number): RegisterOperand => register('m', index);
/** Auxiliary register 0..15. */
export const a = (index: number): RegisterOperand => register('a', index);

function group(operand: RegisterOperand, span: Span): RegisterOperand {
  if (operand.index % span !== 0) {
    throw new EncodingError(
      'alignment',
      `$${operand.file}${operand.index} cannot start a group of ${span} registers`,
      { index: operand.index, span },
      `Start at a multiple of ${span}.`,
    );
  }
  return { ...operand, span };
}

/** Pair that starts at an even register. */
export const pair = (operand: RegisterOperand): RegisterOperand => group(operand, 2);
/** Quad that starts at a multiple of 4. */
export const quad = (operand: RegisterOperand): RegisterOperand => group(operand, 4);

const withMark =
  (mark: Mark) =>
  (operand: RegisterOperand): RegisterOperand => ({ ...operand, mark });
/** `+=`: advanced by a stride after the access. */
export const step = withMark('+=');
/** `++`: advanced by the access size after the access. */
export const bump = withMark('++');
/** `@`: replaced by the delta that the access loads. */
export const reload = withMark('@');
/** `>>`: shifted right by one delta after the access. */
export const shift = withMark('>>');

const withBroadcast =
  (broadcast: Broadcast) =>
  (operand: RegisterOperand): RegisterOperand => ({
    ...operand,
    broadcast,
  });
/** `:B`: the f32 of one register for every lane. */
export const broadcast = withBroadcast('B');
/** `:BL`: the lower f16 of one register for every lane. */
export const broadcastLower = withBroadcast('BL');
/** `:BU`: the upper f16 of one register for every lane. */
export const broadcastUpper = withBroadcast('BU');

/** Reads zero; writes are thrown away [ISA]. */
export const MZERO = m(15);
export const AZERO = a(15);
export const AZEROS = pair(a(14));

/** Text of a register operand: `$m3`, `$a0:1`, `$a4:7`, `$a2:BL`, `$m8:9+=`. */
export function registerText(operand: RegisterOperand): string {
  const { file, index, span, broadcast: lane, mark } = operand;
  const last = span === 1 ? '' : `:${index + span - 1}`;
  return `$${file}${index}${last}${lane === undefined ? '' : `:${lane}`}${mark ?? ''}`;
}
