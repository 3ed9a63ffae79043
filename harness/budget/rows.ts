import { readFileSync } from 'node:fs';
import { type CaseSource, findOperation, UsageError } from '../case/index.ts';

/** One row of a reviewed text file about cases. */
export interface Row {
  readonly place: string;
  /** Canonical case line. */
  readonly line: string;
  readonly cells: readonly string[];
}

/** A text file and the name used in messages. */
export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** Throws UsageError when the file cannot be read. */
export function readTextFile(path: string, option: string): TextFile {
  try {
    return { name: path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--${option} ${path} cannot be read: ${why}`, option, path, 'a readable text file');
  }
}

/**
 * Rows `<case line> | <cell> | <cell> ...`; `#` at the start of a line or after white space begins a comment.
 * Throws UsageError with file and line for a malformed row and for a case that has two rows.
 */
export function parseRows(file: TextFile, operations: readonly CaseSource[], columns: number, form: string) {
  const rows: Row[] = [];
  const places = new Map<string, string>();
  for (const [index, text] of file.text.split(/\r?\n/).entries()) {
    const row = text.replace(/(^|\s)#.*$/, '').trim();
    if (row === '') continue;
    const place = `${file.name}:${index + 1}`;
    const [first, ...cells] = row.split('|').map((cell) => cell.trim());
    if (cells.length !== columns || cells.includes('')) {
      throw new UsageError(
        `${place}: ${cells.length + 1} columns, or an empty one; form: ${form}`,
        'row',
        row,
        form,
      );
    }
    let line: string;
    try {
      line = findOperation(operations, first).canonical(first);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(`${place}: ${error.message}`, error.key, error.value, error.allowed);
    }
    const earlier = places.get(line);
    if (earlier !== undefined) {
      throw new UsageError(
        `${place}: case ${line} has a row at ${earlier} already`,
        'row',
        line,
        'one row per case',
      );
    }
    places.set(line, place);
    rows.push({ place, line, cells });
  }
  return rows;
}
