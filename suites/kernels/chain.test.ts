import { describe, expect, it } from 'vitest';
import { castCycles } from '../../compiler/kernels/cast.ts';
import { type EpilogueKind, epilogueCycles, epilogueLabel } from '../../compiler/kernels/epilogue.ts';
import { readPackage } from '../../device/package/index.ts';
import { type Issue, SimulatedIpu21 } from '../../device/simulator/index.ts';
import { mlp } from '../mlp/operation.ts';

/** Tile cycles from the call of a kernel to the instruction behind it, on one traced tile. */
async function kernelCycles(line: string, label: string): Promise<number> {
  const prepared = mlp.prepare(line);
  const compiled = prepared.compile();
  const entry = readPackage(compiled.packageBytes).debugSymbols.find(({ name }) => name === label)?.address;
  const issues: Issue[] = [];
  const device = new SimulatedIpu21({ trace: { physicalTile: 0, onIssue: (issue) => issues.push(issue) } });
  await device.load(compiled.packageBytes);
  issues.length = 0;
  await device.call('run', compiled.pack(prepared.inputs));
  await device.close();
  const supervisor = issues.filter(({ context }) => context === 0);
  const first = supervisor.findIndex(({ pc }) => pc === entry);
  expect(first, `${label} runs`).toBeGreaterThan(0);
  const call = supervisor[first - 1];
  const back = supervisor.slice(first).find(({ pc }) => pc === call.pc + 4);
  if (back === undefined) throw new Error(`${label} does not return`);
  return back.cycle - call.cycle;
}

/** Blocks of 16 features x 16 tokens on the one tile. */
const blocksOf = (tokens: number, features: number) => Math.ceil(tokens / 16) * Math.ceil(features / 16);
const GELU: EpilogueKind = { bias: true, gelu: true, turn: true };
const BARE: EpilogueKind = { bias: false, gelu: true, turn: true };
const BIAS: EpilogueKind = { bias: true, gelu: false, turn: false };

describe('cycle formulas of the kernels of a chain', () => {
  it.each([
    [16, 16],
    [16, 48],
    [48, 80],
    [64, 160],
  ])('bias, GeLU and turn, %i tokens x %i features', async (tokens, hidden) => {
    const blocks = blocksOf(tokens, hidden);
    for (const [kind, bias] of [
      [GELU, 1],
      [BARE, 0],
    ] as const) {
      const cycles = await kernelCycles(
        `mlp/tokens=${tokens},width=32,hidden=${hidden},tiles=1,bias=${bias}`,
        epilogueLabel(kind),
      );
      expect(Math.abs(epilogueCycles(kind, { blocks }) - cycles), `${cycles} cycles`).toBeLessThanOrEqual(16);
    }
  });

  it.each([16, 48, 96])('bias of %i features', async (width) => {
    const cycles = await kernelCycles(`mlp/tokens=40,width=${width},hidden=32,tiles=1`, epilogueLabel(BIAS));
    expect(
      Math.abs(epilogueCycles(BIAS, { blocks: blocksOf(40, width) }) - cycles),
      `${cycles} cycles`,
    ).toBeLessThanOrEqual(16);
  });

  it.each([32, 64, 160])('cast of %i features to f8', async (hidden) => {
    const cycles = await kernelCycles(`mlp/tokens=40,width=32,hidden=${hidden},tiles=1,in=f8`, 'cast.m1');
    expect(
      Math.abs(castCycles({ blocks: blocksOf(40, hidden) / 2 }) - cycles),
      `${cycles} cycles`,
    ).toBeLessThanOrEqual(16);
  });

  it('GeLU with bias and turn costs less than 3.6 cycles a value on large tiles', () => {
    const [few, many] = [10, 100].map((blocks) => epilogueCycles(GELU, { blocks }));
    expect((many - few) / (90 * 256)).toBeLessThan(3.6);
  });
});
