import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectError } from '../errors.ts';
import { link } from '../link/link.ts';
import { FOREIGN_ELF } from '../testing/foreign.ts';
import { many, SAMPLE } from '../testing/surgery.ts';
import { readElf } from './readElf.ts';
import { inFileOrder, writeElf } from './writeElf.ts';

/** `FUZZ=100 npx vitest run --project unit compiler/object/elf/hostile` tries 100 times as many files. */
const DEPTH = Number(process.env['FUZZ'] ?? 1);

describe('hostile files', () => {
  const EXTERNALS = new Map([
    ['outer', 0x5c000],
    ['helper', 0x5c000],
  ]);

  /** The only outcomes allowed for a file, up to its image; returns which one. */
  function outcome(bytes: Uint8Array): 'linked' | 'read' | 'refused' {
    let reached: 'read' | 'refused' = 'refused';
    try {
      const object = readElf(bytes);
      reached = 'read';
      link([object], { externals: EXTERNALS });
      return 'linked';
    } catch (error) {
      if (error instanceof ObjectError) return reached;
      throw error;
    }
  }

  it('random bytes behind a valid identification are read or refused', () => {
    const head = writeElf(SAMPLE).subarray(0, 20);
    fc.assert(
      fc.property(fc.boolean(), fc.uint8Array({ maxLength: 400 }), (identified, tail) => {
        outcome(identified ? Buffer.concat([head, tail]) : tail);
      }),
      { numRuns: 3000 * DEPTH, seed: 3 },
    );
  });

  it('mutated files are linked, read or refused, and all happen', () => {
    const seen = new Set<string>();
    const edit = fc.record({
      at: fc.nat(),
      value: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)),
      width: fc.constantFrom(1, 2, 4),
    });
    const sources = [writeElf(SAMPLE), Uint8Array.from(FOREIGN_ELF), writeElf(many(20))];
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        (source, edits) => {
          const bytes = Uint8Array.from(source);
          for (const { at, value, width } of edits) {
            const start = at % bytes.length;
            bytes.fill(value, start, start + width);
          }
          seen.add(outcome(bytes));
        },
      ),
      { numRuns: 6000 * DEPTH, seed: 4 },
    );
    expect(seen).toEqual(new Set(['linked', 'read', 'refused']));
  });

  it('what was read from a mutated file can be written and read again', () => {
    const sample = writeElf(SAMPLE);
    let survivors = 0;
    for (let at = 0; at < sample.length; at += 1) {
      for (const value of [0, 1, 0x40, 0xff]) {
        const bytes = Uint8Array.from(sample);
        bytes[at] = value;
        if (outcome(bytes) === 'refused') continue;
        survivors += 1;
        const object = readElf(bytes);
        expect(readElf(writeElf(object))).toEqual({ ...object, symbols: inFileOrder(object.symbols) });
      }
    }
    expect(survivors).toBeGreaterThan(100);
  });
});
