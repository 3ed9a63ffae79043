import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, decodePair, type Instruction } from './decode.ts';
import { encode, encodeForm, encodePair, encodeWords } from './encode.ts';
import { immediateRange } from './field.ts';
import type { Form } from './form.ts';
import { FORMS, type FormId } from './forms.ts';
import { lineText, programLines } from './listing.ts';
import type { Operand } from './operand.ts';
import { parseInstruction, parseLine } from './parse.ts';
import type { Slot } from './slot.ts';
import { exactText } from './text.ts';

/** Every legal operand of a slot. */
function operandOf(slot: Slot): fc.Arbitrary<Operand> {
  if (slot.kind === 'immediate') {
    const { min, max, step } = immediateRange(slot);
    return fc.integer({ min: min / step, max: max / step }).map((value) => value * step);
  }
  const { file, span, broadcast, mark } = slot;
  const groups = Math.floor((slot.last + 1) / span);
  return fc.integer({ min: 0, max: groups - 1 }).map((group) => ({
    file,
    index: group * span,
    span,
    ...(broadcast === undefined ? {} : { broadcast }),
    ...(mark === undefined ? {} : { mark }),
  }));
}

const operandsOf = (form: Form): fc.Arbitrary<Operand[]> => fc.tuple(...form.operands.map(operandOf));

/** setzi to the registers of nop and fnop decodes as those. */
const isNop = (instruction: Instruction | undefined): boolean =>
  instruction?.form.id === 'nop' || instruction?.form.id === 'fnop';

const oneWord = FORMS.filter((form) => form.words === 1);
const RUNS = { numRuns: 25 };
const word = fc.integer({ min: 0, max: 0xffffffff });

describe('encode and decode', () => {
  it.each(oneWord.map((form) => form.id))('%s is the identity over its operands', (id) => {
    const form = FORMS.find((row) => row.id === id)!;
    fc.assert(
      fc.property(operandsOf(form), (operands) => {
        const encoded = encodeForm(id, operands);
        expect((encoded & form.mask) >>> 0).toBe(form.match);
        const decoded = decode(encoded);
        if (id.startsWith('setzi') && isNop(decoded)) return;
        expect(decoded?.form.id).toBe(id);
        expect(decoded?.operands).toEqual(operands);
        expect(parseInstruction(exactText(decoded!))).toBe(encoded);
        // By mnemonic another form may be chosen, but never another meaning.
        const chosen = decode(encode(form.mnemonic, operands));
        expect([chosen?.form.mnemonic, chosen?.operands]).toEqual([form.mnemonic, operands]);
      }),
      RUNS,
    );
  });

  it.each(FORMS.filter((form) => form.words === 2).map((form) => form.id))('%s is the identity', (id) => {
    const form = FORMS.find((row) => row.id === id)!;
    fc.assert(
      fc.property(operandsOf(form), (operands) => {
        const [first, second] = encodePair(id, operands);
        expect(decode(first)).toBeUndefined();
        const decoded = decodePair(first, second);
        expect(decoded?.operands).toEqual(operands);
        expect(parseLine(exactText(decoded!))).toEqual([first, second]);
      }),
      { numRuns: 200 },
    );
  });

  it('is total over all words: undefined, or an instruction that encodes back', () => {
    fc.assert(
      fc.property(word, word, (first, second) => {
        const single = decode(first);
        if (single !== undefined) expect(encodeForm(single.form.id, single.operands)).toBe(first);
        const pair = decodePair(first, second);
        if (pair !== undefined) expect(encodePair(pair.form.id, pair.operands)).toEqual([first, second]);
      }),
      { numRuns: 3000 },
    );
  });

  it('finds the same form as a linear search over the rows', () => {
    const limitsHold = (form: Form, value: number): boolean =>
      form.operands.every((slot) => {
        if (slot.kind === 'immediate') return true;
        return ((value >>> slot.at) & 15) + slot.span - 1 <= slot.last;
      });
    fc.assert(
      fc.property(fc.constantFrom(...oneWord), word, (form, noise) => {
        const value = (form.match | (noise & ~form.mask)) >>> 0;
        const matching = oneWord.filter(
          (row) => ((value ^ row.match) & row.mask) === 0 && limitsHold(row, value),
        );
        const found = decode(value)?.form;
        if (found === undefined) expect(matching).toEqual([]);
        else expect(matching.map((row): FormId => row.id)).toContain(found.id);
      }),
      { numRuns: 2000 },
    );
  });

  it('lists arbitrary words as text that assembles to the same words', () => {
    const anyWord = fc.oneof(
      word,
      fc
        .constantFrom(...oneWord)
        .chain((form) => word.map((noise) => (form.match | (noise & ~form.mask)) >>> 0)),
      fc
        .constantFrom(...oneWord)
        .chain((form) => word.map((noise) => (form.match | (noise & ~form.mask) | 0x80000000) >>> 0)),
    );
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 12 }), fc.constantFrom(0x4c010, 0x4c014), (words, start) => {
        const again: number[] = [];
        for (const line of programLines(start, words)) {
          expect(line.address).toBe(start + 4 * again.length);
          again.push(...parseLine(lineText(line)));
        }
        expect(again).toEqual(words);
      }),
      { numRuns: 500 },
    );
  });

  it('rejects operands outside the limits of every slot', () => {
    for (const form of FORMS) {
      const lowest: Operand[] = form.operands.map((slot) => {
        if (slot.kind === 'immediate') return 0;
        const { file, span, broadcast, mark } = slot;
        return {
          file,
          index: 0,
          span,
          ...(broadcast === undefined ? {} : { broadcast }),
          ...(mark === undefined ? {} : { mark }),
        };
      });
      expect(encodeWords(form.id, lowest)).toHaveLength(form.words);
      for (const [position, slot] of form.operands.entries()) {
        const bad: Operand[] = [];
        if (slot.kind === 'immediate') {
          const { min, max, step } = immediateRange(slot);
          bad.push(min - step, max + step, step / 2, Number.NaN, Number.POSITIVE_INFINITY);
        } else {
          const operand = lowest[position] as object;
          bad.push({ ...operand, index: 16 } as Operand, { ...operand, index: -1 } as Operand, 3);
          if (slot.last === 11) bad.push({ ...operand, index: 12 } as Operand);
          if (slot.span > 1) bad.push({ ...operand, index: 1 } as Operand);
        }
        for (const operand of bad) {
          expect(() => encodeWords(form.id, lowest.with(position, operand))).toThrow(
            expect.objectContaining({ name: 'EncodingError' }),
          );
        }
      }
    }
  });
});
