import { describe, expect, test } from 'vitest';
import type { CaseSource } from '../case/index.ts';
import { checkBudget, parseCycleBudgets, parseKnownFailures, readTextFile } from './index.ts';

const OPERATIONS: readonly CaseSource[] = [
  { name: 'toy', canonical: (line) => line.replace('toy/n=07', 'toy/n=7'), tier: () => [] },
];
const file = (text: string) => ({ name: 'list.txt', text });

describe('cycle budgets', () => {
  const parse = (text: string) => parseCycleBudgets(file(text), OPERATIONS);

  test('rows become limits of canonical lines', () => {
    const budgets = parse('# reviewed\n\n toy/n=07 | 1200 # measured\ntoy/n=8 | 99\n');
    expect([...budgets]).toEqual([
      ['toy/n=7', 1200],
      ['toy/n=8', 99],
    ]);
  });

  test('a case is kept at its limit and breaks it one cycle beyond', () => {
    const budgets = parse('toy/n=7 | 1200');
    expect(checkBudget(budgets, 'toy/n=8', 1)).toBeUndefined();
    expect(checkBudget(budgets, 'toy/n=7', 1200)).toEqual({ limitCycles: 1200, ratio: 1 });
    expect(checkBudget(budgets, 'toy/n=7', 1201)?.reason).toBe(
      '1201 cycles exceed the budget of 1200 by 1 (0.08 %)',
    );
  });

  test.each([
    ['toy/n=7', /list\.txt:1: 1 columns/],
    ['toy/n=7 |', /list\.txt:1: 2 columns, or an empty one/],
    ['toy/n=7 | 1 | 2', /3 columns/],
    ['\ntoy/n=7 | 1e3', /list\.txt:2: "1e3" is no number of cycles/],
    ['toy/n=7 | 0', /"0" is no number of cycles/],
    ['toys/n=7 | 5', /list\.txt:1: operation "toys" is unknown \(did you mean toy\?\)/],
    ['toy/n=7 | 5\ntoy/n=07 | 6', /list\.txt:2: case toy\/n=7 has a row at list\.txt:1/],
  ])('%j is refused', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

describe('known failures', () => {
  const parse = (text: string) => parseKnownFailures(file(text), OPERATIONS, '2026-06-15');

  test('entries count up to and on their last day', () => {
    const { known, expired } = parse(
      [
        'toy/n=1 | failed-numerics | jane | 2026-06-15 | split sums',
        'toy/n=2 | skip | joe | 2026-06-14 | hangs the card',
      ].join('\n'),
    );
    expect([...known]).toEqual([
      ['toy/n=1', { expect: 'failed-numerics', owner: 'jane', expires: '2026-06-15', why: 'split sums' }],
    ]);
    expect(expired).toEqual(['list.txt:2: toy/n=2 expired on 2026-06-14 (joe)']);
  });

  test.each([
    ['toy/n=1 | passed | j | 2026-06-15 | x', /"passed" cannot be expected; allowed: failed-numerics/],
    ['toy/n=1 | infra-error | j | 2026-06-15 | x', /cannot be expected/],
    ['toy/n=1 | skip | j | 2026-02-30 | x', /"2026-02-30" is no day/],
    ['toy/n=1 | skip | j | tomorrow | x', /is no day/],
    ['toy/n=1 | skip | | 2026-06-15 | x', /an empty one/],
  ])('%j is refused', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

test('a file that cannot be read names its option', () => {
  expect(() => readTextFile('/nothing/here.txt', 'budget')).toThrow(
    /--budget \/nothing\/here\.txt cannot be read/,
  );
});
