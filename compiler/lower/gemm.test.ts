import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeBuffers } from '../place/place.ts';
import { verifyPlacement } from '../place/verify.ts';
import { planForGrid } from '../plan/gemm.ts';
import { lowerGemm } from './gemm.ts';
import type { ExchangeStep, LoweredProgram, Transfer } from './stages.ts';
import { verifyLowered } from './verify.ts';

const names = { a: 'a', b: 'b', c: 'c' };
const lower = (m: number, k: number, n: number, grid: { m: number; n: number; k: number }) =>
  lowerGemm(planForGrid({ m, k, n }, grid, grid.m * grid.n * grid.k), names);

describe('lowerGemm', () => {
  it('lowers any legal grid to a program that its verifier and placement accept', () => {
    const size = fc.integer({ min: 1, max: 150 });
    fc.assert(
      fc.property(size, size, size, fc.nat(), fc.nat(), fc.nat(), (m, k, n, x, y, z) => {
        const grid = {
          m: 1 + (x % Math.min(m, 12)),
          n: 1 + (y % Math.ceil(n / 16)),
          k: 1 + (z % Math.ceil(k / 16)),
        };
        const program = lower(m, k, n, grid);
        verifyLowered(program);
        verifyPlacement(program, placeBuffers(program, 2000));
      }),
      { numRuns: 100 },
    );
  });

  it('stores every operand byte once', () => {
    const program = lower(40, 70, 50, { m: 3, n: 2, k: 2 });
    for (const binding of program.bindings) {
      const bytes = binding.slices.reduce((sum, slice) => sum + slice.bytes, 0);
      expect(bytes).toBe(binding.fileBytes);
    }
  });

  it('needs no exchange on a single tile', () => {
    expect(lower(40, 70, 50, { m: 1, n: 1, k: 1 }).steps.map((step) => step.kind)).toEqual(['gemm']);
  });
});

describe('verifyLowered', () => {
  const program = lower(40, 70, 50, { m: 3, n: 2, k: 2 });
  const operands = program.steps[0] as ExchangeStep;
  const withTransfers = (transfers: readonly Transfer[]): LoweredProgram => ({
    ...program,
    steps: [{ ...operands, transfers }, ...program.steps.slice(1)],
  });
  const [first, ...rest] = operands.transfers;
  const [receiver, ...others] = first.receivers;

  it.each([
    ['a lost message', withTransfers(rest)],
    ['a message sent twice', withTransfers([...operands.transfers, first])],
    [
      'a shifted destination',
      withTransfers([{ ...first, receivers: [{ ...receiver, offset: 8 }, ...others] }, ...rest]),
    ],
    ['a receiver left out', withTransfers([{ ...first, receivers: others }, ...rest])],
    ['a message beyond its buffer', withTransfers([{ ...first, words: first.words + 65_536 }, ...rest])],
    ['an odd address', withTransfers([{ ...first, source: { ...first.source, offset: 2 } }, ...rest])],
    [
      'a tile outside the program',
      withTransfers([{ ...first, source: { ...first.source, tile: 12 as never } }, ...rest]),
    ],
    ['a dead buffer', { ...program, buffers: program.buffers.map((b) => ({ ...b, firstStep: 2 })) }],
    [
      'an output byte without a place',
      { ...program, bindings: program.bindings.map((b) => ({ ...b, fileBytes: b.fileBytes + 32 })) },
    ],
  ])('catches %s', (_defect, broken) => {
    expect(() => verifyLowered(broken as LoweredProgram)).toThrow(/lower verifier/);
  });
});

describe('verifyPlacement', () => {
  const program = lower(40, 70, 50, { m: 3, n: 2, k: 2 });
  const placement = placeBuffers(program, 2000);
  const move = (name: string, address: number) => ({
    ...placement,
    buffers: new Map(
      [...placement.buffers].map(([key, buffer]) => [key, key === name ? { ...buffer, address } : buffer]),
    ),
  });
  const addressOf = (name: string) => placement.buffers.get(name as never)!.address;

  it.each([
    ['coefficients outside region 1', move('right', 0x64000)],
    ['operands and partials in one element', move('left', addressOf('partials') + 0x2000)],
    ['home and gathered block in one element', move('home.a', addressOf('right') + 0x4000)],
    ['an address that is not aligned', move('left', addressOf('left') + 4)],
    ['data on code', move('left', 0x5c000)],
    ['data behind the loader limit', move('left', 0xe7bb0 - 32)],
    ['two live buffers on one address', move('home.b', addressOf('home.a'))],
  ])('catches %s', (_defect, broken) => {
    expect(() => verifyPlacement(program, broken as never)).toThrow(/place verifier/);
  });
});
