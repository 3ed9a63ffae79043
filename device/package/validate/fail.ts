import { PackageError, type PackageErrorFacts } from '../error.ts';

/** Throws the `invalid` error of a broken rule. */
export type Fail = (detail: string, facts: PackageErrorFacts, advice: string) => never;

/** A Fail that blames the producer (`compile-error`) or the file (`infra-error`). */
export function failWith(verdict: 'compile-error' | 'infra-error'): Fail {
  return (detail, facts, advice) => {
    throw new PackageError('invalid', detail, { verdict, facts, advice });
  };
}

/** Address text for messages. */
export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
