import { describe, expect, test } from 'vitest';
import { LOAD_ADDRESS, m } from '../../device/ipu21/index.ts';
import { gemm } from '../gemm/operation.ts';
import { callOf, tableAddress } from './calls.ts';
import { gridPosition } from './location.ts';
import { exchangeRow, moveBoundary } from './rows.ts';
import { operandOf, Surgery } from './surgery.ts';

const compiled = gemm.prepare('gemm/m=40,k=100,n=69,tiles=13,plan=3x2x2').compile();
const open = () => new Surgery(compiled.packageBytes);

describe('surgery', () => {
  test('gives the very same bytes when nothing was changed', () => {
    expect(Buffer.compare(open().bytes(), compiled.packageBytes)).toBe(0);
  });

  test('changes one word of one tile and nothing else', () => {
    const surgery = open();
    const call = callOf(surgery, 5, 'gemm');
    surgery.replace(call, 'nop');
    const bytes = surgery.bytes();
    expect(bytes.byteLength).toBe(compiled.packageBytes.byteLength);
    const differing = [...bytes.keys()].filter((at) => bytes[at] !== compiled.packageBytes[at]);
    expect(differing.length).toBeLessThanOrEqual(4);
    expect(Math.max(...differing) - Math.min(...differing)).toBeLessThan(4);
    expect(new Surgery(bytes).code(5, call.address)[0].instruction.form.mnemonic).toBe('nop');
    expect(callOf(new Surgery(bytes), 4, 'gemm').address).toBe(callOf(open(), 4, 'gemm').address);
  });

  test('keeps the co-issue bit of a bundle’s first half', () => {
    const surgery = open();
    const [site] = surgery.sites(0, 'add', surgery.symbol('gemm.start'));
    expect(site.part).toBe('main');
    surgery.replace(site, 'add', m(0), m(6), 8);
    const again = new Surgery(surgery.bytes()).sites(0, 'add', surgery.symbol('gemm.start'))[0];
    expect(again).toMatchObject({ part: 'main', address: site.address });
    expect(operandOf(again, 2)).toBe(8);
  });

  test('finds tables, rows and calls by reading the machine code', () => {
    const surgery = open();
    const table = tableAddress(surgery, 5, 'gemm');
    // Row block 1 has 13 rows: 3, 2, 2, 2, 2, 2 for the workers.
    expect([0, 1, 5].map((worker) => surgery.word(5, table + 16 * worker + 8))).toEqual([2, 1, 1]);
    expect(exchangeRow(surgery, 5, 0).length).toBeGreaterThan(5);
    expect(() => exchangeRow(surgery, 5, 2)).toThrow('takes no part in phase 2');
    expect(() => callOf(surgery, 12, 'gemm')).toThrow('tile 12');
  });

  test('refuses what is not there', () => {
    const surgery = open();
    expect(() => surgery.symbol('softmax')).toThrow('no symbol softmax');
    expect(() => surgery.code(13)).toThrow('no image for tile 13');
    expect(() => surgery.word(0, 0x90000)).toThrow('0x90000');
    expect(() => surgery.sites(0, 'trap')).toThrow('no trap');
    expect(surgery.word(0, LOAD_ADDRESS)).not.toBe(0);
    const row = exchangeRow(surgery, 5, 1);
    expect(() => moveBoundary(surgery, row, row[row.length - 1], 1)).toThrow('no delay');
  });
});

test('grid positions follow the pinned plan', () => {
  const line = 'gemm/m=40,k=100,n=69,tiles=13,plan=3x2x2';
  expect(gridPosition({ line, tile: 5 })).toEqual({ rowBlock: 1, columnBlock: 0, kPiece: 1 });
  expect(gridPosition({ line: 'gemm/m=1,k=1,n=1', tile: 0 })).toEqual({
    rowBlock: 0,
    columnBlock: 0,
    kPiece: 0,
  });
});
