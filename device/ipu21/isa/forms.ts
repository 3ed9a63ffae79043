import { ACCUMULATE } from './accumulate.ts';
import { ARITHMETIC } from './arithmetic.ts';
import { BITWISE } from './bitwise.ts';
import { COMPARE } from './compare.ts';
import { CONTROL } from './control.ts';
import { CONVERT } from './convert.ts';
import { ELEMENTARY } from './elementary.ts';
import { EncodingError } from './errors.ts';
import { EXCHANGE } from './exchange.ts';
import type { Form } from './form.ts';
import { INTEGER } from './integer.ts';
import { LOAD } from './load.ts';
import { MATRIX } from './matrix.ts';
import { PACED } from './paced.ts';
import { PERMUTE } from './permute.ts';
import { RANDOM } from './random.ts';
import { STORE } from './store.ts';
import { SYSTEM } from './system.ts';

const ROWS = [
  ...INTEGER,
  ...PERMUTE,
  ...BITWISE,
  ...CONTROL,
  ...SYSTEM,
  ...LOAD,
  ...STORE,
  ...PACED,
  ...EXCHANGE,
  ...ARITHMETIC,
  ...COMPARE,
  ...ELEMENTARY,
  ...CONVERT,
  ...ACCUMULATE,
  ...MATRIX,
  ...RANDOM,
] as const;

/** Unique id of an instruction form, e.g. `add.mmz16`. */
export type FormId = (typeof ROWS)[number]['id'];

/** Every known instruction form of the IPU21 tile, by family. */
export const FORMS: readonly Form<FormId>[] = ROWS;

const BY_ID: ReadonlyMap<string, Form<FormId>> = new Map(FORMS.map((form) => [form.id, form]));

export const isFormId = (text: string): text is FormId => BY_ID.has(text);

/** The form with this id; throws EncodingError when there is none. */
export function formOf(id: FormId): Form<FormId> {
  const form = BY_ID.get(id);
  if (form === undefined) {
    throw new EncodingError(
      'unknown',
      `no instruction form has the id ${id}`,
      { id },
      'Take an id from FORMS.',
    );
  }
  return form;
}
