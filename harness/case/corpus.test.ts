import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readCorpus, tierCorpus } from './corpus.ts';
import { expandLine } from './expand.ts';
import { int } from './fields.ts';
import { defineGrammar } from './grammar.ts';
import { selectCases } from './selection.ts';
import { UsageError } from './usage-error.ts';

const number = (description: string) => int({ min: 1, max: 9999, description });
const grammar = defineGrammar('toy', {
  m: number('rows'),
  n: int({ min: 1, max: 9999, default: 1, description: 'columns' }),
  tiles: int({ min: 1, max: 1472, default: 1, description: 'tiles' }),
  seed: int({ min: 0, max: 2 ** 32, default: 0, description: 'seed' }),
});
const canonical = grammar.canonical;

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const short = (text: string) => expandLine(text).lines.map((line) => line.replace('toy/', ''));

describe('generators', () => {
  test('a plain line stands for itself', () => {
    expect(expandLine('toy/m=3,n=4')).toEqual({ lines: ['toy/m=3,n=4'], unlisted: false });
  });

  test('lists multiply with the first list slowest', () => {
    expect(short('toy/m={1,2},n={8..10}')).toEqual([
      'm=1,n=8',
      'm=1,n=9',
      'm=1,n=10',
      'm=2,n=8',
      'm=2,n=9',
      'm=2,n=10',
    ]);
    expect(short('toy/m={1..40:16,5}')).toEqual(['m=1', 'm=17', 'm=33', 'm=5']);
  });

  test('values may refer to another key', () => {
    expect(short('toy/m={tiles-1,tiles,tiles+1},tiles={4,8}')).toEqual([
      'm=3,tiles=4',
      'm=7,tiles=8',
      'm=4,tiles=4',
      'm=8,tiles=8',
      'm=5,tiles=4',
      'm=9,tiles=8',
    ]);
  });

  test('rules drop lines', () => {
    expect(short('toy/m={2,3},n={2,3} where distinct(m,n)')).toEqual(['m=2,n=3', 'm=3,n=2']);
    expect(short('toy/m={2,3},n={2,3} where product(m,n)<=6 and distinct(m,n)')).toHaveLength(2);
    expect(short('toy/m={2,3},n={2,3} where product(m,n)<=4')).toEqual(['m=2,n=2']);
  });

  test('keep samples by value, about one in q, whatever else is in the list', () => {
    const all = short('toy/m={1..1000} where keep(1/8,m)');
    expect(all.length).toBeGreaterThan(90);
    expect(all.length).toBeLessThan(160);
    const part = short('toy/m={100..300} where keep(1/8,m)');
    expect(part).toEqual(all.filter((line) => Number(line.slice(2)) >= 100 && Number(line.slice(2)) <= 300));
    // the choice depends on the named keys only, so both seeds of a shape stay together
    const pairs = short('toy/m={1..50},seed={0,1} where keep(1/4,m)');
    expect(pairs.filter((line) => line.endsWith('seed=0'))).toHaveLength(pairs.length / 2);
  });

  test.each([
    ['toy/m={1,2', /"\{" without a "\}"/],
    ['toy/m=1}', /"\}" without a "\{"/],
    ['toy/m={1,{2}}', /list inside a list/],
    ['toy/m={1,,2}', /empty list item/],
    ['toy/m={5..1}', /range 5\.\.1 is empty/],
    ['toy/m={1..9:0}', /range 1\.\.9:0 is empty/],
    ['toy/m={1..999999999}', /too long/],
    ['toy/m={1..5000},n={1..5000}', /stands for 25000000 lines/],
    ['toy/m=1 where odd(m)', /unknown rule "odd\(m\)"/],
    ['toy/m=1 where distinct(m,k)', /names key "k", which the line lacks/],
    ['toy/m=1 where distinct(m)<=3', /rule distinct has the wrong form/],
    ['toy/m=1 where product(m)', /rule product has the wrong form/],
    ['toy/m=x where product(m)<=3', /m="x" is no number/],
    ['toy/m=1 where keep(8,m)', /needs a ratio/],
    ['toy/m=1 where distinct(m) where distinct(m)', /more than one "where"/],
  ])('%s is refused', (text, expected) => {
    expect(message(() => expandLine(text))).toMatch(expected);
  });
});

describe('corpus files', () => {
  test('comments and blank lines are ignored; lines become canonical', () => {
    const text = '# head\n\ntoy/m=3 # odd\r\ntoy/n={4,5},m=3\n';
    expect(readCorpus([{ name: 'a.txt', text }], canonical)).toEqual([
      'toy/m=3,n=1,tiles=1,seed=0',
      'toy/m=3,n=4,tiles=1,seed=0',
      'toy/m=3,n=5,tiles=1,seed=0',
    ]);
  });

  test('a duplicate names both places, also across files', () => {
    const files = [
      { name: 'a.txt', text: 'toy/m=3\n' },
      { name: 'b.txt', text: '#\ntoy/m=4\ntoy/n=1,m=3' },
    ];
    expect(message(() => readCorpus(files, canonical))).toMatch(
      /^b\.txt:3: case toy\/m=3,\S+ was already given at a\.txt:1$/,
    );
  });

  test('unlisted drops what is already there; a line that yields nothing is an error', () => {
    const text = 'toy/m=3\ntoy/m={3,4} where unlisted';
    expect(readCorpus([{ name: 'a', text }], canonical)).toHaveLength(2);
    const empty = 'toy/m=3\ntoy/m={3} where unlisted';
    expect(message(() => readCorpus([{ name: 'a', text: empty }], canonical))).toMatch(
      /^a:2: .*yields no case/,
    );
  });

  test('a bad line is located', () => {
    expect(message(() => readCorpus([{ name: 'x', text: '\ntoy/m=0' }], canonical))).toMatch(
      /^x:2: toy: m=0 is out of range/,
    );
  });
});

describe('tiers and selection', () => {
  const directory = mkdtempSync(join(tmpdir(), 'corpus-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'smoke.txt'), 'toy/m=1\ntoy/m=2,tiles=4');
  writeFileSync(join(directory, 'ci.txt'), 'toy/m=3,tiles=8');
  writeFileSync(join(directory, 'nightly.txt'), 'toy/m={1..5},tiles=16');
  const corpus = tierCorpus(directory, canonical);
  const operation = { name: 'toy', canonical, tier: corpus.tier };

  test('smoke is part of ci, ci of nightly; perf stands alone', () => {
    const [smoke, ci, nightly] = ['smoke', 'ci', 'nightly'].map((name) => corpus.tier(name));
    expect([smoke.length, ci.length, nightly.length]).toEqual([2, 3, 8]);
    expect(ci.slice(0, 2)).toEqual(smoke);
    expect(nightly.slice(0, 3)).toEqual(ci);
    expect(message(() => corpus.tier('perf'))).toMatch(/perf\.txt cannot be read/);
    expect(message(() => corpus.tier('nightl'))).toMatch(/unknown \(did you mean nightly\?\)/);
  });

  test('the default is the smoke tier; explicit cases replace it or come first', () => {
    expect(selectCases([operation], {})).toEqual(corpus.tier('smoke'));
    expect(selectCases([operation], { cases: ['toy/m=9'] })).toEqual(['toy/m=9,n=1,tiles=1,seed=0']);
    const both = selectCases([operation], { cases: ['toy/tiles=4,m=2'], tier: 'ci' });
    expect(both[0]).toBe('toy/m=2,n=1,tiles=4,seed=0');
    expect(both).toHaveLength(3);
  });

  test('match, exclude and tiles filter canonical lines', () => {
    expect(selectCases([operation], { tier: 'nightly', match: 'm=[12],' })).toHaveLength(4);
    expect(selectCases([operation], { tier: 'nightly', match: 'm=[12],', exclude: 'tiles=16' })).toHaveLength(
      2,
    );
    expect(selectCases([operation], { tier: 'nightly', tiles: '4-8' })).toHaveLength(2);
    expect(selectCases([operation], { tier: 'nightly', tiles: '1,16' })).toHaveLength(6);
  });

  test('a seed replaces the seed of every case and merges what becomes equal', () => {
    expect(selectCases([operation], { cases: ['toy/m=1', 'toy/m=1,seed=5'], seed: '7' })).toEqual([
      'toy/m=1,n=1,tiles=1,seed=7',
    ]);
    expect(message(() => selectCases([operation], { seed: '-1' }))).toMatch(/seed=-1 is negative/);
  });

  test('an empty selection, a bad expression, a bad count and an unknown operation are errors', () => {
    expect(message(() => selectCases([operation], { match: 'nothing' }))).toMatch(
      /no case is left of 2 after --match "nothing"/,
    );
    expect(message(() => selectCases([operation], { match: '[' }))).toMatch(/--match "\[" is not a regular/);
    expect(message(() => selectCases([operation], { exclude: '(' }))).toMatch(/--exclude/);
    for (const tiles of ['0', 'x', '8-4', '', '1,,2', '-3']) {
      expect(message(() => selectCases([operation], { tiles }))).toMatch(/not a tile count or range/);
    }
    expect(message(() => selectCases([operation], { cases: ['toi/m=1'] }))).toMatch(/did you mean toy\?/);
    expect(message(() => selectCases([operation], { cases: [] }))).toMatch(/no case is left of 0/);
  });
});
