import { expect, it } from 'vitest';
import { parseLine } from '../../device/ipu21/index.ts';
import { assemble } from '../assembler/text/index.ts';
import { link, readElf, writeElf } from './index.ts';

const CALLER = `
  .section .text.caller, "ax"
  .globl caller
  .type caller, @function
caller:
  setzi $m2, table
  setzi $m3, table + 8
  ld32 $m4, $m2, $m15, 1
.Lagain:
  call $m10, callee
  brnzdec $m4, .Lagain
  bri callee + 4
  .size caller, .-caller
  .section .text.unused, "ax"
  .globl unused
unused:
  bri nowhere
`;

const CALLEE = `
  .equ COUNT, 3
  .text
  .globl callee
callee:
  add $m2, $m2, COUNT
  br $m10
  .section .rodata.table, "a"
  .globl table
  .align 16
table:
  .long callee, COUNT, table, caller + 4
`;

it('assembled sources link to the words that the instruction encoder gives for the addresses', () => {
  const objects = [
    ['caller.S', CALLER],
    ['callee.S', CALLEE],
  ].map(([file, text]) => readElf(writeElf(assemble(text!, { file: file! }).object)));
  const image = link(objects, {
    regions: [{ start: 0x5c008, end: 0x80000 }],
    dataRegions: [{ start: 0x80000, end: 0xe8000 }],
    entry: 'caller',
  });
  const callee = 0x5c020;
  const table = 0x80000;
  const expected = [
    `setzi $m2, ${table}`,
    `setzi $m3, ${table + 8}`,
    'ld32 $m4, $m2, $m15, 1',
    `call $m10, ${callee}`,
    `brnzdec $m4, ${0x5c008 + 12}`,
    `bri ${callee + 4}`,
    'add $m2, $m2, 3',
    'br $m10',
  ].map((line) => parseLine(line)[0]);
  const [code, data] = image.segments.map(({ bytes }) => [...new Uint32Array(bytes.slice().buffer)]);
  expect(image.segments.map(({ address }) => address)).toEqual([0x5c008, table]);
  expect(code).toEqual(expected);
  expect(data).toEqual([callee, 3, table, 0x5c00c]);
  expect([...image.symbols]).toEqual([
    ['callee', callee],
    ['caller', 0x5c008],
    ['table', table],
  ]);
});

it('constants of a source survive in its object: negative ones in 32 bits, wider ones never', () => {
  const object = (text: string) =>
    assemble(`.equ BELOW, -1\n.equ WIDE, 1 << 40\n${text}nop\n`, { file: 'c.S' }).object;
  const read = readElf(writeElf(object('')));
  expect(read.symbols.filter(({ section }) => section === 'absolute')).toEqual([
    { name: 'BELOW', section: 'absolute', value: 0xffffffff, size: 0, kind: 'none', binding: 'local' },
  ]);
  expect(() => writeElf(object('.globl WIDE\n'))).toThrow(/c\.S: symbol WIDE: value 1099511627776/);
});
