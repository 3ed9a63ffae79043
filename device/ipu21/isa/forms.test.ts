import { describe, expect, it } from 'vitest';
import type { Form } from './form.ts';
import { FORMS, formOf, isFormId } from './forms.ts';
import { piecesOf, slotCode } from './slot.ts';

/** Every pair of forms that can have the same word, and why that is right. */
const SHARED_WORDS: readonly (readonly [string, string, string])[] = [
  ['nop', 'setzi.mz20', 'nop is setzi $m14, 0; the decoder prefers nop'],
  ['fnop', 'setzi.az20', 'fnop is setzi $a13, 0; the decoder prefers fnop'],
];

const overlap = (x: Form, y: Form): boolean =>
  x.words === y.words && ((x.match ^ y.match) & x.mask & y.mask) === 0;

describe('instruction rows', () => {
  it('have unique ids made of mnemonic and operand codes', () => {
    expect(new Set(FORMS.map((form) => form.id)).size).toBe(FORMS.length);
    for (const form of FORMS) {
      const codes = form.operands.map(slotCode).join('');
      expect(form.id).toBe(codes === '' ? form.mnemonic : `${form.mnemonic}.${codes}`);
    }
  });

  it('have fields that meet neither the opcode nor each other', () => {
    for (const form of FORMS) {
      let taken = BigInt(form.base);
      for (const slot of form.operands) {
        for (const [at, bits] of piecesOf(slot)) {
          const field = ((1n << BigInt(bits)) - 1n) << BigInt(at);
          expect({ form: form.id, slot: slot.name, clash: taken & field }).toEqual({
            form: form.id,
            slot: slot.name,
            clash: 0n,
          });
          taken |= field;
        }
      }
      expect(taken >> BigInt(32 * form.words)).toBe(0n);
    }
  });

  it('have pieces that add up to the width of the immediate', () => {
    for (const form of FORMS) {
      for (const slot of form.operands) {
        if (slot.kind === 'immediate')
          expect(slot.pieces.reduce((sum, [, bits]) => sum + bits, 0)).toBe(slot.bits);
      }
    }
  });

  it('share no word with another row, except where listed', () => {
    const found: string[] = [];
    for (const [index, x] of FORMS.entries()) {
      for (const y of FORMS.slice(index + 1)) if (overlap(x, y)) found.push([x.id, y.id].sort().join(' '));
    }
    // Equality both ways: a missing reason and a stale reason fail alike.
    expect(found.sort()).toEqual(SHARED_WORDS.map(([x, y]) => [x, y].sort().join(' ')).sort());
  });

  it('leave bit 31 to bundles, except for the two-word form', () => {
    for (const form of FORMS) expect(form.match >>> 31).toBe(form.words - 1);
  });

  it('keep the auxiliary file and pipe to workers, and solo instructions to the main pipe', () => {
    for (const form of FORMS) {
      const touchesAux = form.operands.some((slot) => slot.kind === 'register' && slot.file === 'a');
      if (form.pipe === 'aux' || touchesAux) expect([form.id, form.mode]).toEqual([form.id, 'worker']);
      if (form.solo) expect([form.id, form.pipe]).toEqual([form.id, 'main']);
    }
  });

  it('limit written address registers to m0..m11', () => {
    for (const form of FORMS) {
      for (const slot of form.operands) {
        if (slot.kind === 'register' && slot.mark !== undefined)
          expect([form.id, slot.file, slot.access, slot.last]).toEqual([form.id, 'm', 'readwrite', 11]);
      }
    }
  });

  it('are found by id', () => {
    expect(formOf('add.mms16').base).toBe(0x22000000);
    expect(isFormId('add.mmz16')).toBe(true);
    expect(isFormId('add')).toBe(false);
    expect(() => formOf('frobnicate' as never)).toThrow(/no instruction form has the id frobnicate/);
  });
});
