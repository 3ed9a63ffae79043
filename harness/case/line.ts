import { quoted, UsageError } from './usage-error.ts';

/** A case line split at its separators; nothing is known yet about which keys exist. */
export interface RawCase {
  readonly operation: string;
  readonly entries: readonly (readonly [key: string, value: string])[];
}

const FORM = '<op>/<key>=<value>,<key>=<value>,...';

/** Longest accepted case line, in characters. */
const LONGEST_LINE = 4096;

function malformed(line: string, why: string): UsageError {
  return new UsageError(`case line ${quoted(line)}: ${why}; form: ${FORM}`, 'case', line, FORM);
}

/** Splits `<op>/<key>=<value>,...`. Throws UsageError when the line has another form or repeats a key. */
export function splitLine(text: string): RawCase {
  const line = text.trim();
  if (line.length > LONGEST_LINE) throw malformed(line, `longer than ${LONGEST_LINE} characters`);
  if (/\s/.test(line)) throw malformed(line, 'has white space inside');
  const slash = line.indexOf('/');
  if (slash < 1) throw malformed(line, 'does not begin with an operation and a slash');
  const operation = line.slice(0, slash);
  const body = line.slice(slash + 1);
  const entries: [string, string][] = [];
  const seen = new Set<string>();
  for (const part of body === '' ? [] : body.split(',')) {
    const equals = part.indexOf('=');
    if (equals < 1) throw malformed(line, `${quoted(part)} is not a key=value pair`);
    const key = part.slice(0, equals);
    if (seen.has(key)) {
      throw new UsageError(
        `${operation}: key ${quoted(key)} is given twice in ${quoted(line)}; give it once`,
        key,
        part.slice(equals + 1),
        'one value per key',
      );
    }
    seen.add(key);
    entries.push([key, part.slice(equals + 1)]);
  }
  return { operation, entries };
}

/** The inverse of `splitLine`. */
export function joinLine(raw: RawCase): string {
  return `${raw.operation}/${raw.entries.map(([key, value]) => `${key}=${value}`).join(',')}`;
}

/** Value of a key, or undefined. */
export function entryOf(raw: RawCase, key: string): string | undefined {
  return raw.entries.find(([name]) => name === key)?.[1];
}

/** The same line with one key set, replaced in place or appended. */
export function withEntry(raw: RawCase, key: string, value: string): RawCase {
  const present = raw.entries.some(([name]) => name === key);
  const entries = present
    ? raw.entries.map((entry): readonly [string, string] => (entry[0] === key ? [key, value] : entry))
    : [...raw.entries, [key, value] as const];
  return { operation: raw.operation, entries };
}
