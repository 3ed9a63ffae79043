import { ALIASES, type Alias, matchAlias } from './alias.ts';
import { decode, decodePair, type Instruction } from './decode.ts';
import { encodeWords } from './encode.ts';
import type { FormId } from './forms.ts';
import { type Operand, registerText } from './operand.ts';
import type { Slot } from './slot.ts';

const PRINTED: ReadonlyMap<FormId, readonly Alias[]> = (() => {
  const byForm = new Map<FormId, Alias[]>();
  for (const alias of ALIASES) {
    if (alias.printed) byForm.set(alias.form, [...(byForm.get(alias.form) ?? []), alias]);
  }
  return byForm;
})();

/** A name and operands that encode accepts; the slots tell how the numbers are written. */
interface Spelling {
  readonly name: string;
  readonly operands: readonly Operand[];
  readonly slots: readonly Slot[];
}

function canonical({ form, operands }: Instruction): Spelling {
  for (const alias of PRINTED.get(form.id) ?? []) {
    const shown = matchAlias(alias, operands);
    // The operands an alias shows are registers or plain numbers.
    if (shown !== undefined) return { name: alias.name, operands: shown, slots: [] };
  }
  return { name: form.mnemonic, operands, slots: form.operands };
}

function operandText(operand: Operand, slot: Slot | undefined): string {
  if (typeof operand === 'object') return registerText(operand);
  if (slot?.kind !== 'immediate') return String(operand);
  const hex = slot.type === 'addr' || (slot.type === 'immz' && operand !== 0);
  return hex ? `0x${operand.toString(16)}` : String(operand);
}

const write = ({ name, operands, slots }: Spelling): string =>
  `${name} ${operands.map((operand, index) => operandText(operand, slots[index])).join(', ')}`.trimEnd();

/**
 * Text of an instruction in the canonical spelling: the one SDK disassemblers print. Some words share it,
 * for example both immediate forms of `add` with a small positive number.
 */
export const instructionText = (instruction: Instruction): string => write(canonical(instruction));

/**
 * Text that assembles to the same words again: the canonical spelling, or the form id in place of the
 * mnemonic where the canonical spelling stands for another word.
 */
export function exactText(instruction: Instruction): string {
  const { form, operands } = instruction;
  const spelling = canonical(instruction);
  const words = encodeWords(form.id, operands);
  const again = encodeWords(spelling.name, spelling.operands);
  const same = again.every((word, index) => word === words[index]);
  return write(same ? spelling : { name: form.id, operands, slots: form.operands });
}

/** Text of a word that is no instruction. */
export const wordText = (word: number): string => `.word 0x${(word >>> 0).toString(16).padStart(8, '0')}`;

/** Canonical text of a one-word instruction, or `.word` for a word that is none. */
export function disassemble(word: number): string {
  const instruction = decode(word);
  return instruction === undefined ? wordText(word) : instructionText(instruction);
}

/** Canonical text of a two-word instruction; undefined when the first word starts none. */
export function disassemblePair(word0: number, word1: number): string | undefined {
  const instruction = decodePair(word0, word1);
  return instruction === undefined ? undefined : instructionText(instruction);
}
