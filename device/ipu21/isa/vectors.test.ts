import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decode } from './decode.ts';
import { FORMS } from './forms.ts';
import { parseInstruction } from './parse.ts';
import { disassemble, exactText } from './text.ts';

interface Vector {
  readonly text: string;
  readonly word: number;
  readonly source: string;
}

/** Recorded text and word: IPU21 output, first-generation listings, compiler tests. */
const VECTORS: readonly Vector[] = readFileSync(new URL('vectors.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [text, word, source] = line.split('\t');
    return { text, word: Number(word), source };
  });

/**
 * Forms whose recorded text is also the text of another form that the assembler takes first. Their words print
 * as recorded; assembling that text gives the first form, and the exact spelling names the form.
 */
const SHADOWED: Readonly<Record<string, string>> = {
  'add.mmz16': 'a number that fits simm16 takes the signed form',
  'cmpeq.mmz16': 'a number that fits simm16 takes the signed form',
  'max.mmz16': 'a number that fits simm16 takes the signed form',
  'min.mmz16': 'a number that fits simm16 takes the signed form',
  'sub.mz16m': 'a number that fits simm16 takes the signed form',
  'and.aai12': '0 takes the immediate at bit 0',
  'andc.aai12': '0 takes the immediate at bit 0',
  'or.aai12': 'mov takes the immediate at bit 0',
};

describe('recorded instructions', () => {
  it('are all there', () => {
    expect(VECTORS).toHaveLength(1257);
    expect(new Set(VECTORS.map((vector) => vector.source))).toEqual(
      new Set(['ipu21', 'ipu1-listing', 'llvm-test']),
    );
    for (const vector of VECTORS) expect(Number.isInteger(vector.word)).toBe(true);
  });

  it('disassemble to the recorded text', () => {
    const wrong = VECTORS.filter(({ text, word }) => disassemble(word) !== text);
    expect(wrong.map(({ text, word }) => [text, disassemble(word)])).toEqual([]);
  });

  it('assemble to the recorded word, except where the text belongs to another form', () => {
    const shadowed = new Set<string>();
    for (const { text, word } of VECTORS) {
      const assembled = parseInstruction(text);
      if (assembled === word) continue;
      shadowed.add(decode(word)?.form.id ?? text);
      expect(disassemble(assembled)).toBe(text);
    }
    expect([...shadowed].sort()).toEqual(Object.keys(SHADOWED).sort());
  });

  it('have an exact text that assembles to the same word', () => {
    for (const { word } of VECTORS) {
      const instruction = decode(word);
      expect(instruction && parseInstruction(exactText(instruction))).toBe(word);
    }
  });

  it('show every form that claims recorded evidence', () => {
    const seen = new Set(VECTORS.map(({ word }) => decode(word)?.form.id));
    const unseen = FORMS.filter((form) => form.evidence === 'vector' && !seen.has(form.id)).map(
      ({ id }) => id,
    );
    // Recorded in the words of generated programs instead: see exchange.test.ts.
    expect(unseen.sort()).toEqual([
      'delaypic.z7z1z18',
      'delayxpic.z12z1z13',
      'nop',
      'sendoff.z12z11z3',
      'sendpic.z6z2z18',
      'sendpicp.z6z18z3z1z13z1z18',
    ]);
    const recorded = FORMS.filter((form) => form.evidence !== 'vector' && seen.has(form.id));
    expect(recorded.map(({ id }) => id)).toEqual([]);
  });
});
