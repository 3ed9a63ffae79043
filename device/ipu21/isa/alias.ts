import type { Form } from './form.ts';
import type { FormId } from './forms.ts';
import { AZERO, AZEROS, MZERO, m, type Operand, type RegisterOperand } from './operand.ts';

/** An operand of the form: taken from the alias's text operand at this position, or fixed. */
type Argument = { readonly text: number } | RegisterOperand | number;

/** Another spelling of a form whose operands are partly fixed [SDK]. */
export interface Alias {
  readonly name: string;
  readonly form: FormId;
  readonly operands: number;
  readonly arguments: readonly Argument[];
  /** The disassembler prints this spelling whenever the fixed operands agree. */
  readonly printed: boolean;
}

const T = [{ text: 0 }, { text: 1 }, { text: 2 }] as const;

function alias(
  name: string,
  form: FormId,
  operands: number,
  args: readonly Argument[],
  printed = true,
): Alias {
  return { name, form, operands, arguments: args, printed };
}

/**
 * Encoding takes the first entry that fits, printing the first printed entry that fits. `mov` of main
 * registers and of single auxiliary registers is `or` with 0; both `or` forms with an immediate 0 print as
 * `mov`, the encoder writes the one with the unsigned immediate.
 */
export const ALIASES: readonly Alias[] = [
  alias('mov', 'or.mmz12', 2, [T[0], T[1], 0]),
  alias('mov', 'or.aaz12', 2, [T[0], T[1], 0]),
  alias('mov', 'or.aai12', 2, [T[0], T[1], 0]),
  alias('mov', 'or.mmi12', 2, [T[0], T[1], 0], false),
  alias('mov', 'atom.ma', 2, [T[0], T[1]]),
  alias('zero', 'or.mmm', 1, [T[0], MZERO, MZERO]),
  alias('zero', 'or.aaa', 1, [T[0], AZERO, AZERO]),
  alias('zero', 'or64.a2a2a2', 1, [T[0], AZEROS, AZEROS]),
  alias('mov', 'or64.a2a2a2', 2, [T[0], T[1], AZEROS]),
  alias('swap16', 'roll16.mmm', 2, [T[0], T[1], T[1]]),
  alias('swap16', 'roll16.aaa', 2, [T[0], T[1], T[1]]),
  alias('get', 'uget.az8', 2, [T[0], T[1]]),
  alias('put', 'uput.z8a', 2, [T[0], T[1]]),
  // Spellings that force the kind of immediate.
  alias('adds', 'add.mms16', 3, [T[0], T[1], T[2]], false),
  alias('addz', 'add.mmz16', 3, [T[0], T[1], T[2]], false),
  alias('cmpeqs', 'cmpeq.mms16', 3, [T[0], T[1], T[2]], false),
  alias('cmpeqz', 'cmpeq.mmz16', 3, [T[0], T[1], T[2]], false),
];

/** Register names of the assembler [SDK]. */
export const REGISTER_ALIASES: Readonly<Record<string, RegisterOperand>> = {
  $lr: m(10),
  $sp: m(11),
  $fp: m(9),
  $mworker_base: m(12),
  $mvertex_base: m(13),
  $mzero: MZERO,
  $azero: AZERO,
  $azeros: AZEROS,
};

/**
 * Loads and stores with a base, a delta and an immediate may be written without the delta, which is then the
 * zero register: `ld32 $m0, $m13, 2` [SDK, public kernels].
 */
export function withoutDelta(form: Form<FormId>): Alias | undefined {
  const [offset, delta, base] = [...form.operands].reverse();
  const plain = [delta, base].every((slot) => slot?.kind === 'register' && slot.access === 'read');
  if (!plain || offset.kind !== 'immediate' || base.name !== 'Base0' || delta.name !== 'Delta0')
    return undefined;
  const shown = form.operands.length - 1;
  const args = form.operands.map((slot, index): Argument => {
    if (slot === delta) return MZERO;
    return { text: slot === offset ? shown - 1 : index };
  });
  return alias(form.mnemonic, form.id, shown, args, false);
}

const isText = (argument: Argument): argument is { readonly text: number } =>
  typeof argument === 'object' && 'text' in argument;

/** Operands of the form for the operands of the alias; undefined when their number is wrong. */
export function expandAlias(spelling: Alias, operands: readonly Operand[]): Operand[] | undefined {
  if (operands.length !== spelling.operands) return undefined;
  return spelling.arguments.map((argument) => (isText(argument) ? operands[argument.text] : argument));
}

const same = (x: Operand, y: Operand): boolean =>
  typeof x === 'number' || typeof y === 'number'
    ? x === y
    : x.file === y.file && x.index === y.index && x.span === y.span;

/** Operands of the alias for operands of the form; undefined when a fixed operand differs. */
export function matchAlias(spelling: Alias, operands: readonly Operand[]): Operand[] | undefined {
  const texts: Operand[] = [];
  for (const [position, argument] of spelling.arguments.entries()) {
    const operand = operands[position];
    if (!isText(argument)) {
      if (!same(argument, operand)) return undefined;
    } else if (texts[argument.text] === undefined) {
      texts[argument.text] = operand;
    } else if (!same(texts[argument.text], operand)) {
      return undefined;
    }
  }
  return texts;
}
