import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ADDRESS_BITS,
  accessFault,
  bankOf,
  ELEMENT_BYTES,
  ELEMENT_COUNT,
  EXECUTABLE_END,
  elementOf,
  elementStart,
  elementsOf,
  isExecutable,
  LOADER_END,
  REGION1_BASE,
  SRAM_BASE,
  SRAM_END,
} from './memory.ts';

const address = fc.integer({ min: SRAM_BASE, max: SRAM_END - 1 });

describe('tile memory', () => {
  it('has the known limits', () => {
    expect(SRAM_END).toBe(0xe8000);
    expect(LOADER_END).toBe(0xe7bb0);
    expect(SRAM_END - LOADER_END).toBe(0x450);
    expect(ELEMENT_COUNT).toBe(39);
    expect((REGION1_BASE - SRAM_BASE) / ELEMENT_BYTES).toBe(13);
    expect(SRAM_END).toBeLessThan(2 ** ADDRESS_BITS);
    expect([isExecutable(SRAM_BASE - 4), isExecutable(SRAM_BASE), isExecutable(EXECUTABLE_END)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each([
    [0x4c000, 4, undefined],
    [0x4bffc, 4, 'unmapped'],
    [0xe7fff, 1, undefined],
    [0xe7ffc, 8, 'unmapped'],
    [0xe8000, 1, 'unmapped'],
    [0x4c002, 4, 'misaligned'],
    [0x4c002, 2, undefined],
    [0x4c004, 8, 'misaligned'],
    [0x80000, 16, undefined],
    [0x80008, 16, 'misaligned'],
    [0x7fff0, 16, 'region'],
    [0x7fff8, 8, undefined],
  ] as const)('an access to address %i of %i bytes: %s', (at, bytes, fault) => {
    expect(accessFault(at, bytes)).toBe(fault);
  });

  it.each([
    [0x4c000, 0],
    [0x4fff8, 0],
    [0x50000, 1],
    [0x7fff8, 12],
    [0x80000, 13],
    [0x80008, 14],
    [0x80010, 13],
    [0x87ff8, 14],
    [0x88000, 15],
    [0xe7ff8, 38],
  ])('the word at %i is served by bank %i', (at, bank) => {
    expect(bankOf(at)).toBe(bank);
  });

  it('splits the SRAM into contention units: banks below, pairs of banks above', () => {
    expect(elementsOf(SRAM_BASE, SRAM_END - SRAM_BASE)).toEqual(
      Array.from({ length: 26 }, (_, unit) => unit),
    );
    expect(elementsOf(0x4c000, 0)).toEqual([]);
    expect(elementsOf(0x53fff, 1)).toEqual([1]);
    expect(elementsOf(0x53fff, 2)).toEqual([1, 2]);
    expect(elementsOf(0x7c000, 0x4001)).toEqual([12, 13]);
    expect(elementsOf(0x84000, 0x4000)).toEqual([13]);
    expect(elementsOf(0x84000, 0x4001)).toEqual([13, 14]);
  });

  it('lists exactly the units of its bytes', () => {
    fc.assert(
      fc.property(address, fc.integer({ min: 1, max: 0x9000 }), (start, length) => {
        const bytes = Math.min(length, SRAM_END - start);
        const units = new Set<number>();
        for (let at = start; at < start + bytes; at += 4) units.add(elementOf(at));
        units.add(elementOf(start + bytes - 1));
        expect(elementsOf(start, bytes)).toEqual([...units].sort((x, y) => x - y));
      }),
      { numRuns: 50 },
    );
  });

  it('never spreads a bank over two units', () => {
    const unitOf = new Map<number, number>();
    const wrong: number[] = [];
    for (let at = SRAM_BASE; at < SRAM_END; at += 8) {
      const unit = elementOf(at);
      const next = unit === 25 ? SRAM_END : elementStart(unit + 1);
      const known = unitOf.get(bankOf(at)) ?? unit;
      if (at < elementStart(unit) || at >= next || known !== unit) wrong.push(at);
      unitOf.set(bankOf(at), unit);
    }
    expect(wrong).toEqual([]);
    expect(unitOf.size).toBe(ELEMENT_COUNT);
  });
});
