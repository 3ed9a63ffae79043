import { describe, expect, it } from 'vitest';
import { COISSUE_BIT, encode, m, parseInstruction } from '../../device/ipu21/index.ts';
import { CompileError } from '../errors.ts';
import { Assembler } from './assembler.ts';
import { listing } from './listing.ts';

const ORIGIN = 0x5c000;

describe('Assembler', () => {
  it('resolves labels before and after their use', () => {
    const asm = new Assembler(ORIGIN);
    asm.label('again');
    asm.op('brz', m(1), asm.at('done'));
    asm.op('bri', asm.at('again'));
    asm.label('done');
    asm.op('br', m(10));
    const { words, symbols } = asm.finish();
    expect(symbols.get('done')).toBe(ORIGIN + 8);
    expect([...words]).toEqual([
      encode('brz', [m(1), ORIGIN + 8]),
      encode('bri', [ORIGIN]),
      parseInstruction('br $m10'),
    ]);
  });

  it('marks only the first word of a bundle', () => {
    const asm = new Assembler(ORIGIN);
    asm.bundle(['nop'], ['fnop']);
    const [main, aux] = asm.finish().words;
    expect(main).toBe((encode('nop', []) | COISSUE_BIT) >>> 0);
    expect(aux).toBe(encode('fnop', []));
  });

  it.each([
    ['a misaligned bundle', (asm: Assembler) => [asm.op('nop'), asm.bundle(['nop'], ['fnop'])], /8-byte/],
    ['a label defined twice', (asm: Assembler) => [asm.label('x'), asm.label('x')], /defined twice/],
    ['an unknown label', (asm: Assembler) => asm.op('bri', asm.at('nowhere')), /nowhere is not defined/],
    ['an operand out of range', (asm: Assembler) => asm.op('setzi', m(0), 2 ** 20), /cannot encode setzi/],
    ['an unknown mnemonic', (asm: Assembler) => asm.op('frobnicate'), /cannot encode frobnicate/],
  ])('refuses %s', (_name, write, message) => {
    const attempt = () => {
      const asm = new Assembler(ORIGIN);
      write(asm);
      asm.finish();
    };
    expect(attempt).toThrow(CompileError);
    expect(attempt).toThrow(message);
  });

  it('lists addresses, words, labels and text', () => {
    const asm = new Assembler(ORIGIN);
    asm.label('entry');
    asm.op('br', m(10));
    expect(listing(asm.finish())).toMatch(/entry:\n\s+5c000: 43a00000\s+br \$m10/);
  });
});
