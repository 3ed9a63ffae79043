import { describe, expect, it } from 'vitest';
import { m, SYNC } from '../ipu21/index.ts';
import { handPackage } from './handProgram.ts';
import { type Issue, SimulatedIpu21 } from './index.ts';
import { EXIT, launchAll, RESULT, tileProgram, WORKER_CODE } from './testing/run.ts';

/** Six workers that repeat a bundle `count` times and store their count of cycles. */
const program = (count: number) =>
  tileProgram(0, (tile) => {
    launchAll(tile, RESULT, 16);
    const back = tile.address;
    tile.origin(WORKER_CODE).label('worker');
    tile.op('fnop').op('rpt', count, 0);
    tile.bundle(['nop'], ['fnop']);
    tile
      .op('get', m(0), 0x60)
      .op('st32', m(0), m(13), m(15), 0)
      .op(...EXIT);
    tile.origin(back);
  });

async function traced(count: number): Promise<{ issues: Issue[]; results: number[] }> {
  const issues: Issue[] = [];
  const device = new SimulatedIpu21({ trace: { physicalTile: 0, onIssue: (issue) => issues.push(issue) } });
  await device.load(handPackage([program(count)]));
  issues.length = 0;
  await device.call('run', new Map());
  return { issues, results: [...new Uint32Array(device.readTile(0, RESULT, 96).buffer)] };
}

describe('a traced tile', () => {
  it('issues one bundle a worker turn, in slot order', async () => {
    const { issues } = await traced(3);
    for (let context = 1; context <= 6; context++) {
      const own = issues.filter((issue) => issue.context === context);
      expect(own.map(({ pc }) => pc - WORKER_CODE)).toEqual([0, 4, 8, 8, 8, 16, 20, 24]);
      expect(new Set(own.map(({ cycle }) => cycle % 6)).size).toBe(1);
      expect(own.slice(1).every(({ cycle }, index) => cycle - own[index].cycle === 6)).toBe(true);
    }
    expect(new Set(issues.map(({ cycle }) => cycle)).size).toBe(issues.length);
  });

  it('ends with the results and cycles of an untraced one', async () => {
    const { results } = await traced(40);
    const device = new SimulatedIpu21();
    await device.load(handPackage([program(40)]));
    await device.call('run', new Map());
    expect(results).toEqual([...new Uint32Array(device.readTile(0, RESULT, 96).buffer)]);
  });

  it('stops at the cycle limit', async () => {
    const device = new SimulatedIpu21({ cycleLimit: 100, trace: { physicalTile: 0, onIssue: () => {} } });
    await device.load(handPackage([tileProgram(0, (tile) => tile.label('loop').op('bri', 'loop'))]));
    await expect(device.call('run', new Map())).rejects.toThrow(/limit/);
  });

  it('waits at barriers like others', async () => {
    const issues: Issue[] = [];
    const device = new SimulatedIpu21({ trace: { physicalTile: 1, onIssue: (issue) => issues.push(issue) } });
    const tile = (physical: number) => tileProgram(physical, (one) => one.op('sync', SYNC.internal));
    await device.load(handPackage([tile(0), tile(1)]));
    await device.call('run', new Map());
    expect(issues.length).toBeGreaterThan(1);
  });
});
