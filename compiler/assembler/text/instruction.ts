import {
  COISSUE_BIT,
  CSRS,
  decode,
  decodePair,
  EncodingError,
  encodeWords,
  FORMS,
  type Form,
  type Operand,
  type RegisterSlot,
  type Slot,
} from '../../../device/ipu21/index.ts';
import type { RelocationType } from '../../object/model.ts';
import type { Value } from './expression.ts';
import type { CodeMode, TextOperand } from './operand.ts';
import { type Place, SourceError } from './source.ts';
import { placeOf, type Token } from './token.ts';

/** One instruction of the source, its operands not worked out. */
export interface SourceInstruction {
  readonly mnemonic: Token;
  readonly operands: readonly TextOperand[];
  /** Words of each operand, for messages. */
  readonly words: readonly (readonly Token[])[];
  readonly mode: CodeMode;
}

/** An address that the linker writes into a word. */
export interface Patch {
  readonly type: RelocationType;
  readonly value: Value;
}

export interface EncodedInstruction {
  readonly form: Form;
  readonly words: readonly number[];
  readonly operands: readonly Operand[];
  readonly patch?: Patch;
}

const TWO_WORDS: ReadonlySet<string> = new Set(
  FORMS.filter((form) => form.words === 2).flatMap((form) => [form.mnemonic, form.id]),
);

/** Words of an instruction by its name alone, so that places are known before values. */
export const wordCount = (mnemonic: string): 1 | 2 => (TWO_WORDS.has(mnemonic) ? 2 : 1);

const SMALLEST_INTEGER = -(2 ** 31);
const LARGEST_INTEGER = 2 ** 32 - 1;

/** Encodes one instruction. `worth` works an expression out. Throws SourceError. */
export function encodeInstruction(
  { mnemonic, operands, words: texts, mode }: SourceInstruction,
  worth: (operand: TextOperand & { readonly kind: 'expression' }) => Value,
): EncodedInstruction {
  let address: { readonly position: number; readonly value: Value } | undefined;
  const resolved = operands.map((operand, position): Operand => {
    if (operand.kind === 'register') return operand.register;
    if (operand.kind === 'number') return operand.value;
    const value = worth(operand);
    if (value.base !== undefined) {
      address = { position, value };
      return 0;
    }
    const number = Number(value.offset);
    if (number < SMALLEST_INTEGER || number > LARGEST_INTEGER)
      throw new SourceError(
        placeOf(texts[position]),
        `${value.offset} does not fit 32 bits`,
        'a number of 32 bits',
      );
    return number;
  });
  const words = encodeAt(mnemonic, resolved, texts);
  const decoded = words.length === 2 ? decodePair(words[0], words[1]) : decode(words[0]);
  if (decoded === undefined) throw new RangeError(`${mnemonic.text} encodes to a word that is none`);
  const { form } = decoded;
  checkMode(form, decoded.operands, mnemonic, mode);
  if (address === undefined) return { form, words, operands: decoded.operands };
  const { position, value } = address;
  const slot = addressSlot(form, operands.length, position);
  const type = slot === undefined ? undefined : relocationOf(form, slot);
  if (type === undefined)
    throw new SourceError(
      placeOf(texts[position]),
      `${form.mnemonic} cannot hold an address here`,
      'a number known before the link; setzi loads an address into a register',
    );
  return { form, words, operands: decoded.operands, patch: { type, value } };
}

function encodeAt(
  mnemonic: Token,
  operands: readonly Operand[],
  texts: readonly (readonly Token[])[],
): readonly number[] {
  try {
    return encodeWords(mnemonic.text, operands);
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    if (error.rule === 'unknown')
      throw new SourceError(
        mnemonic.place,
        error.message.split('. ')[0],
        'an instruction of the IPU21, or a macro defined before',
      );
    const position = Number(error.facts.operand ?? 0) - 1;
    const place: Place = texts[position] === undefined ? mnemonic.place : placeOf(texts[position]);
    const message = error.message.slice(0, -error.advice.length).replace(/\. $/, '');
    throw new SourceError(place, message, error.advice.replace(/\.$/, '').replace(/^(Give|Use|Write) /, ''));
  }
}

/** Slot of a text operand: spellings with fixed operands keep the order of those they show. */
function addressSlot(form: Form, shown: number, position: number): Slot | undefined {
  if (form.operands.length === shown) return form.operands[position];
  return undefined;
}

/** The relocation that writes an address into a slot [SDK]; undefined where none does. */
function relocationOf(form: Form, slot: Slot): RelocationType | undefined {
  if (slot.kind !== 'immediate') return undefined;
  // Branches reach 19 bits of words; call has a field of 20 but the same relocation [SDK].
  if (slot.type === 'addr') return '19_S2';
  if (form.mnemonic === 'run') return 'RUN';
  if (slot.type !== 'zimm' || slot.pieces.length !== 1 || slot.pieces[0][0] !== 0) return undefined;
  return ({ 18: '18_S2', 20: '20', 21: '21' } as const)[slot.bits as 18 | 20 | 21];
}

function checkMode(form: Form, operands: readonly Operand[], mnemonic: Token, mode: CodeMode): void {
  if (mode === 'any') return;
  if (form.mode !== 'any' && form.mode !== mode)
    throw new SourceError(
      mnemonic.place,
      `${form.mnemonic} does not run in ${mode} code`,
      `an instruction of the ${mode}, or .${form.mode} before this code`,
    );
  const access = ['get', 'put', 'uget', 'uput'].includes(form.mnemonic);
  const number = access ? operands.find((operand) => typeof operand === 'number') : undefined;
  if (number === undefined) return;
  const index = (form.mnemonic.startsWith('u') ? 0x100 : 0) + number;
  const rows = CSRS.filter((row) => row.index === index);
  if (rows.length > 0 && rows.every(({ context }) => context !== 'both' && context !== mode))
    throw new SourceError(
      mnemonic.place,
      `$${rows[0].name} does not exist in ${mode} code`,
      `a CSR of the ${mode}, or .${rows[0].context} before this code`,
    );
}

/** Registers that an instruction writes, zero registers left out. */
function writtenBy({ form, operands }: EncodedInstruction): Set<string> {
  const written = new Set<string>();
  form.operands.forEach((slot, index) => {
    if (slot.kind !== 'register' || slot.access === 'read') return;
    for (const name of registersOf(slot, operands[index])) written.add(name);
  });
  return written;
}

function registersOf(slot: RegisterSlot, operand: Operand): string[] {
  if (typeof operand === 'number') return [];
  const zero = slot.file === 'm' ? 15 : 14;
  return Array.from({ length: slot.span }, (_, index) => operand.index + index)
    .filter((index) => index < zero)
    .map((index) => `$${slot.file}${index}`);
}

/** Joins a main and an auxiliary instruction; the rules of bundles are checked [ISA]. */
export function encodeBundle(
  main: EncodedInstruction,
  aux: EncodedInstruction,
  sources: readonly [SourceInstruction, SourceInstruction],
): readonly [number, number] {
  const [first, second] = sources;
  if (first.mode === 'supervisor')
    throw new SourceError(
      first.mnemonic.place,
      'the supervisor issues one instruction at a time',
      'no bundle',
    );
  if (main.form.pipe === 'aux' && aux.form.pipe === 'main')
    throw new SourceError(
      first.mnemonic.place,
      'the instructions of the bundle stand in the wrong order',
      `{ ${second.mnemonic.text} ... ; ${first.mnemonic.text} ... }`,
    );
  for (const [encoded, source, pipe] of [
    [main, first, 'main'],
    [aux, second, 'aux'],
  ] as const) {
    if (encoded.form.pipe !== pipe)
      throw new SourceError(
        source.mnemonic.place,
        `${source.mnemonic.text} belongs to the ${encoded.form.pipe} pipe`,
        pipe === 'main' ? 'a main instruction, nop to fill' : 'an auxiliary instruction, fnop to fill',
      );
    if (encoded.form.solo || encoded.words.length !== 1)
      throw new SourceError(
        source.mnemonic.place,
        `${source.mnemonic.text} cannot share a bundle`,
        'the instruction alone',
      );
  }
  const both = [...writtenBy(main)].filter((name) => writtenBy(aux).has(name));
  if (both.length > 0)
    throw new SourceError(
      second.mnemonic.place,
      `both instructions of the bundle write ${both.join(', ')}`,
      'different destinations',
    );
  return [(main.words[0] | COISSUE_BIT) >>> 0, aux.words[0]];
}
