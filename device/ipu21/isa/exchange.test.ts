import { describe, expect, it } from 'vitest';
import { decode, decodePair, startsPair } from './decode.ts';
import { encode, encodePair, encodeWords } from './encode.ts';
import { FORMS } from './forms.ts';
import { programLines } from './listing.ts';
import { disassemble, disassemblePair } from './text.ts';

/** Receiver of four messages of 52 words, from a program of the original tools. */
const RECEIVER = [
  0x64000082, 0x40a00032, 0xf6600000, 0x03014048, 0xf6600000, 0x03095000, 0xf6600000, 0x04016000, 0xf7200000,
  0x19017000,
];

describe('exchange instructions', () => {
  it('read the receiver row of the original tools', () => {
    const rows = [...programLines(0x50000, RECEIVER)].map(({ kind, instructions }) => [
      kind,
      ...instructions.flatMap(({ form, operands }) => [form.mnemonic, ...operands]),
    ]);
    // sendpicp: count, address, control, XPIC selector, source, PIC selector, word address.
    expect(rows).toEqual([
      ['single', 'delayxpic', 0, 0, 130],
      ['single', 'delay', 50],
      ['pair', 'sendpicp', 51, 0, 0, 0, 192, 0, 0x14048],
      ['pair', 'sendpicp', 51, 0, 0, 0, 194, 0, 0x15000],
      ['pair', 'sendpicp', 51, 0, 0, 0, 256, 0, 0x16000],
      ['pair', 'sendpicp', 57, 0, 0, 0, 0x640, 0, 0x17000],
    ]);
    // With the first instruction at event 1 the sources change at the events known for this row.
    let start = 1;
    const changes: number[] = [];
    for (const [, mnemonic, count] of rows) {
      const events = (count as number) + 1;
      if (mnemonic === 'delayxpic') changes.push(start + events);
      if (mnemonic === 'sendpicp') changes.push(start + 1);
      start += events;
    }
    expect(changes).toEqual([2, 54, 106, 158, 210]);
  });

  it('read a full-duplex instruction: 43 words from word 0x14021, direction 1, while controls change', () => {
    expect(decodePair(0xf54a0109, 0x19015000)?.operands).toEqual([42, 0x14021, 1, 0, 0x640, 0, 0x15000]);
    expect(disassemblePair(0xf54a0109, 0x19015000)).toBe('sendpicp 42, 81953, 1, 0, 1600, 0, 86016');
    expect(encodePair('sendpicp.z6z18z3z1z13z1z18', [42, 0x14021, 1, 0, 0x640, 0, 0x15000])).toEqual([
      0xf54a0109, 0x19015000,
    ]);
  });

  it('place every field where the instruction formats say', () => {
    const field = (bits: number, at: number) => (2 ** bits - 1) * 2 ** at;
    const all = (name: string, ...operands: number[]) => encode(name, operands);
    expect(all('delay', field(19, 0))).toBe(0x40a7ffff);
    expect(all('delaypic', 127, 0, 0)).toBe(0x60000000 + field(7, 19));
    expect(all('delaypic', 0, 1, 0)).toBe(0x60040000);
    expect(all('delaypic', 0, 0, field(18, 0))).toBe(0x6003ffff);
    expect(all('delayxpic', 4095, 0, 0)).toBe(0x64000000 + field(12, 14));
    expect(all('delayxpic', 0, 1, 0)).toBe(0x64002000);
    expect(all('delayxpic', 0, 0, 0x1fff)).toBe(0x64001fff);
    expect(all('send', 63, 0, 0)).toBe(0x78000000 + field(6, 21));
    expect(all('send', 0, field(18, 0), 0)).toBe(0x78000000 + field(18, 3));
    expect(all('send', 0, 0, 7)).toBe(0x78000007);
    // The low six bits of the count stand above the high six.
    expect(all('sendoff', 63, 0, 0)).toBe(0x70000000 + field(6, 21));
    expect(all('sendoff', 4095 - 63, 0, 0)).toBe(0x70000000 + field(6, 14));
    expect(all('sendoff', 0, 2047, 0)).toBe(0x70000000 + field(11, 3));
    expect(all('sendpic', 63, 0, 0)).toBe(0x70100000 + field(6, 21));
    expect(all('sendpic', 0, 3, 0)).toBe(0x701c0000);
    expect(encodeWords('sendpicp', [0, 0, 0, 1, 0, 1, 0])).toEqual([0xf8000000, 0x80000000]);
  });

  it('tell sends from continuations and from two-word sends', () => {
    expect(disassemble(0x78200033)).toBe('send 1, 6, 3');
    expect(disassemble(0x70200003)).toBe('sendoff 1, 0, 3');
    expect(disassemble(0x70300003)).toBe('sendpic 1, 0, 3');
    // Exchange instructions are solo, so the bundle bit on them means the two-word form.
    expect(startsPair(0xf0000000)).toBe(true);
    expect(startsPair(0xf8000000)).toBe(true);
    expect(startsPair(0x78000000)).toBe(false);
    expect(decode(0xf0000000)).toBeUndefined();
    for (const form of FORMS)
      if (/^(send|delay)/.test(form.id)) expect([form.id, form.solo]).toEqual([form.id, true]);
  });

  it('say what to use for the two-word form', () => {
    expect(() => encode('sendpicp', [0, 0, 0, 0, 0, 0, 0])).toThrow(/two words.*encodeWords/);
    expect(() => encodePair('nop', [])).toThrow(/one word.*encodeForm/);
    expect(() => encode('delaypic', [128, 0, 0])).toThrow(
      'operand 1 (Count) of delaypic is 128. Use 0..127.',
    );
  });
});
