import { FORMS, type Form } from '../ipu21/index.ts';

/** Auxiliary forms that share a mnemonic with a main form get a name of their own. */
const MAIN_MNEMONICS = new Set(FORMS.filter((form) => form.pipe === 'main').map((form) => form.mnemonic));

const opcodeName = (form: Form): string =>
  form.mnemonic.toUpperCase() + (form.pipe === 'aux' && MAIN_MNEMONICS.has(form.mnemonic) ? '_A' : '');

/** The four worker exits take neighbouring numbers, which the engine tests as a range. */
const EXITS = ['EXITNEG', 'EXITNZ', 'EXITPOS', 'EXITZ'];

/** Names for behaviour that the engine reports as missing without belonging to one mnemonic. */
const SITUATIONS: readonly string[] = [];

/**
 * Number of every opcode the engine distinguishes, from 1; 0 is no instruction. Forms of one mnemonic and
 * pipe share a number: the decoder already tells the engine which operands are immediates.
 */
export function engineOpcodes(): ReadonlyMap<string, number> {
  const names = [...new Set(FORMS.map(opcodeName))].filter((name) => !EXITS.includes(name)).sort();
  return new Map([...EXITS, ...names, ...SITUATIONS].map((name, index) => [name, index + 1]));
}

const NUMBERS = engineOpcodes();

export const opcodeOf = (form: Form): number => NUMBERS.get(opcodeName(form)) as number;

/** Name of an opcode number, for messages. */
export const opcodeText = (number: number): string =>
  [...NUMBERS].find(([, value]) => value === number)?.[0].toLowerCase() ?? `opcode ${number}`;
