import { describe, expect, it } from 'vitest';
import { encode, encodeForm } from './encode.ts';
import { EncodingError } from './errors.ts';
import { AMP_FLAGS } from './flags.ts';
import {
  AZERO,
  AZEROS,
  a,
  broadcast,
  broadcastLower,
  broadcastUpper,
  bump,
  MZERO,
  m,
  pair,
  quad,
  reload,
  shift,
  step,
} from './operand.ts';

const failure = (run: () => unknown): EncodingError => {
  try {
    run();
  } catch (error) {
    if (error instanceof EncodingError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('encode', () => {
  it('picks the form by operand kinds', () => {
    expect(encode('add', [m(4), m(5), m(6)])).toBe(0x44506041);
    expect(encode('and', [a(0), a(1), a(2)])).toBe(0x58102600);
    expect(encode('f32v2add', [pair(a(0)), AZEROS, AZEROS])).toBe(0x58e0e003);
    expect(encode('f32v2add', [pair(a(0)), broadcast(a(1)), pair(a(2))])).toBe(0x58182003);
    expect(encode('f16v4add', [pair(a(0)), broadcastLower(a(1)), pair(a(2))])).toBe(0x58182002);
    expect(encode('f16v4add', [pair(a(0)), broadcastUpper(a(1)), pair(a(2))])).toBe(0x581c2002);
    expect(encode('ld128step', [quad(a(0)), m(0), step(m(5)), m(9)])).toBe(0x47095203);
    expect(encode('ldd16a32', [AZERO, bump(m(11)), MZERO, reload(m(0))])).toBe(0x45f0baf0);
    expect(encode('ldb16b16', [AZEROS, MZERO, bump(m(10)), shift(m(11))])).toBe(0x45fab9e0);
    expect(encode('f16v4hihov4amp', [AZEROS, pair(a(12)), pair(a(12)), AMP_FLAGS.TAMP_F16V4_E4_P0])).toBe(
      0x5bcec740,
    );
  });

  it('picks the form by the value of the immediate, signed first', () => {
    expect(encode('add', [m(0), m(0), -42])).toBe(0x2200ffd6);
    expect(encode('add', [m(0), m(0), 32767])).toBe(0x22007fff);
    expect(encode('add', [m(0), m(0), 65432])).toBe(0x2000ff98);
    expect(encode('addz', [m(0), m(0), 7])).toBe(0x20000007);
    expect(encode('adds', [m(0), m(0), 7])).toBe(0x22000007);
    expect(encode('or', [m(5), m(5), 2])).toBe(0x42559002);
    expect(encode('or', [m(4), m(4), 0xe0000000])).toBe(0x4244ce00);
    expect(encode('and', [a(1), a(2), 0xfff00000])).toBe(0x5221cfff);
  });

  it('takes a form id as a name', () => {
    expect(encode('add.mmz16', [m(0), m(0), 7])).toBe(0x20000007);
    expect(encodeForm('or.aai12', [a(0), a(0), 0])).toBe(0x5200d000);
  });

  it('knows the aliases', () => {
    expect(encode('nop', [])).toBe(0x19e00000);
    expect(encode('fnop', [])).toBe(0x1ad00000);
    expect(encode('setzi', [m(14), 0])).toBe(0x19e00000);
    expect(encode('mov', [m(7), m(0)])).toBe(0x42079000);
    expect(encode('mov', [a(7), a(2)])).toBe(0x52279000);
    expect(encode('mov', [m(15), a(2)])).toBe(0x5d0f0020);
    expect(encode('mov', [AZEROS, pair(a(10))])).toBe(0x58a0eee1);
    expect(encode('zero', [m(8)])).toBe(0x44f0f381);
    expect(encode('zero', [AZEROS])).toBe(0x58e0eee1);
    expect(encode('swap16', [a(15), a(15)])).toBe(0x58f0f6f4);
    expect(encode('get', [a(6), 0])).toBe(0x51060800);
    expect(encode('get', [m(4), 3])).toBe(0x41040003);
    expect(encode('put', [0, a(1)])).toBe(0x51108000);
    expect(encode('put', [167, m(11)])).toBe(0x43b080a7);
    expect(encode('movnz', [m(15), m(11), m(15)])).toBe(0x47bffa00);
  });

  it('takes branch targets as byte addresses and offsets in access units', () => {
    expect(encode('bri', [0x4c010])).toBe(0x40800000 | (0x4c010 >> 2));
    expect(encode('call', [m(10), 0x7fffc])).toBe(0x18a1ffff);
    expect(encode('st32', [m(4), m(11), m(15), 6])).toBe(0x4fb4f006);
  });

  it('splits fields, low bits first', () => {
    expect(encode('st64', [pair(a(0)), m(0), m(0), 0xabc])).toBe(0x5f0a0b0c);
    expect(encode('st32step', [a(0), m(0), step(m(0)), -1])).toBe(0x5c0f000f);
    expect(encode('ld2xst64pace', [quad(a(0)), pair(a(0)), step(pair(m(0))), m(0), 0b11_01_10])).toBe(
      0x56000b06,
    );
    expect(encode('runall', [m(0), m(15), 0x3004])).toBe(0x1503f004);
  });

  it('names the number that broke the rule', () => {
    const range = failure(() => encode('ld32', [m(0), m(1), m(2), 4096]));
    expect([range.rule, range.message]).toEqual(['range', 'operand 4 (Imm) of ld32 is 4096. Use 0..4095.']);
    const alignment = failure(() => encode('bri', [6]));
    expect([alignment.rule, alignment.message]).toEqual([
      'alignment',
      'operand 1 (Address) of bri is 6. Use 0..2097148 in multiples of 4.',
    ]);
    const updated = failure(() => encode('ld64step', [pair(a(0)), m(1), step(m(12)), 1]));
    expect([updated.rule, updated.message]).toEqual([
      'range',
      'operand 3 (Delta0) of ld64step is $m12+=. Use m0..m11.',
    ]);
    const kind = failure(() => encode('f32add', [a(0), a(1), m(2)]));
    expect([kind.rule, kind.message]).toEqual([
      'operands',
      'operand 3 (Src1) of f32add is $m2. Give $aSrc1, as in f32add $aDst0, $aSrc0, $aSrc1.',
    ]);
    const mark = failure(() => encode('ld64step', [pair(a(0)), m(1), m(2), 1]));
    expect([mark.rule, mark.facts]).toEqual(['operands', { name: 'ld64step', operand: 3, value: '$m2' }]);
    const count = failure(() => encode('br', []));
    expect([count.rule, count.message]).toEqual([
      'operands',
      'br does not take 0 operands. Write br $mSrc0.',
    ]);
    const unknown = failure(() => encode('movz', [m(0), m(1), m(2)]));
    expect(unknown.rule).toBe('unknown');
    expect(failure(() => encode('add', [m(0), m(0), 65536])).rule).toBe('range');
    expect(failure(() => encode('add', [m(0), m(0), 0.5])).rule).toBe('range');
  });

  it('refuses registers that do not exist and unaligned groups', () => {
    expect(failure(() => m(16)).rule).toBe('range');
    expect(failure(() => a(-1)).rule).toBe('range');
    expect(failure(() => a(1.5)).rule).toBe('range');
    expect(failure(() => pair(a(1))).message).toBe(
      '$a1 cannot start a group of 2 registers. Start at a multiple of 2.',
    );
    expect(failure(() => quad(a(2))).rule).toBe('alignment');
  });
});
