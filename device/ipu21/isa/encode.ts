import { ALIASES, type Alias, expandAlias, withoutDelta } from './alias.ts';
import { EncodingError } from './errors.ts';
import { immediateRange, insertField, misfit } from './field.ts';
import type { Form } from './form.ts';
import { FORMS, type FormId, formOf } from './forms.ts';
import { type Operand, registerText } from './operand.ts';
import type { Slot } from './slot.ts';
import { formSyntax, slotSyntax } from './syntax.ts';

/** What a name can stand for: a form as it is, or an alias of a form. */
interface Candidate {
  readonly form: Form<FormId>;
  readonly alias?: Alias;
}

const CANDIDATES: ReadonlyMap<string, readonly Candidate[]> = (() => {
  const byName = new Map<string, Candidate[]>();
  const add = (name: string, candidate: Candidate) => {
    const list = byName.get(name);
    if (list === undefined) byName.set(name, [candidate]);
    else list.push(candidate);
  };
  for (const form of FORMS) {
    add(form.mnemonic, { form });
    if (form.id !== form.mnemonic) add(form.id, { form });
  }
  for (const alias of ALIASES) add(alias.name, { form: formOf(alias.form), alias });
  for (const form of FORMS) {
    const short = withoutDelta(form);
    if (short !== undefined) add(form.mnemonic, { form, alias: short });
  }
  return byName;
})();

/**
 * One-word instruction: the first form (or alias) of the name that fits the operands. Signed immediates are
 * tried before unsigned ones. A form id is accepted as a name too and leaves no choice.
 * Throws EncodingError.
 */
export function encode(name: string, operands: readonly Operand[]): number {
  const [word, second] = encodeWords(name, operands);
  if (second !== undefined) {
    throw new EncodingError('words', `${name} has two words`, { name }, 'Use encodeWords.');
  }
  return word;
}

/** Like encode, for instructions of one or two words. */
export function encodeWords(name: string, operands: readonly Operand[]): readonly number[] {
  const candidates = CANDIDATES.get(name);
  if (candidates === undefined) {
    throw new EncodingError(
      'unknown',
      `no instruction is called ${name}`,
      { name },
      'FORMS lists the known instructions.',
    );
  }
  for (const { form, alias } of candidates) {
    const full = alias === undefined ? operands : expandAlias(alias, operands);
    if (full !== undefined && fits(form, full)) return pack(form, full);
  }
  throw explain(name, candidates, operands);
}

/** One-word instruction of exactly this form. Throws EncodingError. */
export const encodeForm = (id: FormId, operands: readonly Operand[]): number =>
  encode(formOf(id).id, operands);

/** Two-word instruction of exactly this form. Throws EncodingError. */
export function encodePair(id: FormId, operands: readonly Operand[]): readonly [number, number] {
  const [first, second] = encodeWords(formOf(id).id, operands);
  if (second === undefined) {
    throw new EncodingError('words', `${id} has one word`, { id }, 'Use encodeForm.');
  }
  return [first, second];
}

function fits(form: Form, operands: readonly Operand[]): boolean {
  const slots = form.operands;
  if (operands.length !== slots.length) return false;
  for (let index = 0; index < slots.length; index++) {
    if (misfit(slots[index], operands[index]) !== undefined) return false;
  }
  return true;
}

function pack(form: Form, operands: readonly Operand[]): readonly number[] {
  const words: [number, number] = [form.base, 0];
  for (let index = 0; index < operands.length; index++)
    insertField(words, form.operands[index], operands[index]);
  return form.words === 1 ? [words[0] >>> 0] : [words[0] >>> 0, words[1] >>> 0];
}

/** The error of the candidate that came nearest: most operands of the right kind, then of a legal value. */
function explain(
  name: string,
  candidates: readonly Candidate[],
  operands: readonly Operand[],
): EncodingError {
  let best: EncodingError | undefined;
  let bestScore = -1;
  for (const { form, alias } of candidates) {
    const full = alias === undefined ? operands : expandAlias(alias, operands);
    if (full === undefined || full.length !== form.operands.length) continue;
    const misfits = form.operands.map((slot, index) => misfit(slot, full[index]));
    const score = misfits.reduce((sum, why) => sum + (why === undefined ? 10 : why === 'kind' ? 0 : 9), 0);
    if (score <= bestScore) continue;
    bestScore = score;
    // A wrong kind is reported before a bad value, the first one first.
    const kind = misfits.indexOf('kind');
    const position = kind >= 0 ? kind : misfits.findIndex((why) => why !== undefined);
    best = misfitError(name, form, position, full[position], misfits[position]);
  }
  if (best !== undefined) return best;
  const syntaxes = [...new Set(candidates.map(({ form }) => formSyntax(form)))];
  return new EncodingError(
    'operands',
    `${name} does not take ${operands.length} operands`,
    { name, operands: operands.length },
    `Write ${syntaxes.join(' or ')}.`,
  );
}

const show = (operand: Operand): string =>
  typeof operand === 'object' ? registerText(operand) : String(operand);

function misfitError(
  name: string,
  form: Form,
  position: number,
  operand: Operand,
  why: 'kind' | 'alignment' | 'range' | undefined,
): EncodingError {
  const slot = form.operands[position];
  const what = `operand ${position + 1} (${slot.name}) of ${name} is ${show(operand)}`;
  const facts = { name, operand: position + 1, value: show(operand) };
  if (why === 'kind')
    return new EncodingError('operands', what, facts, `Give ${slotSyntax(slot)}, as in ${formSyntax(form)}.`);
  return new EncodingError(why ?? 'range', what, facts, limitText(slot));
}

function limitText(slot: Slot): string {
  if (slot.kind === 'register') {
    const aligned = slot.span === 1 ? '' : ` that starts at a multiple of ${slot.span}`;
    return `Use ${slot.file}0..${slot.file}${slot.last}${aligned}.`;
  }
  const { min, max, step } = immediateRange(slot);
  return `Use ${min}..${max}${step === 1 ? '' : ` in multiples of ${step}`}.`;
}
