import { REGISTER_ALIASES } from './alias.ts';
import { COISSUE_BIT } from './decode.ts';
import { encodeWords } from './encode.ts';
import { EncodingError } from './errors.ts';
import { FLAG_VALUES } from './flags.ts';
import { type Operand, type RegisterOperand, registerText } from './operand.ts';
import type { Broadcast, Mark, Span } from './slot.ts';

const REGISTER = /^\$([ma])(\d{1,2})(?::(?:(\d{1,2})|(B|BL|BU)))?(\+=|\+\+|@|>>)?$/;
const ALIASED_REGISTER = /^(\$[a-z_]+)(\+=|\+\+|@|>>)?$/;
const NUMBER = /^-?(?:0x[0-9a-f]{1,8}|\d{1,10})$/i;

const syntaxError = (text: string, advice: string): EncodingError =>
  new EncodingError('syntax', `cannot read "${text}"`, { text }, advice);

function parseRegister(text: string): RegisterOperand {
  const aliased = ALIASED_REGISTER.exec(text);
  if (aliased !== null && Object.hasOwn(REGISTER_ALIASES, aliased[1])) {
    const mark = aliased[2] as Mark | undefined;
    return { ...REGISTER_ALIASES[aliased[1]], ...(mark === undefined ? {} : { mark }) };
  }
  const match = REGISTER.exec(text);
  if (match === null) throw syntaxError(text, 'Write a register as $m3, $a0:1, $a4:7, $a2:BL or $m8:9+=.');
  const [, file, first, last, lane, mark] = match;
  const operand: RegisterOperand = {
    file: file as 'm' | 'a',
    index: Number(first),
    span: (last === undefined ? 1 : Number(last) - Number(first) + 1) as Span,
    ...(lane === undefined ? {} : { broadcast: lane as Broadcast }),
    ...(mark === undefined ? {} : { mark: mark as Mark }),
  };
  if (![1, 2, 4].includes(operand.span) || operand.index + operand.span > 16)
    throw syntaxError(text, 'A register group is a pair or a quad within 0..15.');
  // $a05 and the like would print differently.
  if (registerText(operand) !== text) throw syntaxError(text, `Write ${registerText(operand)}.`);
  return operand;
}

function parseOperand(text: string): Operand {
  if (text.startsWith('$')) return parseRegister(text);
  if (NUMBER.test(text)) return text.startsWith('-') ? -Number(text.slice(1)) : Number(text);
  const flag = FLAG_VALUES.get(text);
  if (flag !== undefined) return flag;
  throw syntaxError(text, 'An operand is a register, a number, or the name of a flag.');
}

function parseWords(text: string): readonly number[] {
  const match = /^([a-z0-9.]+)(?:\s+(.*))?$/i.exec(text.trim());
  if (match === null) throw syntaxError(text, 'Write a mnemonic and its operands, separated by commas.');
  const [, name, rest] = match;
  const operands = rest === undefined ? [] : rest.split(',').map((part) => parseOperand(part.trim()));
  if (name === '.word') {
    const [word] = operands;
    if (operands.length !== 1 || typeof word !== 'number' || word < 0 || word > 0xffffffff)
      throw syntaxError(text, 'Write .word and one number of 32 bits.');
    return [word];
  }
  return encodeWords(name, operands);
}

/** Word of one line of text, e.g. `f32v2add $a0:1, $a2:B, $a4:5`. Throws EncodingError. */
export function parseInstruction(text: string): number {
  const words = parseWords(text);
  if (words.length !== 1)
    throw new EncodingError('words', `"${text}" has two words`, { text }, 'Use parseLine.');
  return words[0];
}

/** Words of one line: an instruction, a two-word instruction, or a bundle `{ main ; aux }`. */
export function parseLine(text: string): readonly number[] {
  const bundle = /^\s*\{([^;{}]*);([^;{}]*)\}\s*$/.exec(text);
  if (bundle === null) return parseWords(text);
  return [(parseInstruction(bundle[1]) | COISSUE_BIT) >>> 0, parseInstruction(bundle[2])];
}
