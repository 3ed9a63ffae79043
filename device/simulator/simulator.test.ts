import { expect, it } from 'vitest';
import { DeviceError } from '../device.ts';
import { a, m, pair, SYNC } from '../ipu21/index.ts';
import type { Binding } from '../package/index.ts';
import { type HandProgram, handPackage } from './handProgram.ts';
import { SimulatedIpu21, type SimulatorOptions } from './index.ts';
import { messageOf, phaseTile, receiveRow, SOURCE, sendRow, TARGET } from './testing/rows.ts';
import { DATA, EXIT, launchAll, RESULT, readWords, tileProgram, WORKER_CODE, ZERO } from './testing/run.ts';
import { ChipMemory } from './tileMemory.ts';

const TILES = [0, 2, 3, 64, 130, 707, 1471];

/** Every tile works for a while that depends on its number, then they exchange around a ring, then work again. */
function ring(): HandProgram[] {
  return TILES.map((tile, index) => {
    const next = TILES[(index + 1) % TILES.length];
    const before = TILES[(index + TILES.length - 1) % TILES.length];
    const work = (program: HandProgram) => {
      program.op('setzi', m(4), (tile % 7) + 1);
      program.op('setzi', m(2), DATA).op('put', 0x21, m(2));
      launchAll(program, RESULT, 64);
    };
    return phaseTile(
      tile,
      // A send and a receive on one tile: sends first, the receive far behind it.
      (program) => {
        sendRow(tile, next, 4, { shift: index === 0 ? 0 : 300 * index })(program);
        program.data(SOURCE, messageOf(tile, 4));
      },
      {
        after: (program) => {
          program.op('sync', SYNC.internal);
          receiveRow(before, tile, 4)(program);
          program.op('sans', 0);
          work(program);
          const back = program.address;
          program.origin(WORKER_CODE).label('worker').op('get', m(0), 1).op('setzi', m(3), tile);
          program.label('loop').op('add', m(3), m(3), m(0)).op('brnzdec', m(0), 'loop');
          program.op('st32', m(3), m(13), ZERO, 0).op('get', m(5), 0x60).op('st32', m(5), m(13), ZERO, 1);
          program
            .op('f16v2grand', a(0))
            .op('st64', pair(a(0)), m(13), ZERO, 1)
            .op(...EXIT)
            .origin(back);
        },
      },
    );
  });
}

const fromTile = (name: string, tile: number, address: number, size: number): Binding => ({
  name,
  dtype: 'u32',
  shape: [size / 4],
  slices: [{ tile, tileAddress: address, fileOffset: 0, size }],
});

const outputs = TILES.flatMap((tile) => [
  fromTile(`result${tile}`, tile, RESULT, 6 * 64),
  fromTile(`target${tile}`, tile, TARGET, 16),
]);

async function record(options: SimulatorOptions, calls = 1) {
  const device = new SimulatedIpu21(options);
  await device.load(handPackage(ring(), { outputs }));
  const outcomes = [];
  for (let call = 0; call < calls; call++) outcomes.push(await device.call('run', new Map()));
  await device.close();
  return outcomes.map(({ cycles, instructions, tiles, outputs: out }) => ({
    cycles,
    instructions,
    tiles,
    bytes: [...out].map(([name, data]) => [name, [...data]]),
  }));
}

it('any number of host threads gives the same bytes, cycles and counters', async () => {
  const [alone] = await record({ threads: 1 });
  expect(alone.instructions).toBeGreaterThan(100);
  for (const threads of [2, 3, 16]) expect(await record({ threads })).toEqual([alone]);
});

it('a second call takes the same cycles and instructions as the first', async () => {
  const [first, second, third] = await record({}, 3);
  expect(second.cycles).toBe(first.cycles);
  expect(third.cycles).toBe(first.cycles);
  expect(second.instructions).toBe(first.instructions);
  const spans = (record: typeof first) =>
    record.tiles.map(({ startCycle, endCycle }) => endCycle - startCycle);
  expect(spans(second)).toEqual(spans(first));
  const waits = (record: typeof first) =>
    record.tiles.map(({ syncCycles, exchangeCycles }) => [syncCycles, exchangeCycles]);
  expect(waits(second)).toEqual(waits(first));
});

it('a package loaded over another finds poison, cleared registers and cycle 0', async () => {
  const peek = handPackage([
    tileProgram(0, (program) => {
      program.op('setzi', m(1), RESULT).op('st32', m(5), m(1), ZERO, 0).op('get', m(2), 0x60);
      program.op('st32', m(2), m(1), ZERO, 1);
    }),
  ]);
  const poke = handPackage([
    tileProgram(0, (program) =>
      program.op('setzi', m(5), 77).op('setzi', m(1), DATA).op('st32', m(5), m(1), ZERO, 0),
    ),
    tileProgram(2, () => {}),
  ]);
  const device = new SimulatedIpu21();
  await device.load(peek);
  await device.call('run', new Map());
  const fresh = readWords(device, 0, RESULT, 2);
  await device.load(poke);
  await device.call('run', new Map());
  expect(readWords(device, 0, DATA, 1)).toEqual([77]);
  await device.load(peek);
  await device.call('run', new Map());
  expect(readWords(device, 0, RESULT, 2)).toEqual(fresh);
  expect(fresh[0]).toBe(0);
  expect(readWords(device, 0, DATA, 1)).toEqual([0x7ef17ef1]);
  expect(() => device.readTile(2, DATA, 4)).toThrow(DeviceError);
});

it('inputs are placed, outputs gathered, slice by slice', async () => {
  const device = new SimulatedIpu21();
  const slices = [
    { tile: 0, tileAddress: DATA, fileOffset: 4, size: 4 },
    { tile: 2, tileAddress: DATA + 8, fileOffset: 0, size: 4 },
  ];
  const both = { dtype: 'u8', shape: [8], slices };
  await device.load(
    handPackage([tileProgram(0, () => {}), tileProgram(2, () => {})], {
      inputs: [{ name: 'in', ...both }],
      outputs: [{ name: 'out', ...both }],
    }),
  );
  const { outputs: out } = await device.call('run', new Map([['in', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)]]));
  expect([...device.readTile(0, DATA, 4)]).toEqual([5, 6, 7, 8]);
  expect([...device.readTile(2, DATA + 8, 4)]).toEqual([1, 2, 3, 4]);
  expect([...out.get('out')!]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  device.writeTile(0, DATA, Uint8Array.of(9));
  expect([...device.readTile(0, DATA, 2)]).toEqual([9, 6]);
});

it('wrong use is an infra-error with advice', async () => {
  const device = new SimulatedIpu21();
  const loaded = handPackage([tileProgram(0, () => {})], { inputs: [fromTile('in', 0, DATA, 8)] });
  await expect(device.call('run', new Map())).rejects.toMatchObject({ verdict: 'infra-error' });
  await device.load(loaded);
  await expect(device.call('walk', new Map())).rejects.toThrow(/no entry point walk/);
  await expect(device.call('run', new Map())).rejects.toThrow(/input in has 0 bytes, the package wants 8/);
  await expect(device.call('run', new Map([['in', new Uint8Array(9)]]))).rejects.toThrow(/has 9 bytes/);
  for (const [tile, address, bytes] of [
    [1, DATA, 4],
    [0, 0, 4],
    [0, 0xe7ffe, 4],
    [0, DATA, -1],
    [2000, DATA, 4],
    [0, Number.NaN, 4],
    [0, DATA, 0.5],
  ])
    expect(() => device.readTile(tile, address, bytes), `${tile} ${address} ${bytes}`).toThrow(DeviceError);
  await device.call('run', new Map([['in', new Uint8Array(8)]]));
  await device.close();
  await device.close();
  expect(() => device.readTile(0, DATA, 4)).toThrow(/no package is loaded/);
});

it('options outside their range are refused', () => {
  for (const options of [
    { threads: 0 },
    { threads: 17 },
    { threads: 1.5 },
    { cycleLimit: 0 },
    { cycleLimit: Number.NaN },
  ])
    expect(() => new SimulatedIpu21(options), JSON.stringify(options)).toThrow(DeviceError);
});

it('a memory for no tile is refused', () => {
  expect(() => new ChipMemory([])).toThrow(/uses no tile/);
});

it('a damaged package is refused and nothing stays loaded', async () => {
  const device = new SimulatedIpu21();
  await device.load(handPackage([tileProgram(0, () => {})]));
  await expect(device.load(new Uint8Array(100))).rejects.toThrow();
  await expect(device.call('run', new Map())).rejects.toThrow(/no package is loaded/);
});

it('refuses an output whose file is larger than what fills it', async () => {
  const binding = (fileOffset: number): Binding => ({
    name: 'out',
    dtype: 'u32',
    shape: [1],
    slices: [{ tile: 0, tileAddress: RESULT, fileOffset, size: 4 }],
  });
  const device = new SimulatedIpu21();
  const load = (fileOffset: number) =>
    device.load(handPackage([tileProgram(0, () => {})], { outputs: [binding(fileOffset)] }));
  await expect(load(2 ** 40)).rejects.toThrow(/file of 1099511627780 bytes, its slices fill 4/);
  await expect(load(4)).rejects.toThrow(DeviceError);
  await expect(load(0)).resolves.toBeUndefined();
});
