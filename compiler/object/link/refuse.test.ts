import { describe, expect, it } from 'vitest';
import { RelocationError } from '../errors.ts';
import {
  dataSection,
  externalSymbol,
  globalSymbol,
  localSymbol,
  object,
  reloc,
  textSection,
  weakSymbol,
  words,
} from '../testing/build.ts';
import { failure, rule, unit } from '../testing/failure.ts';
import { link } from './link.ts';

describe('link refuses', () => {
  it.each([
    ['strong twice', globalSymbol, globalSymbol],
    ['strong and weak', globalSymbol, weakSymbol],
    ['weak twice', weakSymbol, weakSymbol],
    ['local and global', localSymbol, globalSymbol],
    ['local twice', localSymbol, localSymbol],
  ])('a name defined %s, naming both objects', (_, first, second) => {
    const objects = [first('x', '.text'), second('x', '.text')].map((symbol, index) =>
      object(`${'ab'[index]}.o`, [textSection('.text', words(index))], [symbol]),
    );
    const error = failure(() => link(objects));
    expect(error).toMatchObject({
      rule: 'duplicate-symbol',
      objects: ['a.o', 'b.o'],
      facts: { symbol: 'x' },
    });
    expect(error.message).toBe('a.o, b.o: duplicate symbol x: defined by a.o and by b.o');
  });

  it('doubled globals even in dropped sections, but not doubled locals there', () => {
    const twice = (symbol: typeof globalSymbol) => [
      unit('a'),
      ...['p.o', 'q.o'].map((name) => object(name, [textSection('.text', words(0))], [symbol('x', '.text')])),
    ];
    expect(rule(() => link(twice(globalSymbol), { entry: 'a' }))).toBe('duplicate-symbol');
    expect([...link(twice(localSymbol), { entry: 'a' }).symbols.keys()]).toEqual(['a']);
  });

  it('absolute globals twice, while local ones stay private', () => {
    const twice = (symbol: typeof globalSymbol) =>
      ['p.o', 'q.o'].map((name, index) => object(name, [], [symbol('N', 'absolute', index)]));
    expect(rule(() => link(twice(globalSymbol)))).toBe('duplicate-symbol');
    expect([...link(twice(localSymbol)).symbols]).toEqual([]);
  });

  it('missing roots', () => {
    expect(rule(() => link([unit('a')], { entry: 'b' }))).toBe('missing-retained-symbol');
    expect(rule(() => link([unit('a')], { entry: 'a', retained: ['b'] }))).toBe('missing-retained-symbol');
  });

  it('undefined symbols, weak or not, naming the object that asks', () => {
    const weak = object(
      'weak.o',
      [textSection('.text', words(0), [reloc(0, '32', 'b')])],
      [{ ...externalSymbol('b'), binding: 'weak' }],
    );
    for (const file of [unit('a', ['b']), weak]) {
      const error = failure(() => link([file]));
      expect(error).toMatchObject({ rule: 'undefined-symbol', objects: [file.name], facts: { symbol: 'b' } });
    }
  });

  it('symbols that are local to another object', () => {
    const secret = object('s.o', [textSection('.text', words(0))], [localSymbol('b', '.text')]);
    expect(rule(() => link([unit('a', ['b']), secret]))).toBe('undefined-symbol');
  });

  it('references to notes and empty sections', () => {
    for (const section of [
      { ...dataSection('.n', words(1)), kind: 'note' as const },
      dataSection('.n', new Uint8Array(0)),
    ]) {
      const target = object('n.o', [section], [globalSymbol('b', '.n')]);
      expect(rule(() => link([unit('a', ['b']), target]))).toBe('discarded-section');
      expect(rule(() => link([target], { entry: 'b' }))).toBe('discarded-section');
    }
  });

  it.each([
    ['19_S2', 2, 'misaligned', { min: 0, max: 0x1ffffc, step: 4 }],
    ['8', 0, 'unrepresentable', { min: 0, max: 0xff, step: 1 }],
    ['RUN', -0x8000, 'unrepresentable', { min: 0x4c000, max: 0x8bffc, step: 4 }],
  ] as const)('values that %s cannot store, saying where and why', (type, addend, fault, range) => {
    const file = object(
      'far.o',
      [textSection('.text', words(0, 0), [reloc(4, type, 'far', addend)])],
      [globalSymbol('far', '.text')],
    );
    const error = failure(() => link([file]));
    expect(error).toBeInstanceOf(RelocationError);
    const site = {
      object: 'far.o',
      section: '.text',
      offset: 4,
      type,
      symbol: 'far',
      value: 0x4c000 + addend,
    };
    expect(error).toMatchObject({ fault, site, range });
  });

  it('has one message for a bad relocation', () => {
    const file = object(
      'far.o',
      [textSection('.text', words(0, 0), [reloc(4, '16', 'far')])],
      [globalSymbol('far', '.text')],
    );
    expect(failure(() => link([file])).message).toBe(
      'far.o: unrepresentable relocation type 16 value 0x4c000 at .text+0x4, symbol far; legal: 0x0..0xffff in steps of 1',
    );
  });

  it.each([
    [5, '32'],
    [8, '8'],
    [0xffffffff, '16'],
  ] as const)('a relocation at %i that leaves its section', (offset, type) => {
    const file = object(
      'o.o',
      [textSection('.text', words(0, 0), [reloc(offset, type, 'far')])],
      [globalSymbol('far', 'absolute')],
    );
    expect(failure(() => link([file]))).toMatchObject({ fault: 'outside', object: 'o.o' });
  });

  it('objects that break their own rules', () => {
    const broken = object('o.o', [textSection('.text', words(0), [], 3)], []);
    expect(failure(() => link([broken])).message).toBe(
      'o.o: section .text: non-power-of-two section alignment 3',
    );
  });
});
