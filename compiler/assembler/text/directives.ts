import type { Cursor } from './cursor.ts';
import type { Program } from './program.ts';
import { declaredTraits } from './section.ts';
import { type Place, SourceError } from './source.ts';
import type { SymbolKind } from './symbols.ts';
import { is, stringValue, type Token, textOf } from './token.ts';

/** What a directive does; the cursor stands behind its name. */
type Directive = (program: Program, cursor: Cursor, place: Place) => void;

/** Alignment beyond this moves code out of any region. */
const LARGEST_ALIGNMENT = 1 << 15;

/** Reads `item, item, ...`. */
function each(cursor: Cursor, read: () => void): void {
  if (cursor.done) return;
  do read();
  while (cursor.accept(',') !== undefined);
}

const nothing: Directive = (_program, cursor) => {
  cursor.rest();
};

const section =
  (name: string): Directive =>
  (program, _cursor, place) =>
    program.enter(name, place);

/** Section names may hold dots, dashes and digits, and may be quoted. */
function sectionName(cursor: Cursor): string {
  if (cursor.next?.kind === 'string') return stringValue(cursor.take());
  const words: Token[] = [cursor.name('the name of a section')];
  while (!cursor.done && !is(cursor.next, ',') && cursor.next?.spaced === false) words.push(cursor.take());
  return textOf(words);
}

const openSection: Directive = (program, cursor, place) => {
  const name = sectionName(cursor);
  if (cursor.accept(',') === undefined) return program.enter(name, place);
  const flags = cursor.take();
  if (flags.kind !== 'string')
    throw new SourceError(flags.place, 'the flags of a section are a string', '"ax", "aw" or "a"');
  let type: string | undefined;
  if (cursor.accept(',') !== undefined) {
    cursor.accept('@');
    type = cursor.name('progbits or nobits').text;
    // Sizes of merged entries and group names mean nothing here.
    cursor.rest();
  }
  program.enter(name, place, declaredTraits(stringValue(flags), type));
};

const SYMBOL_KINDS: Readonly<Record<string, SymbolKind>> = {
  function: 'function',
  object: 'object',
  notype: 'none',
};

const type: Directive = (program, cursor) => {
  const name = cursor.name('a symbol');
  cursor.accept(',');
  const mark = cursor.take();
  const word = ['@', '%'].includes(mark.text) ? cursor.name('function or object') : mark;
  const kind = SYMBOL_KINDS[word.kind === 'string' ? stringValue(word) : word.text];
  if (kind === undefined)
    throw new SourceError(word.place, `no symbol is a ${word.text}`, '@function, @object or @notype');
  program.symbols.declare(name, { kind });
};

const size: Directive = (program, cursor) => {
  const name = cursor.name('a symbol');
  cursor.expect(',');
  program.symbols.declare(name, { size: program.expression(cursor) });
};

const binding =
  (kind: 'local' | 'global' | 'weak'): Directive =>
  (program, cursor) =>
    each(cursor, () => program.symbols.declare(cursor.name('a symbol'), { binding: kind }));

const set: Directive = (program, cursor) => {
  const name = cursor.name('a symbol');
  cursor.expect(',');
  program.symbols.set(name, program.expression(cursor));
};

const align =
  (unit: 'bytes' | 'power'): Directive =>
  (program, cursor, place) => {
    const value = program.number(cursor);
    const fill = cursor.accept(',') === undefined || cursor.done ? undefined : program.number(cursor);
    if (cursor.accept(',') !== undefined) program.number(cursor);
    const bytes = unit === 'power' ? 2 ** value : value;
    if (!Number.isInteger(Math.log2(bytes)) || bytes < 1 || bytes > LARGEST_ALIGNMENT)
      throw new SourceError(
        place,
        `alignment to ${bytes} bytes`,
        `a power of two up to ${LARGEST_ALIGNMENT}`,
      );
    program.align(bytes, place, fill);
  };

const data =
  (bytes: number): Directive =>
  (program, cursor, place) =>
    each(cursor, () => program.data(program.expression(cursor), bytes, place));

/** One floating point number of the source, an optional sign before it. */
function floating(cursor: Cursor): number {
  const sign = cursor.accept('-') === undefined ? 1 : -1;
  const word = cursor.take();
  const value = word.kind === 'number' || word.kind === 'name' ? Number(word.text) : Number.NaN;
  if (Number.isNaN(value))
    throw new SourceError(word.place, `"${word.text}" is no number`, 'a number such as 1.5');
  return sign * value;
}

const floats =
  (bytes: 4 | 8): Directive =>
  (program, cursor, place) =>
    each(cursor, () => {
      const view = new DataView(new ArrayBuffer(bytes));
      if (bytes === 4) view.setFloat32(0, floating(cursor), true);
      else view.setFloat64(0, floating(cursor), true);
      program.bytes(new Uint8Array(view.buffer), place);
    });

const text =
  (end: string): Directive =>
  (program, cursor, place) =>
    each(cursor, () => {
      const word = cursor.take();
      if (word.kind !== 'string') throw new SourceError(word.place, 'a text is a string', '"text"');
      program.bytes(new TextEncoder().encode(stringValue(word) + end), place);
    });

const space: Directive = (program, cursor, place) => {
  const count = program.number(cursor);
  program.fill(count, place, cursor.accept(',') === undefined ? 0 : program.number(cursor));
};

const fill: Directive = (program, cursor, place) => {
  const repeat = program.number(cursor);
  const bytes = cursor.accept(',') === undefined ? 1 : program.number(cursor);
  const value = cursor.accept(',') === undefined ? 0 : program.number(cursor);
  if (![1, 2, 4, 8].includes(bytes))
    throw new SourceError(place, `values of ${bytes} bytes`, '1, 2, 4 or 8 bytes');
  for (let index = 0; index < repeat; index++)
    program.data({ kind: 'value', value: { offset: BigInt(value) } }, bytes, place);
};

const mode =
  (value: 'worker' | 'supervisor'): Directive =>
  (program) => {
    program.mode = value;
  };

const complaint: Directive = (_program, cursor, place) => {
  const word = cursor.next;
  cursor.rest();
  throw new SourceError(
    place,
    word?.kind === 'string' ? stringValue(word) : '.error',
    'a source without .error',
  );
};

/** Directives that make no statements; those that do are read before (see Flow). */
export const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
  ['.section', openSection],
  ['.text', section('.text')],
  ['.data', section('.data')],
  ['.bss', section('.bss')],
  ['.rodata', section('.rodata')],
  [
    '.pushsection',
    (program, cursor, place) => {
      program.pushSection();
      openSection(program, cursor, place);
    },
  ],
  ['.popsection', (program, _cursor, place) => program.popSection(place)],
  ['.previous', (program) => program.returnToPrevious()],
  ['.globl', binding('global')],
  ['.global', binding('global')],
  ['.weak', binding('weak')],
  ['.local', binding('local')],
  ['.extern', nothing],
  ['.type', type],
  ['.size', size],
  ['.set', set],
  ['.equ', set],
  // Bytes, as kernels for this machine write it.
  ['.align', align('bytes')],
  ['.balign', align('bytes')],
  ['.p2align', align('power')],
  ['.byte', data(1)],
  ['.short', data(2)],
  ['.half', data(2)],
  ['.hword', data(2)],
  ['.2byte', data(2)],
  ['.word', data(4)],
  ['.long', data(4)],
  ['.int', data(4)],
  ['.4byte', data(4)],
  ['.quad', data(8)],
  ['.8byte', data(8)],
  ['.float', floats(4)],
  ['.single', floats(4)],
  ['.double', floats(8)],
  ['.ascii', text('')],
  ['.asciz', text('\0')],
  ['.string', text('\0')],
  ['.space', space],
  ['.skip', space],
  ['.zero', space],
  ['.fill', fill],
  ['.worker', mode('worker')],
  ['.supervisor', mode('supervisor')],
  // Permission that an assembler without optimisations has no use for.
  ['.allow_optimizations', nothing],
  ['.error', complaint],
  ['.warning', nothing],
  // Remarks for debuggers.
  ...['.file', '.ident', '.loc', '.addrsig', '.addrsig_sym'].map((name) => [name, nothing] as const),
]);

/** Call frame information is a debugger's. */
export const isRemark = (name: string): boolean => name.startsWith('.cfi_');
