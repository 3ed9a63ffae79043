import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EncodingError } from './errors.ts';
import { disassembleProgram } from './listing.ts';
import { parseInstruction, parseLine } from './parse.ts';

describe('text', () => {
  it('reads register names, numbers in both bases, flags and spaces', () => {
    expect(parseInstruction('  add   $m0,$m0 ,  -42 ')).toBe(0x2200ffd6);
    expect(parseInstruction('add $m0, $m0, 0xff98')).toBe(0x2000ff98);
    expect(parseInstruction('br $lr')).toBe(0x43a00000);
    expect(parseInstruction('ld32 $m1, $sp, $mzero, 1')).toBe(0x01b1f001);
    expect(parseInstruction('f8v8hihov4amp $azeros, $a10:11, $a8:9, TAMP_F8V8_E4_P3')).toBe(0x5b8ea943);
    expect(parseInstruction('.word 0xdeadbeef')).toBe(0xdeadbeef);
  });

  it('reads bundles and two-word instructions as lines', () => {
    // Recorded inside a bundle: sub $m0, $m2, $m1 as 0xc4102602.
    expect(parseLine('{ sub $m0, $m2, $m1 ; fnop }')).toEqual([0xc4102602, 0x1ad00000]);
    expect(parseLine('sendpicp 42, 0x14021, 1, 0, 0x640, 0, 0x15000')).toEqual([0xf54a0109, 0x19015000]);
    expect(() => parseInstruction('sendpicp 0, 0, 0, 0, 0, 0, 0')).toThrow(/two words/);
  });

  it.each([
    ['', 'cannot read ""'],
    ['add $m0, $m1,', 'cannot read ""'],
    ['add $m0, $m1, x', 'cannot read "x"'],
    ['add $m16, $m1, 0', 'cannot read "$m16"'],
    ['add $m01, $m1, 0', 'Write $m1.'],
    ['ld64 $a0:2, $m0, $m0, 0', 'cannot read "$a0:2"'],
    ['ld64 $a1:2, $m0, $m0, 0', 'operand 1 (Dst0) of ld64 is $a1:2'],
    ['or64 $a15:16, $a0:1, $a0:1', 'cannot read "$a15:16"'],
    ['br $toString', 'cannot read "$toString"'],
    ['constructor $m0', 'no instruction is called constructor'],
    ['{ nop ; fnop', 'cannot read "{ nop ; fnop"'],
    ['.word 0x100000000', 'cannot read "0x100000000"'],
    ['.word -1', '.word and one number'],
  ])('refuses %j', (text, message) => {
    expect(() => parseLine(text)).toThrow(message);
  });

  it('throws nothing but EncodingError on arbitrary text', () => {
    const part = fc.constantFrom(
      'add',
      'ld64step',
      '$m',
      '$a',
      ':',
      '+=',
      '0',
      '15',
      ',',
      ' ',
      '{',
      ';',
      '}',
      '-',
      '0x',
      'BL',
      '@',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 14 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (line) => {
        try {
          parseLine(line);
        } catch (error) {
          expect(error).toBeInstanceOf(EncodingError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('listing', () => {
  it('shows labels, bundles, two-word instructions, branch targets and data', () => {
    const lines = [
      'setzi $m0, 5',
      'nop',
      '{ ld64step $a0:1, $m15, $m1+=, 1 ; fnop }',
      'add.mmz16 $m0, $m0, 1',
      'brnzdec $m0, 0x4c018',
      'sendpicp 42, 81953, 1, 0, 1600, 0, 86016',
      '.word 0xffffffff',
    ];
    const words = lines.flatMap((line) => [...parseLine(line)]);
    const symbols = new Map([
      ['start', 0x4c010],
      ['loop', 0x4c018],
      ['elsewhere', 0x60000],
    ]);
    expect(disassembleProgram(0x4c010, words, symbols)).toMatchInlineSnapshot(`
      "start:
        4c010: 19000005           setzi $m0, 5
        4c014: 19e00000           nop
      loop:
        4c018: 9ef01201 1ad00000  { ld64step $a0:1, $m15, $m1+=, 1 ; fnop }
        4c020: 20000001           add.mmz16 $m0, $m0, 1
        4c024: 13093006           brnzdec $m0, 0x4c018  ; loop
        4c028: f54a0109 19015000  sendpicp 42, 81953, 1, 0, 1600, 0, 86016
        4c030: ffffffff           .word 0xffffffff"
    `);
  });

  it('never reads a bundle across a 4-byte boundary or past the end', () => {
    const [first, second] = parseLine('{ nop ; fnop }');
    expect(disassembleProgram(0x4c014, [first, second])).toMatchInlineSnapshot(`
      "  4c014: 99e00000           .word 0x99e00000
        4c018: 1ad00000           fnop"
    `);
    expect(disassembleProgram(0x4c010, [first])).toMatchInlineSnapshot(
      `"  4c010: 99e00000           .word 0x99e00000"`,
    );
  });
});
