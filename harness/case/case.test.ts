import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { int, optionalText, word } from './fields.ts';
import { defineGrammar } from './grammar.ts';
import { editDistance, nearest } from './nearest.ts';
import { deriveSeed, formatSeed } from './seed.ts';
import { UsageError } from './usage-error.ts';

const grammar = defineGrammar('toy', {
  m: int({ min: 1, max: 65536, description: 'rows' }),
  tiles: int({ min: 1, max: 1472, default: 1, description: 'tiles' }),
  fill: word({ words: ['int', 'normal'], default: 'int', description: 'distribution' }),
  plan: optionalText({ pattern: /[1-9]\d{0,3}x[1-9]\d{0,3}/, form: 'RxC', description: 'grid' }),
});

function usage(run: () => unknown): UsageError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return error as UsageError;
  }
  throw new Error('nothing was thrown');
}

describe('grammar', () => {
  test('parse undoes print for every problem', () => {
    const problem = fc.record(
      {
        m: fc.integer({ min: 1, max: 65536 }),
        tiles: fc.integer({ min: 1, max: 1472 }),
        fill: fc.constantFrom('int' as const, 'normal' as const),
        plan: fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.nat(9998)).map(([r, c]) => `${r}x${c + 1}`),
      },
      { requiredKeys: ['m', 'tiles', 'fill'] },
    );
    fc.assert(
      fc.property(problem, (value) => {
        expect(grammar.parse(grammar.print(value))).toEqual(value);
      }),
    );
  });

  test('canonical text does not depend on the order or on spelled-out defaults', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['m=7', 'tiles=1', 'fill=int', 'plan=2x3'], { minLength: 4 }),
        (entries) => {
          expect(grammar.canonical(`toy/${entries.join(',')}`)).toBe('toy/m=7,tiles=1,fill=int,plan=2x3');
        },
      ),
    );
    expect(grammar.canonical('  toy/m=7\n')).toBe('toy/m=7,tiles=1,fill=int');
  });

  test.each([
    ['toy/m=0', 'm', '0', /m=0 is out of range; allowed: integer 1\.\.65536/],
    ['toy/m=-3', 'm', '-3', /m=-3 is negative; allowed: integer 1\.\.65536/],
    ['toy/m=1e3', 'm', '1e3', /m=1e3 is not a plain decimal integer/],
    ['toy/m=NaN', 'm', 'NaN', /m=NaN is not a plain decimal integer/],
    ['toy/m=0x10', 'm', '0x10', /not a plain decimal integer/],
    ['toy/m=1.5', 'm', '1.5', /not a plain decimal integer/],
    ['toy/m=+5', 'm', '+5', /not a plain decimal integer/],
    ['toy/m=007', 'm', '007', /not a plain decimal integer/],
    ['toy/m=', 'm', '', /m= has no value; allowed: integer/],
    ['toy/m=18446744073709551617', 'm', '18446744073709551617', /out of range/],
    [`toy/m=${'9'.repeat(400)}`, 'm', '9'.repeat(400), /out of range/],
    ['toy/m=5,tiles=0', 'tiles', '0', /tiles=0 is out of range; allowed: integer 1\.\.1472/],
    ['toy/m=5,tiles=1473', 'tiles', '1473', /tiles=1473 is out of range/],
    ['toy/m=5,fill=normla', 'fill', 'normla', /fill=normla .*int \| normal \(did you mean normal\?\)/],
    ['toy/m=5,plan=2x', 'plan', '2x', /plan=2x has the wrong form; allowed: RxC/],
    ['toy/m=5,plan=2x3x4', 'plan', '2x3x4', /wrong form/],
    [
      'toy/m=5,tile=3',
      'tile',
      '3',
      /unknown key "tile" \(did you mean tiles\?\); keys: m, tiles, fill, plan/,
    ],
    ['toy/m=5,__proto__=3', '__proto__', '3', /unknown key/],
    ['toy/m=5,m=6', 'm', '6', /key "m" is given twice/],
    ['toy/tiles=4', 'm', '', /key m is missing .* give m=<integer 1\.\.65536>/],
    ['toy/m=5, tiles=4', 'case', 'toy/m=5, tiles=4', /white space/],
    ['toy/m', 'case', 'toy/m', /"m" is not a key=value pair/],
    ['toy/m=5,', 'case', 'toy/m=5,', /"" is not a key=value pair/],
    ['m=5', 'case', 'm=5', /does not begin with an operation and a slash/],
    ['', 'case', '', /does not begin with an operation/],
    ['toys/m=5', 'operation', 'toys', /not a case of toy/],
    [`toy/m=5,${'x'.repeat(5000)}=1`, 'case', `toy/m=5,${'x'.repeat(5000)}=1`, /longer than 4096/],
  ])('%.60s is refused with the key and the value', (line, key, value, message) => {
    const error = usage(() => grammar.parse(line));
    expect(error.message).toMatch(message);
    expect(error.key).toBe(key);
    expect(error.value).toBe(value);
    expect(error.message.length).toBeLessThan(420);
    expect(error.exitCode).toBe(2);
  });

  test('arbitrary text either parses to its canonical form or is a UsageError', () => {
    const piece = fc.constantFrom(
      'toy/',
      'm=',
      'tiles=',
      ',',
      '3',
      '=',
      'fill=int',
      '\u0000',
      'é',
      '-1',
      '/',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const line = pieces.join('');
        try {
          const text = grammar.canonical(line);
          expect(grammar.canonical(text)).toBe(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });

  test('help names every field with its range, default and description', () => {
    expect(grammar.help().split('\n')).toEqual([
      'toy/m=...,tiles=...,fill=...,plan=...',
      '  m      integer 1..65536  required     rows',
      '  tiles  integer 1..1472   default 1    tiles',
      '  fill   int | normal      default int  distribution',
      '  plan   RxC               optional     grid',
    ]);
  });

  test('a rule over several fields is applied', () => {
    const limited = defineGrammar(
      'toy',
      { m: int({ min: 1, max: 9, description: '' }), n: int({ min: 1, max: 9, description: '' }) },
      ({ m, n }) => {
        if (m * n > 20) throw new UsageError(`m*n=${m * n} exceeds 20`, 'm', String(m), 'm*n <= 20');
      },
    );
    expect(limited.parse('toy/m=4,n=5')).toEqual({ m: 4, n: 5 });
    expect(usage(() => limited.parse('toy/m=7,n=3')).message).toBe('m*n=21 exceeds 20');
  });
});

describe('nearest', () => {
  test('edit distance counts swaps of neighbours once', () => {
    expect(editDistance('tiles', 'tiels')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });

  test('distance is symmetric and zero only for equal words', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });

  test('words that resemble nothing get no suggestion', () => {
    expect(nearest('zzzzzz', ['tiles', 'fill'])).toBeUndefined();
    expect(nearest('x'.repeat(100_000), ['tiles'])).toBeUndefined();
    expect(nearest('fil', ['tiles', 'fill'])).toBe('fill');
  });
});

describe('seed', () => {
  test('is the head of SHA-256 over line, NUL, tensor', () => {
    // printf 'toy/m=7\0a' | sha256sum
    expect(formatSeed(deriveSeed('toy/m=7', 'a'))).toBe('0xbc0d90b7353a66b5');
  });

  test('differs between tensors and between lines, and cannot be shifted between them', () => {
    const seeds = [
      deriveSeed('toy/m=7', 'a'),
      deriveSeed('toy/m=7', 'b'),
      deriveSeed('toy/m=8', 'a'),
      deriveSeed('toy/m=7a', ''),
    ];
    expect(new Set(seeds).size).toBe(4);
    for (const seed of seeds) expect(seed).toBe(BigInt.asUintN(64, seed));
  });
});
