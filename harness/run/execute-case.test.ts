import { describe, expect, test } from 'vitest';
import type { KnownFailure } from '../budget/index.ts';
import type { DevicePort, Operation } from '../ports.ts';
import { decodeRecord, encodeRecord } from '../record/index.ts';
import { executeCase, runCase } from './execute-case.ts';
import { failureFinding } from './failure.ts';
import { ToyDevice } from './fixture/toy-device.ts';
import { type Plant, ToyError, toyOperation } from './fixture/toy-operation.ts';
import { heatMap } from './heat-map.ts';
import type { CaseOptions } from './make-record.ts';
import { speedOf } from './speed.ts';

const OPTIONS: CaseOptions = {
  run: 'test',
  index: 4,
  lane: 2,
  canaries: [],
  budgets: new Map(),
  known: new Map(),
};

const lineOf = (plant: Plant, more = '') => toyOperation.canonical(`toy/rows=6,plant=${plant}${more}`);

const run = (plant: Plant, options: Partial<CaseOptions> = {}, device: DevicePort = new ToyDevice()) =>
  runCase(lineOf(plant), toyOperation, device, { ...OPTIONS, ...options });

describe('verdicts', () => {
  test.each([
    ['none', 'passed'],
    ['numerics', 'failed-numerics'],
    ['contract', 'failed-contract'],
    ['meaningless', 'mistrusted'],
    ['compile', 'compile-error'],
    ['unsupported', 'unsupported'],
    ['fault', 'device-fault'],
    ['infra', 'infra-error'],
    ['throw', 'infra-error'],
  ] as const)('plant %s comes to %s, and its record can be read back', async (plant, verdict) => {
    const record = await run(plant);
    expect(record).toMatchObject({ verdict, run: 'test', index: 4, operation: 'toy', case: lineOf(plant) });
    expect(record.reason === '').toBe(verdict === 'passed');
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  });

  test('a passed case tells everything', async () => {
    const record = await run('none');
    expect(record).toMatchObject({
      cycles: 344,
      instructions: 144,
      flops: 144,
      boundRatio: 0,
      device: { kind: 'toy', tiles: 1472 },
      inputs: [{ name: 'x', dtype: 'f16', shape: [6, 24] }],
      compile: { plan: '6x24 on 1' },
      repro: `npx ipu-verify repro '${lineOf('none')}'`,
    });
    expect(record.microseconds).toBeCloseTo(344 / 1500, 12);
    expect(record.tflops).toBeCloseTo((144 * 1.5e9) / 344 / 1e12, 12);
    expect(record.package?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(record.host.stages.map(({ name }) => name)).toEqual([
      'prepare',
      'compile',
      'package',
      'pack',
      'load',
      'call',
      'unpack',
      'reference',
      'judge',
    ]);
  });

  test('a wrong case keeps its mismatches with places, and its map', async () => {
    const trace = await executeCase(lineOf('numerics'), toyOperation, new ToyDevice(), OPTIONS);
    const [output] = trace.record.outputs;
    expect(output.mismatches).toHaveLength(1);
    expect(output.mismatches[0]).toMatchObject({ index: [0, 0], place: { tile: 0, address: 0x50000 } });
    expect(output.map?.byRow).toEqual([{ key: 0, count: 1 }]);
    expect(trace.record.boundRatio).toBe(4);
    const map = heatMap(trace.judgement?.outputs[0] as never)?.split('\n') ?? [];
    expect(map).toHaveLength(7);
    expect(map[1]).toBe(`0 2${'.'.repeat(23)}`);
    expect(map[2]).toBe(`1 ${'.'.repeat(24)}`);
  });

  test('two runs of a case differ in nothing but the host', async () => {
    for (const plant of ['none', 'numerics', 'fault'] as const) {
      const [{ host: _a, ...first }, { host: _b, ...second }] = [await run(plant), await run(plant)];
      expect(encodeRecord(first as never)).toBe(encodeRecord(second as never));
    }
  });
});

describe('failures', () => {
  test('a declared error keeps stage, tile, facts and advice', async () => {
    expect((await run('compile')).failure).toEqual({
      name: 'ToyError',
      stage: 'place',
      tile: 3,
      facts: { demand: 700_000, capacity: 638_976 },
      advice: 'Use more tiles.',
    });
  });

  test('an error nobody declared keeps its stack and the stage that was running', async () => {
    const { failure, reason } = await run('throw');
    expect(reason).toBe('RangeError in call: a defect nobody foresaw');
    expect(failure).toMatchObject({ name: 'RangeError', stage: 'call' });
    expect(failure?.stack).toContain('toy-device');
  });

  test.each([
    ['a text', /thrown value in load: a text/],
    [undefined, /thrown value in load/],
    [null, /thrown value in load/],
    [
      Object.assign(new Error('odd'), { verdict: 'passed', stage: 's', facts: {}, advice: '' }),
      /Error in load: odd/,
    ],
    [new Error('outer', { cause: new Error('inner') }), /Error in load: outer: inner/],
  ])('%s thrown is an infra-error', (thrown, reason) => {
    const finding = failureFinding(thrown, 'load');
    expect(finding.verdict).toBe('infra-error');
    expect(finding.reasons[0]).toMatch(reason);
  });

  test('facts that are no words or numbers become words', () => {
    const error = Object.assign(new ToyError('compile-error', 'plan', 'x'), {
      facts: { list: [1, 2], big: 5n },
    });
    expect(failureFinding(error, 'compile').failure?.facts).toEqual({ list: '1,2', big: '5' });
  });

  test('a package whose bytes are not what the compiler hashed never reaches the device', async () => {
    let loads = 0;
    const device = new ToyDevice();
    device.load = async () => {
      loads++;
    };
    const changed = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
    const record = await run('none', { packageStage: changed }, device);
    expect(record).toMatchObject({ verdict: 'infra-error', failure: { stage: 'package' } });
    expect(loads).toBe(0);
  });

  test.each([Number.NaN, -1, 0, 1.5])('a device that reports %s cycles is not trusted', async (cycles) => {
    const device = new ToyDevice();
    const call = device.call.bind(device);
    device.call = async (name, inputs) => ({ ...(await call(name, inputs)), cycles });
    const record = await run('none', {}, device);
    expect(record.verdict).toBe('mistrusted');
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  });

  test('more than the peak rate is not trusted', () => {
    const identity = { kind: 'toy', tiles: 1472, clockHz: 1.5e9, model: 't' };
    const [x] = toyOperation.prepare(lineOf('none')).inputs;
    const peak = 128 * 1472;
    expect(speedOf(identity, [x], 10, peak * 10).implausible).toBeUndefined();
    expect(speedOf(identity, [x], 10, peak * 10 + 10).implausible).toMatch(/above the chip's peak of 282\.6/);
    expect(speedOf(identity, [{ ...x, dtype: 'f8f143' }], 10, peak * 20).implausible).toBeUndefined();
  });

  test('a case that throws while its line is read is an infra-error of that case', async () => {
    const operation: Operation = {
      ...toyOperation,
      prepare: () => {
        throw new TypeError('no such shape');
      },
    };
    const record = await runCase(lineOf('none'), operation, new ToyDevice(), OPTIONS);
    expect(record).toMatchObject({ verdict: 'infra-error', failure: { stage: 'prepare' }, inputs: [] });
  });
});

describe('budgets and known failures', () => {
  const known = (plant: Plant, expect_: KnownFailure['expect']) =>
    new Map([[lineOf(plant), { expect: expect_, owner: 'jane', expires: '2026-12-31', why: 'split sums' }]]);

  test('a broken budget fails a case that is right otherwise', async () => {
    const within = await run('none', { budgets: new Map([[lineOf('none'), 344]]) });
    expect(within).toMatchObject({ verdict: 'passed', budget: { limitCycles: 344, ratio: 1 } });
    const beyond = await run('none', { budgets: new Map([[lineOf('none'), 343]]) });
    expect(beyond).toMatchObject({ verdict: 'failed-budget', budget: { limitCycles: 343 } });
    const wrong = await run('numerics', { budgets: new Map([[lineOf('numerics'), 1]]) });
    expect(wrong.verdict).toBe('failed-numerics');
  });

  test('a known failure is accepted only with the verdict it is known for', async () => {
    const accepted = await run('numerics', { known: known('numerics', 'failed-numerics') });
    expect(accepted).toMatchObject({
      verdict: 'known-failure',
      reason: 'split sums (jane, until 2026-12-31)',
    });
    expect(accepted.outputs[0].verdict).toBe('failed-numerics');
    const other = await run('fault', { known: known('fault', 'failed-numerics') });
    expect(other.verdict).toBe('device-fault');
  });

  test('a known failure that passes is told', async () => {
    const record = await run('none', { known: known('none', 'failed-numerics') });
    expect(record).toMatchObject({ verdict: 'unexpected-pass', known: { owner: 'jane' } });
  });

  test('a case to skip is not even prepared', async () => {
    const record = await run('die', { known: known('die', 'skip') });
    expect(record).toMatchObject({ verdict: 'skipped', inputs: [], outputs: [] });
    expect(record.host.stages).toEqual([]);
  });
});
