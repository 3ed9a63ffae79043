import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { relocate, relocationRow, relocationTypeOf, valueRange } from './relocate.ts';
import { RELOCATION_TYPES, type RelocationType } from './relocationTypes.ts';
import vectors from './relocationVectors.json' with { type: 'json' };

const BASE = 0x4c000;

describe('relocation vectors', () => {
  it.each(vectors)('$type of $value on $before', ({ type, before, value, after, fault }) => {
    const bytes = Buffer.from(before, 'hex');
    expect(relocate(bytes, 0, relocationRow(type as RelocationType), value, BASE)).toBe(fault);
    expect(bytes.toString('hex')).toBe(after ?? before);
  });

  it('cover every type', () => {
    expect(new Set(vectors.map((vector) => vector.type))).toEqual(
      new Set(RELOCATION_TYPES.map((r) => r.name)),
    );
  });

  it('names the numbers 0..9 and 14..17 and no other', () => {
    const known = Array.from({ length: 256 }, (_, number) => number).filter((n) => relocationTypeOf(n));
    expect(known).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 16, 17]);
  });
});

describe('relocate', () => {
  it('touches only the field at its offset', () => {
    const bytes = Buffer.from('ffffffffffffffffffff', 'hex');
    expect(relocate(bytes, 3, relocationRow('20'), 0, BASE)).toBeUndefined();
    expect(bytes.toString('hex')).toBe('ffffff0000f0ffffffff');
  });

  it.each([-1, 7, 0xffffffff])('refuses offset %i of 10 bytes for a word', (offset) => {
    expect(relocate(new Uint8Array(10), offset, relocationRow('32'), 0, BASE)).toBe('outside');
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses the value %d', (value) => {
    expect(relocate(new Uint8Array(8), 0, relocationRow('64'), value, BASE)).toBe('unrepresentable');
  });

  it('accepts exactly the values of the range and stores what the bit runs give back', () => {
    const patching = RELOCATION_TYPES.filter((row) => row.bytes > 0 && row.bytes < 8);
    fc.assert(
      fc.property(
        fc.constantFrom(...patching),
        fc.integer({ min: -16, max: 2 ** 22 }),
        fc.nat(0xffffffff),
        (row, value, word) => {
          const bytes = new Uint8Array(4);
          const view = new DataView(bytes.buffer);
          view.setUint32(0, word, true);
          const { min, max, step } = valueRange(row, BASE);
          const legal = value >= min && value <= max && (value - min) % step === 0;
          expect(relocate(bytes, 0, row, value, BASE) === undefined).toBe(legal);
          const after = view.getUint32(0, true);
          if (!legal) {
            expect(after).toBe(word);
            return;
          }
          let read = 0;
          let kept = 2 ** 32 - 1;
          for (const { from, to, width } of row.bits) {
            read += (Math.floor(after / 2 ** to) % 2 ** width) * 2 ** from;
            kept -= (2 ** width - 1) * 2 ** to;
          }
          expect(read * step + min).toBe(value);
          expect((after & kept) >>> 0).toBe((word & kept) >>> 0);
        },
      ),
      { numRuns: 2000, seed: 1 },
    );
  });
});
