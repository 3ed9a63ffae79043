import { LinkError, ObjectError, type RelocationError } from '../errors.ts';
import type { ObjectFile } from '../model.ts';
import { externalSymbol, globalSymbol, object, reloc, textSection, words } from './build.ts';

/** Error of a link that must fail. */
export function failure(run: () => unknown): LinkError | RelocationError | ObjectError {
  try {
    run();
  } catch (error) {
    if (error instanceof ObjectError) return error;
    throw error;
  }
  throw new Error('the link did not fail');
}

export const rule = (run: () => unknown): string => {
  const error = failure(run);
  return error instanceof LinkError ? error.rule : error.name;
};

/** One section `.text.NAME` with global NAME at its start: a branch to every callee, or one word. */
export const unit = (name: string, calls: readonly string[] = []): ObjectFile =>
  object(
    `${name}.o`,
    [
      textSection(
        `.text.${name}`,
        words(...(calls.length > 0 ? calls.map(() => 0x40800000) : [0x43000000])),
        calls.map((callee, index) => reloc(4 * index, '19_S2', callee)),
      ),
    ],
    [globalSymbol(name, `.text.${name}`), ...calls.map(externalSymbol)],
  );
