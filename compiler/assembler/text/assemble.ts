import type { ObjectFile } from '../../object/model.ts';
import { Cursor } from './cursor.ts';
import { Definitions } from './definitions.ts';
import { DIRECTIVES, isRemark } from './directives.ts';
import { Flow } from './flow.ts';
import { builtInHeader, PREDEFINED } from './headers.ts';
import type { SourceInstruction } from './instruction.ts';
import { parseOperands } from './operand.ts';
import { type Includes, Preprocessor } from './preprocess.ts';
import { type ExternalUse, Program } from './program.ts';
import type { LineRange } from './section.ts';
import { AssemblyError, type Diagnostic, type Place, SourceError } from './source.ts';
import { type Statement, statementsOf } from './statement.ts';
import { is, placeAfter, type Token } from './token.ts';

export interface AssembleOptions {
  /** Name of the source in messages. */
  readonly file: string;
  /** Preprocessor definitions, as `-D` of a command line. */
  readonly defines?: ReadonlyMap<string, string>;
  /** Finds included files; built-in headers come after it. */
  readonly include?: Includes;
}

/** An assembled source. */
export interface Assembled {
  readonly object: ObjectFile;
  /** Which line made which bytes, in source order. */
  readonly lines: readonly LineRange[];
  /** Symbols that other objects have to define. */
  readonly externals: readonly ExternalUse[];
}

/** Complaints shown at once; more say the same again. */
const MOST_DIAGNOSTICS = 50;

/** Line of the source itself that a complaint goes back to. */
function sourceOrder({ place }: Diagnostic): number {
  let { line } = place;
  while (line.from !== undefined) line = line.from.line;
  return line.number;
}

class TooMany extends Error {}

/**
 * Assembles a source in the Colossus assembly syntax of public kernels, C preprocessor included. Equal
 * sources give equal objects. Throws AssemblyError with every complaint.
 */
export function assemble(text: string, options: AssembleOptions): Assembled {
  const diagnostics: Diagnostic[] = [];
  const complain = ({ diagnostic }: SourceError): void => {
    diagnostics.push(diagnostic);
    if (diagnostics.length >= MOST_DIAGNOSTICS) throw new TooMany();
  };
  let result: Assembled | undefined;
  try {
    result = read(text, options, complain);
  } catch (error) {
    if (!(error instanceof TooMany)) throw error;
  }
  if (result === undefined || diagnostics.length > 0)
    throw new AssemblyError(diagnostics.sort((left, right) => sourceOrder(left) - sourceOrder(right)));
  return result;
}

function read(text: string, options: AssembleOptions, complain: (error: SourceError) => void): Assembled {
  const definitions = new Definitions();
  for (const [name, value] of [...PREDEFINED, ...(options.defines ?? [])]) definitions.set(name, value);
  const includes: Includes = (name, from) => options.include?.(name, from) ?? builtInHeader(name);
  const preprocessor = new Preprocessor(definitions, includes, complain);
  const reader = new Reader(complain);
  for (const line of preprocessor.file(options.file, text))
    for (const statement of statementsOf(line)) reader.take(statement);
  return reader.finish(options.file);
}

/** Statements in, program out. */
class Reader {
  readonly #program = new Program();
  readonly #complain: (error: SourceError) => void;
  readonly #flow: Flow;
  #bundle: { readonly place: Place; readonly instructions: SourceInstruction[] } | undefined;

  constructor(complain: (error: SourceError) => void) {
    this.#complain = complain;
    this.#flow = new Flow(
      {
        number: (cursor) => this.#program.number(cursor),
        defined: (symbol) => this.#program.symbols.isDefined(symbol),
      },
      complain,
    );
  }

  take(statement: Statement): void {
    for (const inner of this.#flow.take(statement)) {
      try {
        this.#assemble(inner);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        this.#complain(error);
      }
    }
  }

  finish(file: string): Assembled {
    this.#flow.finish();
    if (this.#bundle !== undefined)
      this.#complain(new SourceError(this.#bundle.place, 'the bundle is not closed', '"}"'));
    const { object, externals } = this.#program.finish(file, this.#complain);
    return { object, externals, lines: this.#program.lines };
  }

  #assemble(statement: Statement): void {
    const [first] = statement.tokens;
    switch (statement.kind) {
      case 'open':
        if (this.#bundle !== undefined)
          throw new SourceError(first.place, 'a bundle in a bundle', '"}" before it');
        this.#bundle = { place: first.place, instructions: [] };
        return;
      case 'close':
        this.#closeBundle(first.place);
        return;
      case 'label':
        if (this.#bundle !== undefined)
          throw new SourceError(first.place, 'a label inside a bundle', 'the label before "{"');
        this.#program.label(first);
        return;
      default:
        this.#words(statement.tokens);
    }
  }

  #words(tokens: readonly Token[]): void {
    const [first, second] = tokens;
    const cursor = new Cursor(tokens, placeAfter(tokens));
    if (first.kind !== 'name')
      throw new SourceError(
        first.place,
        `"${first.text}" begins no statement`,
        'a label, a directive or an instruction',
      );
    cursor.take();
    if (is(second, '=')) {
      cursor.take();
      this.#program.symbols.set(first, this.#program.expression(cursor));
      cursor.finish('the expression');
      return;
    }
    const directive = DIRECTIVES.get(first.text);
    if (directive !== undefined) {
      if (this.#bundle !== undefined)
        throw new SourceError(first.place, 'a directive inside a bundle', 'two instructions');
      directive(this.#program, cursor, first.place);
      cursor.finish(first.text);
      return;
    }
    if (isRemark(first.text)) return;
    if (first.text.startsWith('.'))
      throw new SourceError(
        first.place,
        `there is no directive ${first.text}`,
        'a directive this assembler knows',
      );
    this.#instruction(first, cursor);
  }

  #instruction(mnemonic: Token, cursor: Cursor): void {
    const { mode } = this.#program;
    const instruction: SourceInstruction = {
      mnemonic,
      mode,
      ...parseOperands(cursor, this.#program.names, mode),
    };
    if (this.#bundle === undefined) this.#program.instruction(instruction);
    else this.#bundle.instructions.push(instruction);
  }

  #closeBundle(place: Place): void {
    const bundle = this.#bundle;
    this.#bundle = undefined;
    if (bundle === undefined) throw new SourceError(place, '"}" closes nothing', '"{" before it');
    const [main, aux] = bundle.instructions;
    if (bundle.instructions.length !== 2)
      throw new SourceError(
        place,
        `the bundle has ${bundle.instructions.length} instructions`,
        'two: a main and an auxiliary one; nop and fnop fill',
      );
    this.#program.bundle(main, aux);
  }
}
