import { didYouMean } from './nearest.ts';
import { printable, UsageError } from './usage-error.ts';

interface FieldBase {
  readonly description: string;
}

/** A plain decimal integer within [min, max], both at most 2^53 - 1. */
export interface IntField<Optional extends boolean = boolean> extends FieldBase {
  readonly kind: 'int';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
  readonly optional: Optional;
}

/** One of a closed list of words. */
export interface EnumField<Word extends string = string, Optional extends boolean = boolean>
  extends FieldBase {
  readonly kind: 'enum';
  readonly words: readonly Word[];
  readonly default?: Word;
  readonly optional: Optional;
}

/** Text with a shape of its own; `pattern` must match all of it and `form` describes it to people. */
export interface TextField<Optional extends boolean = boolean> extends FieldBase {
  readonly kind: 'string';
  readonly pattern: RegExp;
  readonly form: string;
  readonly default?: string;
  readonly optional: Optional;
}

export type Field = IntField | EnumField | TextField;

/** Declaration order is the canonical print order. */
export type FieldTable = Readonly<Record<string, Field>>;

/** Type of a parsed value of one field. */
export type FieldValue<F extends Field> = F extends IntField
  ? number
  : F extends EnumField<infer Word>
    ? Word
    : string;

type OptionalKeys<T extends FieldTable> = {
  [K in keyof T]: T[K]['optional'] extends true ? K : never;
}[keyof T];

/** The typed problem a field table describes; optional fields are absent when not given. */
export type ProblemOf<T extends FieldTable> = {
  readonly [K in Exclude<keyof T, OptionalKeys<T>>]: FieldValue<T[K]>;
} & { readonly [K in OptionalKeys<T>]?: FieldValue<T[K]> };

/** A required integer, or one with a default that is always printed. */
export function int(spec: {
  min: number;
  max: number;
  default?: number;
  description: string;
}): IntField<false> {
  return { kind: 'int', optional: false, ...spec };
}

/** A required word, or one with a default that is always printed. */
export function word<const W extends string>(spec: {
  words: readonly W[];
  default?: NoInfer<W>;
  description: string;
}): EnumField<W, false> {
  return { kind: 'enum', optional: false, ...spec };
}

/**
 * Text that may be left out; then it is not printed either. A field added to an existing table later
 * should be optional, so that the names of old cases do not change.
 */
export function optionalText(spec: { pattern: RegExp; form: string; description: string }): TextField<true> {
  return { kind: 'string', optional: true, ...spec };
}

/** What a field accepts, in words. */
export function allowedText(field: Field): string {
  switch (field.kind) {
    case 'int':
      return `integer ${field.min}..${field.max}`;
    case 'enum':
      return field.words.join(' | ');
    case 'string':
      return field.form;
  }
}

const PLAIN_INTEGER = /^(?:0|[1-9][0-9]*)$/;

/** Reads one value. Throws UsageError naming the key, the value and what is allowed. */
export function parseValue(operation: string, key: string, field: Field, text: string): number | string {
  const allowed = allowedText(field);
  const fail = (why: string, hint = ''): never => {
    throw new UsageError(
      `${operation}: ${key}=${printable(text)} ${why}; allowed: ${allowed}${hint}`,
      key,
      text,
      allowed,
    );
  };
  if (text === '') return fail('has no value');
  switch (field.kind) {
    case 'int': {
      if (/^-[0-9]+$/.test(text)) return fail('is negative');
      if (!PLAIN_INTEGER.test(text)) return fail('is not a plain decimal integer');
      const value = Number(text);
      if (!(value >= field.min && value <= field.max)) return fail('is out of range');
      return value;
    }
    case 'enum':
      if (!field.words.includes(text)) return fail('is not a known word', didYouMean(text, field.words));
      return text;
    case 'string':
      if (field.pattern.exec(text)?.[0] !== text) return fail('has the wrong form');
      return text;
  }
}
