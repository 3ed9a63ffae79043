import { allowedText, type FieldTable, type ProblemOf, parseValue } from './fields.ts';
import { splitLine } from './line.ts';
import { didYouMean } from './nearest.ts';
import { quoted, UsageError } from './usage-error.ts';

/** The text form of one operation's problems; everything is derived from the field table. */
export interface CaseGrammar<T extends FieldTable> {
  readonly operation: string;
  readonly fields: T;
  /** Reads a case line. Throws UsageError with one clear message. */
  parse(line: string): ProblemOf<T>;
  /** Canonical text: every field with a value, in table order. `parse(print(p))` equals `p`. */
  print(problem: ProblemOf<T>): string;
  /** `print(parse(line))`. */
  canonical(line: string): string;
  /** One line per field: key, what it accepts, default, description. */
  help(): string;
}

/**
 * Builds the grammar of an operation from its field table. `check` may reject combinations of fields
 * that are fine one by one; it throws UsageError.
 */
export function defineGrammar<const T extends FieldTable>(
  operation: string,
  fields: T,
  check: (problem: ProblemOf<T>) => void = () => {},
): CaseGrammar<T> {
  const keys = Object.keys(fields);

  const parse = (line: string): ProblemOf<T> => {
    const raw = splitLine(line);
    if (raw.operation !== operation) {
      throw new UsageError(
        `${quoted(line)} is not a case of ${operation}; it names operation ${quoted(raw.operation)}`,
        'operation',
        raw.operation,
        operation,
      );
    }
    const given = new Map(raw.entries);
    for (const [key, value] of given) {
      if (!Object.hasOwn(fields, key)) {
        throw new UsageError(
          `${operation}: unknown key ${quoted(key)}${didYouMean(key, keys)}; keys: ${keys.join(', ')}`,
          key,
          value,
          keys.join(', '),
        );
      }
    }
    const problem: Record<string, number | string> = {};
    for (const key of keys) {
      const field = fields[key];
      const text = given.get(key);
      if (text !== undefined) problem[key] = parseValue(operation, key, field, text);
      else if (field.default !== undefined) problem[key] = field.default;
      else if (!field.optional) {
        throw new UsageError(
          `${operation}: key ${key} is missing in ${quoted(line)}; give ${key}=<${allowedText(field)}>`,
          key,
          '',
          allowedText(field),
        );
      }
    }
    check(problem as ProblemOf<T>);
    return problem as ProblemOf<T>;
  };

  const print = (problem: ProblemOf<T>): string => {
    const values = problem as Readonly<Record<string, number | string | undefined>>;
    const parts = keys.filter((key) => values[key] !== undefined).map((key) => `${key}=${values[key]}`);
    return `${operation}/${parts.join(',')}`;
  };

  const help = (): string => {
    const rows = keys.map((key) => {
      const field = fields[key];
      let rule = 'required';
      if (field.default !== undefined) rule = `default ${field.default}`;
      else if (field.optional) rule = 'optional';
      return [key, allowedText(field), rule, field.description];
    });
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
    const lines = rows.map((row) =>
      [...widths.map((width, column) => row[column].padEnd(width)), row[3]].join('  '),
    );
    return [
      `${operation}/${keys.map((key) => `${key}=...`).join(',')}`,
      ...lines.map((text) => `  ${text}`),
    ].join('\n');
  };

  return { operation, fields, parse, print, canonical: (line) => print(parse(line)), help };
}
