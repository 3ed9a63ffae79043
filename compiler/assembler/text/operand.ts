import {
  type Broadcast,
  CSRS,
  type CsrContext,
  coefficientCsr,
  csrOperand,
  type Mark,
  REGISTER_ALIASES,
  type RegisterOperand,
  type Span,
} from '../../../device/ipu21/index.ts';
import type { Cursor } from './cursor.ts';
import { type Expression, type NameReader, parseExpression } from './expression.ts';
import { SourceError } from './source.ts';
import { integerValue, is, placeOf, type Token } from './token.ts';

/** Context that code is written for; `any` before the first .worker or .supervisor. */
export type CodeMode = 'any' | 'worker' | 'supervisor';

/** A register, the number of a CSR, or an expression. */
export type TextOperand =
  | { readonly kind: 'register'; readonly register: RegisterOperand }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'expression'; readonly expression: Expression };

const MARKS: readonly string[] = ['+=', '++', '@', '>>'] satisfies Mark[];
const BROADCASTS: readonly string[] = ['B', 'BL', 'BU'] satisfies Broadcast[];
const REGISTER_TEXT = '$m0..$m15, $a0..$a15, a group such as $a0:1 or $a4:7, $sp, $lr, $mzero, or a CSR name';

/** Reads the operands of an instruction, each with its words. */
export function parseOperands(
  cursor: Cursor,
  names: NameReader,
  mode: CodeMode,
): { readonly operands: readonly TextOperand[]; readonly words: readonly (readonly Token[])[] } {
  const operands: TextOperand[] = [];
  const words: (readonly Token[])[] = [];
  while (!cursor.done) {
    const before = cursor.remaining;
    operands.push(
      is(cursor.next, '$')
        ? parseRegister(cursor, mode)
        : { kind: 'expression', expression: parseExpression(cursor, names) },
    );
    words.push(before.slice(0, before.length - cursor.remaining.length));
    if (cursor.done) break;
    cursor.expect(',');
    if (cursor.done) throw cursor.error('the last operand is missing', 'an operand behind the comma');
  }
  return { operands, words };
}

function parseRegister(cursor: Cursor, mode: CodeMode): TextOperand {
  const dollar = cursor.expect('$');
  const name = cursor.next;
  if (name?.kind !== 'name' || name.spaced)
    throw cursor.error('"$" without the name of a register', REGISTER_TEXT);
  cursor.take();
  const place = placeOf([dollar, name]);
  const plain = /^([ma])(\d{1,2})$/.exec(name.text);
  const known = `$${name.text}`;
  if (plain === null && !Object.hasOwn(REGISTER_ALIASES, known))
    return { kind: 'number', value: controlRegister(name, mode) };
  let register: RegisterOperand;
  if (plain === null) register = REGISTER_ALIASES[known];
  else {
    const index = Number(plain[2]);
    if (index > 15 || plain[2] !== String(index))
      throw new SourceError(place, `there is no register ${known}`, REGISTER_TEXT);
    register = { file: plain[1] as 'm' | 'a', index, span: 1 };
  }
  if (is(cursor.next, ':')) register = readSuffix(cursor, register);
  const mark = cursor.next;
  if (mark !== undefined && MARKS.includes(mark.text)) {
    cursor.take();
    register = { ...register, mark: mark.text as Mark };
  }
  return { kind: 'register', register };
}

/** Behind the colon: the last register of a group, or the part that is broadcast. */
function readSuffix(cursor: Cursor, register: RegisterOperand): RegisterOperand {
  cursor.take();
  const word = cursor.take();
  if (BROADCASTS.includes(word.text)) return { ...register, broadcast: word.text as Broadcast };
  const last = word.kind === 'number' ? integerValue(word) : undefined;
  const span = last === undefined ? 0 : last - register.index + 1;
  if (last === undefined || last > 15 || ![2, 4].includes(span))
    throw new SourceError(
      word.place,
      `$${register.file}${register.index}:${word.text} is no group`,
      'a pair such as :1 behind register 0, a quad such as :3, or :B, :BL, :BU',
    );
  return { ...register, span: span as Span };
}

const contextsOf = (mode: CodeMode): readonly CsrContext[] =>
  mode === 'any' ? ['worker', 'supervisor', 'both'] : [mode, 'both'];

/** Operand of get, put, uget and uput for a CSR's name. */
function controlRegister(token: Token, mode: CodeMode): number {
  const name = token.text;
  const window = /^CWEI_(\d{1,2})_([0-3])$/.exec(name);
  if (window !== null && Number(window[1]) < 16) {
    if (mode === 'worker')
      throw new SourceError(token.place, `$${name} belongs to the supervisor`, 'a CSR of a worker');
    return csrOperand(coefficientCsr(Number(window[1]), Number(window[2])));
  }
  const rows = CSRS.filter((row) => row.name === name);
  if (rows.length === 0) throw new SourceError(token.place, `there is no register $${name}`, REGISTER_TEXT);
  const row = rows.find(({ context }) => contextsOf(mode).includes(context));
  if (row === undefined)
    throw new SourceError(
      token.place,
      `$${name} does not exist in ${mode} code`,
      `a CSR of the ${mode}, or .${rows[0].context} before this code`,
    );
  return csrOperand(row.index);
}
