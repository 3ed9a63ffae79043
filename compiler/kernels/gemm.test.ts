import { describe, expect, it } from 'vitest';
import { COISSUE_BIT, decode } from '../../device/ipu21/index.ts';
import { Assembler } from '../assembler/assembler.ts';
import { emitGemmWorkers, gemmTable, LEFT_TAIL_BYTES, PARTIAL_TAIL_BYTES, workerRows } from './gemm.ts';

/** 64-bit values of one row of 16. */
const ROW = 4;

/** How far the loads of one launch run for a single row, when the repeat body is skipped. */
function loadsOfOneRow(from: string, to: string) {
  const asm = new Assembler(0x5c000);
  emitGemmWorkers(asm, false);
  const { address, words, symbols } = asm.finish();
  const at = (label: string) => ((symbols.get(label) as number) - address) / 4;
  const advances = { left: 0, partial: 0 };
  let skip = 0;
  for (let index = at(from); index < at(to); index += 2) {
    const instruction = decode((words[index] & ~COISSUE_BIT) >>> 0);
    const mnemonic = instruction?.form.mnemonic;
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    if (mnemonic === 'rpt') skip = (instruction?.operands[1] as number) + 1;
    if (mnemonic !== 'ld2x64pace') continue;
    const selectors = instruction?.operands[4] as number;
    if ((selectors & 3) === 0) advances.left += 1;
    if ((selectors & 12) === 0) advances.partial += 1;
  }
  return advances;
}

describe('matrix kernel', () => {
  it('reads no further past its operands than the tails that placement reserves', () => {
    const first = loadsOfOneRow('gemm.start', 'gemm.nextGroup');
    const later = loadsOfOneRow('gemm.nextGroup', 'gemm.leave');
    expect(first).toEqual({ left: ROW + 2, partial: 0 });
    expect(later).toEqual({ left: ROW + 3, partial: ROW + 7 });
    expect((Math.max(first.left, later.left) - ROW) * 8).toBeLessThanOrEqual(LEFT_TAIL_BYTES);
    expect((later.partial - ROW) * 8).toBeLessThanOrEqual(PARTIAL_TAIL_BYTES);
  });

  it('deals every row to exactly one worker', () => {
    for (let rows = 1; rows <= 40; rows++) {
      const shares = [0, 1, 2, 3, 4, 5].map((worker) => workerRows(rows, worker));
      let next = 0;
      for (const { start, count } of shares) {
        expect(start).toBe(next);
        next += count;
      }
      expect(next).toBe(rows);
    }
  });

  it('tells workers without rows to leave', () => {
    const table = gemmTable(2, 0x60000, 0x80000);
    expect([...table].filter((_, index) => index % 4 === 2).map((word) => word | 0)).toEqual([
      0, 0, -1, -1, -1, -1,
    ]);
  });
});
