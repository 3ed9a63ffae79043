import { createHash } from 'node:crypto';
import { entryOf, joinLine, type RawCase, splitLine } from './line.ts';
import { quoted, UsageError } from './usage-error.ts';

/**
 * A generator is a case line whose values may be lists in braces, followed by rules:
 *
 *     gemm/m={1,17,33},k={16..64:16},n={tiles-1,tiles+1},tiles={4,8} where distinct(m,k,n) and product(m,k,n)<=100000
 *
 * List items are words, integers, ranges `a..b` or `a..b:step`, and `key`, `key+1`, `key-1` which stand for the
 * value of another key of the same line. The product runs with the first list slowest. Rules:
 *
 * - `distinct(a,b,...)` drops lines in which two of the keys have equal values;
 * - `product(a,b,...)<=N` drops lines in which the product of the keys exceeds N;
 * - `keep(1/q,a,b,...)` keeps about one line in q, chosen by a hash of the named values, so that adding an
 *   item to a list never changes the fate of other lines;
 * - `unlisted` drops lines that an earlier line of the corpus already gave (otherwise that is an error).
 */
export interface Expansion {
  readonly lines: readonly string[];
  readonly unlisted: boolean;
}

/** Most lines one generator may stand for before its rules are applied. */
const LARGEST_PRODUCT = 1_000_000;

type Rule = (raw: RawCase) => boolean;

function fail(text: string, why: string): UsageError {
  return new UsageError(`generator ${quoted(text)}: ${why}`, 'generator', text, 'see the generator form');
}

/** Expands a plain line (to itself) or a generator. Throws UsageError. */
export function expandLine(text: string): Expansion {
  const [pattern, condition, ...more] = text.trim().split(/\s+where\s+/);
  if (more.length > 0) throw fail(text, 'has more than one "where"');
  const rules: Rule[] = [];
  let unlisted = false;
  for (const clause of condition === undefined ? [] : condition.split(/\s+and\s+/)) {
    if (clause === 'unlisted') unlisted = true;
    else rules.push(parseRule(text, clause));
  }
  const pieces = splitBraces(text, pattern);
  const total = pieces.reduce((count, piece) => count * piece.length, 1);
  if (total > LARGEST_PRODUCT) {
    throw fail(text, `stands for ${total} lines, more than ${LARGEST_PRODUCT}; split it or shorten a list`);
  }
  const lines: string[] = [];
  for (let index = 0; index < total; index++) {
    const raw = resolveReferences(splitLine(pick(pieces, index)));
    if (rules.every((rule) => rule(raw))) lines.push(joinLine(raw));
  }
  return { lines, unlisted };
}

function pick(pieces: readonly (readonly string[])[], index: number): string {
  const chosen: string[] = [];
  let rest = index;
  for (let place = pieces.length - 1; place >= 0; place--) {
    const choices = pieces[place];
    chosen.push(choices[rest % choices.length]);
    rest = Math.floor(rest / choices.length);
  }
  return chosen.reverse().join('');
}

/** Literal text and lists in turn; literal text is a list of one. */
function splitBraces(text: string, pattern: string): string[][] {
  const pieces: string[][] = [];
  let from = 0;
  while (from < pattern.length) {
    const open = pattern.indexOf('{', from);
    const literal = open < 0 ? pattern.slice(from) : pattern.slice(from, open);
    if (literal.includes('}')) throw fail(text, 'has a "}" without a "{"');
    if (literal !== '') pieces.push([literal]);
    if (open < 0) break;
    const close = pattern.indexOf('}', open);
    if (close < 0) throw fail(text, 'has a "{" without a "}"');
    const body = pattern.slice(open + 1, close);
    if (body.includes('{')) throw fail(text, 'has a list inside a list');
    pieces.push(body.split(',').flatMap((item) => expandItem(text, item.trim())));
    from = close + 1;
  }
  return pieces;
}

function expandItem(text: string, item: string): string[] {
  if (item === '') throw fail(text, 'has an empty list item');
  const range = /^(\d{1,9})\.\.(\d{1,9})(?::(\d{1,9}))?$/.exec(item);
  if (range === null) return [item];
  const [low, high, step] = [Number(range[1]), Number(range[2]), Number(range[3] ?? '1')];
  if (step < 1 || high < low) throw fail(text, `range ${item} is empty; write low..high or low..high:step`);
  if ((high - low) / step > LARGEST_PRODUCT) throw fail(text, `range ${item} is too long`);
  const values: string[] = [];
  for (let value = low; value <= high; value += step) values.push(String(value));
  return values;
}

/** Replaces `key`, `key+d` and `key-d` by numbers when `key` is another key of the line with an integer. */
function resolveReferences(raw: RawCase): RawCase {
  const entries = raw.entries.map(([key, value]): readonly [string, string] => {
    const reference = /^([a-z][a-z0-9]*)(?:([+-])(\d{1,9}))?$/.exec(value);
    if (reference === null || reference[1] === key) return [key, value];
    const target = entryOf(raw, reference[1]);
    if (target === undefined || !/^\d+$/.test(target)) return [key, value];
    const offset = Number(reference[3] ?? '0');
    return [key, String(Number(target) + (reference[2] === '-' ? -offset : offset))];
  });
  return { operation: raw.operation, entries };
}

function parseRule(text: string, clause: string): Rule {
  const form = /^(distinct|product|keep)\(([^()]*)\)(?:<=(\d{1,15}))?$/.exec(clause);
  if (form === null) {
    throw fail(
      text,
      `unknown rule ${quoted(clause)}; rules: distinct(..), product(..)<=N, keep(1/q,..), unlisted`,
    );
  }
  const [, name, list, limit] = form;
  const keys = list.split(',').map((key) => key.trim());
  if ((name === 'product') !== (limit !== undefined)) throw fail(text, `rule ${name} has the wrong form`);
  const namedValue = (raw: RawCase, key: string): string => {
    const value = entryOf(raw, key);
    if (value === undefined) throw fail(text, `rule ${name} names key ${quoted(key)}, which the line lacks`);
    return value;
  };
  const namedNumber = (raw: RawCase, key: string): number => {
    const value = namedValue(raw, key);
    if (!/^\d+$/.test(value)) throw fail(text, `rule ${name}: ${key}=${quoted(value)} is no number`);
    return Number(value);
  };
  switch (name) {
    case 'distinct':
      return (raw) => new Set(keys.map((key) => namedValue(raw, key))).size === keys.length;
    case 'product':
      return (raw) => keys.reduce((total, key) => total * namedNumber(raw, key), 1) <= Number(limit);
    default: {
      const ratio = /^1\/([1-9]\d{0,5})$/.exec(keys[0]);
      if (ratio === null || keys.length < 2)
        throw fail(text, 'rule keep needs a ratio 1/q and at least one key');
      const names = keys.slice(1);
      return (raw) => {
        const chosen = names.map((key) => `${key}=${namedValue(raw, key)}`).join(',');
        const hash = createHash('sha256').update(chosen, 'utf8').digest().readUInt32BE(0);
        return hash % Number(ratio[1]) === 0;
      };
    }
  }
}
