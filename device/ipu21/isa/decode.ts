import { extractField } from './field.ts';
import type { Form } from './form.ts';
import { FORMS, type FormId } from './forms.ts';
import type { Operand } from './operand.ts';

/** Bit 31 of the first word of a bundle; the words of FORMS have it clear, except two-word forms [SDK]. */
export const COISSUE_BIT = 0x80000000;

/** A decoded instruction. */
export interface Instruction {
  readonly form: Form<FormId>;
  /** In text order. */
  readonly operands: readonly Operand[];
}

/** The bits that pick a bucket: 30..24 and 11..8, where most opcodes differ. */
const KEY_MASK = 0x7f000f00;
const keyOf = (word: number): number => ((word >>> 20) & 0x7f0) | ((word >>> 8) & 0xf);

const fixedBits = (form: Form): number => {
  let count = 0;
  for (let rest = form.mask; rest !== 0; rest &= rest - 1) count++;
  return count;
};

const ONE_WORD = FORMS.filter((form) => form.words === 1);
const TWO_WORDS = FORMS.filter((form) => form.words === 2);

/** For every key the forms that can have it, most specific first: nop and fnop stand before setzi. */
const BUCKETS: readonly (readonly Form<FormId>[])[] = (() => {
  const buckets: Form<FormId>[][] = Array.from({ length: 0x800 }, () => []);
  const bySpecificity = [...ONE_WORD].sort((x, y) => fixedBits(y) - fixedBits(x));
  for (let key = 0; key < buckets.length; key++) {
    const word = ((key & 0x7f0) << 20) | ((key & 0xf) << 8);
    for (const form of bySpecificity) {
      if (((word ^ form.match) & form.mask & KEY_MASK) === 0) buckets[key].push(form);
    }
  }
  return buckets;
})();

function operandsOf(form: Form, word0: number, word1: number): Operand[] | undefined {
  const operands: Operand[] = [];
  for (const slot of form.operands) {
    const operand = extractField(word0, word1, slot);
    if (operand === undefined) return undefined;
    operands.push(operand);
  }
  return operands;
}

/**
 * Decodes a single instruction or one half of a bundle. The caller clears COISSUE_BIT of a bundle's first
 * word. Undefined when no form has this word: unknown opcode, bit 31 set, an unaligned register group, or an
 * address register above m11 where the form writes it.
 */
export function decode(word: number): Instruction | undefined {
  for (const form of BUCKETS[keyOf(word)]) {
    if (((word ^ form.match) & form.mask) !== 0) continue;
    const operands = operandsOf(form, word, 0);
    if (operands !== undefined) return { form, operands };
  }
  return undefined;
}

/** Decodes a two-word instruction; undefined when the first word starts none. */
export function decodePair(word0: number, word1: number): Instruction | undefined {
  for (const form of TWO_WORDS) {
    if (((word0 ^ form.match) & form.mask) !== 0) continue;
    const operands = operandsOf(form, word0, word1);
    if (operands !== undefined) return { form, operands };
  }
  return undefined;
}

/** True when the word starts a two-word instruction; such words also have the co-issue bit set. */
export const startsPair = (word: number): boolean =>
  TWO_WORDS.some((form) => ((word ^ form.match) & form.mask) === 0);
