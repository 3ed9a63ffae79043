import type { CaseFailure } from '../ports.ts';
import type { Finding } from './make-record.ts';

const DECLARED: readonly string[] = ['compile-error', 'device-fault', 'infra-error', 'unsupported'];

/** Whether something thrown carries the fields of a CaseFailure. */
export function isCaseFailure(error: unknown): error is CaseFailure {
  if (!(error instanceof Error)) return false;
  const { verdict, stage, facts, advice } = error as Partial<CaseFailure>;
  return (
    typeof verdict === 'string' &&
    DECLARED.includes(verdict) &&
    typeof stage === 'string' &&
    typeof advice === 'string' &&
    typeof facts === 'object' &&
    facts !== null
  );
}

/** Deepest chain of causes that is told. */
const CAUSES = 4;

/**
 * Maps anything thrown in a stage to a verdict. An error that declares itself keeps its verdict, stage, facts and
 * advice; anything else is an infra-error with its stack kept, because nobody foresaw it.
 */
export function failureFinding(error: unknown, stage: string): Finding {
  if (isCaseFailure(error)) {
    return {
      verdict: error.verdict,
      reasons: [withCauses(error)],
      failure: {
        name: error.name,
        stage: error.stage,
        ...(error.tile === undefined ? {} : { tile: error.tile }),
        facts: plainFacts(error.facts),
        advice: error.advice,
      },
    };
  }
  const known = error instanceof Error;
  return {
    verdict: 'infra-error',
    reasons: [`${known ? error.name : 'thrown value'} in ${stage}: ${withCauses(error)}`],
    failure: {
      name: known ? error.name : typeof error,
      stage,
      facts: {},
      advice: 'Nobody foresaw this error; its stack is in the record. Report it with the case line.',
      ...(known && error.stack !== undefined ? { stack: error.stack } : {}),
    },
  };
}

function withCauses(error: unknown): string {
  const messages: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < CAUSES && current !== undefined && current !== null; depth++) {
    messages.push(current instanceof Error ? current.message : String(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return [...new Set(messages)].join(': ');
}

/** Facts as the record can hold them. */
function plainFacts(facts: Readonly<Record<string, unknown>>): Record<string, number | string> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      typeof value === 'number' || typeof value === 'string' ? value : String(value),
    ]),
  );
}
