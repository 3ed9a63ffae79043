import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COISSUE_BIT, encode, FORMS, m, parseLine } from '../../../device/ipu21/index.ts';
import { type AssembleOptions, AssemblyError, assemble } from './index.ts';

const object = (text: string, options: Partial<AssembleOptions> = {}) =>
  assemble(text, { file: 'k.S', ...options }).object;

/** Words of the section .text. */
function words(text: string, options: Partial<AssembleOptions> = {}): number[] {
  const section = object(text, options).sections.find(({ name }) => name === '.text');
  return section === undefined ? [] : [...new Uint32Array(section.bytes.slice().buffer)];
}

/** Bytes of the section .data. */
const data = (text: string): number[] => [
  ...(object(`.data\n${text}`).sections.find(({ name }) => name === '.data')?.bytes ?? []),
];

function complaint(text: string): string {
  try {
    object(text);
  } catch (error) {
    if (error instanceof AssemblyError) return error.message;
    throw error;
  }
  throw new Error('the source assembles');
}

const vectors = readFileSync(new URL('../../../device/ipu21/isa/vectors.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

describe('instructions', () => {
  it('assembles every recorded vector', () => {
    // Some words share a text; the encoder's own test says which one the text means.
    const wrong = vectors.filter(([text]) => `${words(text)}` !== `${parseLine(text)}`);
    const recorded = vectors.filter(([text, word]) => words(text)[0] === Number(word));
    expect(vectors.length).toBeGreaterThan(1200);
    expect(wrong).toEqual([]);
    expect(recorded.length).toBeGreaterThan(0.95 * vectors.length);
  });

  it('takes bundles on one line and on several', () => {
    const expected = [(encode('nop', []) | COISSUE_BIT) >>> 0, encode('fnop', [])];
    expect(words('{ nop ; fnop }')).toEqual(expected);
    expect(words('{\n nop\n fnop }')).toEqual(expected);
    expect(words('{nop;fnop;}')).toEqual(expected);
  });

  it.each([
    ['add $sp, $lr, 1', 'add $m11, $m10, 1'],
    ['ld32 $m0, $mvertex_base, $mzero, 2', 'ld32 $m0, $m13, $m15, 2'],
    ['ld32 $m0, $mworker_base, 2', 'ld32 $m0, $m12, $m15, 2'],
    ['st64 $a0:1, $m2, 3', 'st64 $a0:1, $m2, $m15, 3'],
    ['get $m1, $WSR', 'get $m1, 1'],
    ['uput $FP_CLR, $a0', 'uput 1, $a0'],
    ['put $CWEI_3_2, $m0', 'put 14, $m0'],
    ['setzi $m0, (1 << 4 | 3) * 2 - -1', 'setzi $m0, 39'],
    ["setzi $m0, 'A' + 0b11 + 010 + 0x10", 'setzi $m0, 92'],
    ['f16v4hihoamp $a0, $a2:3, $a1, TAMP_F16V4_E4_P2', 'f16v4hihoamp $a0, $a2:3, $a1, 2'],
  ])('%s', (text, same) => {
    expect(words(text)).toEqual(parseLine(same));
  });

  it('keeps addresses for the linker, with the relocation of the field', () => {
    const { sections, symbols } = object(`
      bri next
      call $m10, elsewhere + 8
      setzi $m0, next
      run $m0, $m1, next
next: nop
      .word next, elsewhere - 4`);
    const [text] = sections;
    expect(text.relocations).toEqual([
      { offset: 0, type: '19_S2', symbol: '.text', addend: 16 },
      { offset: 4, type: '19_S2', symbol: 'elsewhere', addend: 8 },
      { offset: 8, type: '20', symbol: '.text', addend: 16 },
      { offset: 12, type: 'RUN', symbol: '.text', addend: 16 },
      { offset: 20, type: '32', symbol: '.text', addend: 16 },
      { offset: 24, type: '32', symbol: 'elsewhere', addend: -4 },
    ]);
    expect(symbols.filter(({ kind }) => kind !== 'section')).toEqual([
      { name: 'next', section: '.text', value: 16, size: 0, kind: 'none', binding: 'local' },
      { name: 'elsewhere', section: undefined, value: 0, size: 0, kind: 'none', binding: 'global' },
    ]);
  });
});

describe('labels and symbols', () => {
  it('numbered labels are reached in both directions and may repeat', () => {
    const body = '1: { nop ; fnop }\n { nop ; fnop }\n2:\n';
    const [rpt] = words(`rpt $m0, (2f - 1f) / 8 - 1\nnop\n${body}`);
    expect(rpt).toBe(encode('rpt', [m(0), 1]));
    const [first] = object(`1: nop\n1: bri 1b\n bri 1f\n1: nop`).sections;
    expect(first.relocations.map(({ addend }) => addend)).toEqual([4, 12]);
  });

  it('.set means its value at the place of use, and may be set again', () => {
    expect(words('.set x, 1\nsetzi $m0, x\nx = x + 4\nsetzi $m0, x')).toEqual([
      encode('setzi', [m(0), 1]),
      encode('setzi', [m(0), 5]),
    ]);
  });

  it('a symbol set later has its last value', () => {
    expect(words('setzi $m0, later\n.equ later, 3')).toEqual([encode('setzi', [m(0), 3])]);
  });

  it('kind, binding and size of a function', () => {
    const { symbols } = object('.globl f\n.type f, @function\nf: nop\n nop\n.size f, . - f\n.weak g');
    expect(symbols).toContainEqual({
      name: 'f',
      section: '.text',
      value: 0,
      size: 8,
      kind: 'function',
      binding: 'global',
    });
    expect(symbols).toContainEqual(
      expect.objectContaining({ name: 'g', section: undefined, binding: 'weak' }),
    );
  });

  it('names of kinds .L stay inside', () => {
    expect(object('.Lx: nop\n1: nop').symbols.map(({ name }) => name)).toEqual(['.text']);
  });
});

describe('data and sections', () => {
  it('values of all sizes, texts, floats, little endian', () => {
    expect(data('.byte 1, -1\n.short 0x203\n.word 4\n.quad -2')).toEqual([
      1, 255, 3, 2, 4, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255,
    ]);
    expect(data('.asciz "a\\n"\n.ascii "b"')).toEqual([97, 10, 0, 98]);
    expect(data('.float 1.5, -2')).toEqual([0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]);
    expect(data('.space 2, 7\n.fill 2, 2, 1')).toEqual([7, 7, 1, 0, 1, 0]);
  });

  it('code is padded with nop, data with zero', () => {
    expect(words('fnop\n.align 8\nfnop\n.p2align 3')).toEqual([
      encode('fnop', []),
      encode('nop', []),
      encode('fnop', []),
      encode('nop', []),
    ]);
    expect(data('.byte 1\n.balign 4\n.byte 2')).toEqual([1, 0, 0, 0, 2]);
  });

  it('flags decide what a section is', () => {
    const { sections } = object(
      '.section .text.a, "ax"\nnop\n.section r, "a"\n.word 1\n.section w, "aw", @nobits\n.zero 12\n.section n, "", @progbits\n.word 2',
    );
    expect(
      sections.map(({ name, kind, writable, size, bytes }) => [name, kind, writable, size, bytes.length]),
    ).toEqual([
      ['.text.a', 'code', false, 4, 4],
      ['r', 'data', false, 4, 4],
      ['w', 'zero', true, 12, 0],
      ['n', 'note', false, 4, 4],
    ]);
  });

  it('sections are left and found again', () => {
    expect(words('nop\n.pushsection .data\n.word 9\n.popsection\nfnop\n.data\n.previous\nnop')).toHaveLength(
      3,
    );
  });
});

describe('macros and conditions', () => {
  it.each([
    ['.macro P a, b=2\n setzi $m\\a, \\b\n.endm\nP 1\nP b=5 a=3', ['setzi $m1, 2', 'setzi $m3, 5']],
    ['.macro P a b\n \\a $m\\b, (1 + 2)\n.endm\nP setzi 4', ['setzi $m4, 3']],
    ['.macro A x\n setzi $m0, \\x\n.endm\n.macro B x:vararg\nA \\x\n.endm\nB 1 + 2', ['setzi $m0, 3']],
    ['.macro N\n setzi $m0, \\@\n.endm\nN\nN', ['setzi $m0, 0', 'setzi $m0, 1']],
    ['.rept 2\nnop\n.endr', ['nop', 'nop']],
    ['.irp r, 1, 2\nsetzi $m\\r, 0\n.endr', ['setzi $m1, 0', 'setzi $m2, 0']],
    ['.set n, 2\n.if n == 1\nnop\n.elseif n == 2\nfnop\n.else\nnop\n.endif', ['fnop']],
    ['.ifdef q\nnop\n.else\nfnop\n.endif', ['fnop']],
    ['.macro R n\n.if \\n\nsetzi $m0, \\n\nR \\n-1\n.endif\n.endm\nR 2', ['setzi $m0, 2', 'setzi $m0, 1']],
    ['.macro E n\nnop\n.if \\n\n.exitm\n.endif\nfnop\n.endm\nE 1\nE 0', ['nop', 'nop', 'fnop']],
    ['.macro I i\n{ \\i ; fnop }\n.endm\nI nop', ['{ nop ; fnop }']],
  ])('%j', (text, lines) => {
    expect(words(text)).toEqual(lines.flatMap((line) => [...parseLine(line)]));
  });

  it('labels of a macro differ from use to use', () => {
    const { sections } = object('.macro L\n.Lx\\@: bri .Lx\\@\n.endm\nL\nL');
    expect(sections[0].relocations.map(({ addend }) => addend)).toEqual([0, 4]);
  });
});

describe('preprocessor', () => {
  it.each([
    [
      '#define reg m3\n#define GROUP a0:1\n setzi $reg, 1\n or64 $GROUP, $azeros, $azeros',
      ['setzi $m3, 1', 'or64 $a0:1, $a14:15, $a14:15'],
    ],
    ['#define MUL(a, b) ((a) * (b))\nsetzi $m0, MUL(2 + 1, 4)', ['setzi $m0, 12']],
    ['#define NAME(x) setzi $m ## x, 1 \\\n  ; nop\nNAME(7)', ['setzi $m7, 1', 'nop']],
    ['#define A B\n#define B A\n.set A, 2\nsetzi $m0, A', ['setzi $m0, 2']],
    ['#if defined(X) || !defined Y && (2 > 1)\nnop\n#elif 1\nfnop\n#endif', ['nop']],
    ['#ifdef X\n#error not here\n#else\nnop // text "\n#endif', ['nop']],
    ['nop /* { */ ; fnop # } comment\n/* two\nlines */ nop', ['nop', 'fnop', 'nop']],
    ['#include "x.h"\n setzi $m0, X', ['setzi $m0, 42']],
    ['#define V(...) .set v, 1 + __VA_ARGS__\nV(2)\nsetzi $m0, v', ['setzi $m0, 3']],
    [
      '#include <arch/gc_tile_defines.h>\nsetzi $m0, CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT',
      ['setzi $m0, 8'],
    ],
  ])('%j', (text, lines) => {
    const include = (name: string) => (name === 'x.h' ? { file: name, text: '#define X 42\n' } : undefined);
    expect(words(text, { include })).toEqual(lines.flatMap((line) => [...parseLine(line)]));
  });

  it('definitions of the caller', () => {
    expect(words('setzi $m0, ROWS', { defines: new Map([['ROWS', '6']]) })).toEqual([
      encode('setzi', [m(0), 6]),
    ]);
  });
});

describe('errors', () => {
  it('name file, line, column, what was expected, with a caret', () => {
    expect(complaint('nop\n  add $m0, $m16, 1')).toBe(
      [
        'k.S:2:12: error: there is no register $m16',
        ' 2 |   add $m0, $m16, 1',
        '   |            ^~~~',
        '   = expected $m0..$m15, $a0..$a15, a group such as $a0:1 or $a4:7, $sp, $lr, $mzero, or a CSR name',
      ].join('\n'),
    );
  });

  it('lead from a macro to its use', () => {
    expect(complaint('.macro P x\n add $m0, $m1, \\x\n.endm\nnop\nP 70000')).toMatch(
      /k\.S:2:15: error: operand 3[\s\S]*\^~~~~[\s\S]*in macro P used at k\.S:5/,
    );
  });

  it('are all reported, in source order', () => {
    const lines = complaint('foo\nadd $m0\nbar\n').match(/k\.S:\d/g);
    expect(lines).toEqual(['k.S:1', 'k.S:2', 'k.S:3']);
  });

  it.each([
    ['a misaligned bundle', 'nop\n{ nop ; fnop }', /a bundle at byte 4/],
    ['half a bundle', '{ nop }', /has 1 instructions/],
    ['an open bundle', '{ nop\n', /not closed/],
    ['two main instructions', '{ nop ; nop }', /nop belongs to the main pipe/],
    ['swapped instructions', '{ fnop ; nop }', /wrong order/],
    ['a solo instruction', '{ trap 1 ; fnop }', /trap cannot share a bundle/],
    [
      'a common destination',
      '{ ld32 $a0, $m0, $m1, 0 ; f32add $a0, $a1, $a2 }',
      /both instructions of the bundle write \$a0/,
    ],
    ['a bundle of the supervisor', '.supervisor\n{ nop ; nop }', /one instruction at a time/],
    ['worker code in the supervisor', '.supervisor\nf32add $a0, $a1, $a2', /does not run in supervisor code/],
    ['supervisor code in a worker', '.worker\nsync 1', /does not run in worker code/],
    ['a CSR of the other side', '.worker\nget $m0, $TILE_ID', /does not exist in worker code/],
    ['a CSR of the other side by number', '.worker\nput 0x20, $m0', /FP_ICTL does not exist in worker code/],
    ['a label twice', 'a: nop\na: nop', /defined twice, first at line 1/],
    ['a missing numbered label', 'bri 1b', /no label 1 stands before/],
    ['a missing .L label', 'bri .Lq', /there is no label \.Lq/],
    ['symbols in a circle', '.set a, b\n.set b, a\nsetzi $m0, a', /k\.S:/],
    ['an address where none fits', 'x: or $m0, $m1, x', /cannot hold an address/],
    ['a division by zero', 'setzi $m0, 1 / (2 - 2)', /division by zero/],
    ['arithmetic on addresses', 'x: setzi $m0, x * 2', /not known before the link/],
    ['a value too large', '.byte 256', /does not fit 1 bytes/],
    ['an open .if', '.if 1', /\.if without \.endif/],
    ['an open .macro', '.macro X\n', /\.macro without \.endm/],
    ['an open #if', '#if 1\n', /#if without #endif/],
    ['a stray .endif', '.endif', /\.endif without \.if/],
    ['a missing include', '#include "gone.h"', /there is no file gone\.h/],
    ['#error', '#error stop here', /#error stop here/],
    ['an endless macro', '.macro X\nX\n.endm\nX', /uses itself without end/],
    ['an endless repetition', '.rept 1000000000\n.endr', /no end/],
    ['a section beyond the tile', '.space 0x40000000', /would have/],
    ['an odd alignment', '.align 3', /alignment to 3 bytes/],
    ['an unknown directive', '.frobnicate 1', /no directive \.frobnicate/],
    ['an unknown instruction', 'frobnicate $m0', /no instruction is called frobnicate/],
    ['words left over', 'nop $m0, ', /last operand is missing/],
    ['data in .bss', '.bss\n.word 1', /holds zeros only/],
    ['an instruction in .data', '.data\nnop', /an instruction in section \.data/],
    ['a foreign character', 'add $m0, `1', /means nothing here/],
    ['deep nesting', `setzi $m0, ${'('.repeat(5000)}1`, /nested too deeply/],
  ])('%s', (_name, text, message) => {
    expect(complaint(text)).toMatch(message);
  });

  it('never anything else than an AssemblyError, whatever the text', () => {
    const pieces = fc.constantFrom(
      ...[
        'add',
        '$m0',
        '$a0:1',
        '{',
        '}',
        ';',
        '\n',
        ',',
        '(',
        ')',
        '1f',
        '1b',
        '1:',
        'x:',
        '.macro',
        '.endm',
        '.rept',
        '.endr',
        '.if',
        '.else',
        '.endif',
      ],
      ...[
        '#define',
        '#if',
        '#endif',
        '##',
        '\\x',
        '\\@',
        '"s"',
        '.word',
        '.align',
        '.section',
        '.set',
        '=',
        '+',
        '-',
        '<<',
        '/',
        '0x10',
        '4',
        'x',
        '.L1',
        '@',
        ':',
        '$',
        '+=',
        '/*',
        '*/',
        '//',
      ],
      ...FORMS.slice(0, 40).map((form) => form.mnemonic),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 40 }), (list) => {
        try {
          object(list.join(' '));
        } catch (error) {
          expect(error).toBeInstanceOf(AssemblyError);
        }
      }),
      { numRuns: 2000, seed: 20_261_201 },
    );
  });
});

it('equal sources give equal objects', () => {
  const text = '.globl f\nf: setzi $m0, f\n.data\n.word f';
  expect(object(text)).toEqual(object(text));
});
