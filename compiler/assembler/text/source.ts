/** A line of source text and where it came from. */
export interface SourceLine {
  readonly file: string;
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Set on lines that a macro, a repetition or an include made. */
  readonly from?: { readonly what: string; readonly line: SourceLine };
}

/** A stretch of a line. */
export interface Place {
  readonly line: SourceLine;
  /** Counted from 0. */
  readonly column: number;
  readonly length: number;
}

/** One complaint about a source text. `expected` says what would be right there. */
export interface Diagnostic {
  readonly place: Place;
  readonly message: string;
  readonly expected: string;
}

const TAB_STOP = 8;

const detab = (text: string): string => {
  let out = '';
  for (const character of text)
    out += character === '\t' ? ' '.repeat(TAB_STOP - (out.length % TAB_STOP)) : character;
  return out;
};

/** `file:line:column: error: message`, the line, a caret below it, and what was expected. */
export function diagnosticText({ place, message, expected }: Diagnostic): string {
  const { line, column, length } = place;
  const before = detab(line.text.slice(0, column)).length;
  const shown = detab(line.text);
  const number = String(line.number);
  const margin = ' '.repeat(number.length);
  const marks = `^${'~'.repeat(Math.max(0, Math.min(length, shown.length - before) - 1))}`;
  const output = [
    `${line.file}:${number}:${column + 1}: error: ${message}`,
    ` ${number} | ${shown}`,
    ` ${margin} | ${' '.repeat(before)}${marks}`,
    ` ${margin} = expected ${expected}`,
  ];
  for (let origin = line.from; origin !== undefined; origin = origin.line.from)
    output.push(` ${margin} = ${origin.what} at ${origin.line.file}:${origin.line.number}`);
  return output.join('\n');
}

/** Thrown inside the assembler where one complaint ends the reading of a statement. */
export class SourceError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(place: Place, message: string, expected: string) {
    super(message);
    this.name = 'SourceError';
    this.diagnostic = { place, message, expected };
  }
}

/** A source text that does not assemble: every complaint, in source order of discovery. */
export class AssemblyError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(diagnosticText).join('\n'));
    this.name = 'AssemblyError';
    this.diagnostics = diagnostics;
  }
}
