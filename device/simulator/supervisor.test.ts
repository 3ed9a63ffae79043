import { expect, it } from 'vitest';
import { m, SYNC, step } from '../ipu21/index.ts';
import type { HandProgram } from './handProgram.ts';
import {
  DATA,
  EXIT,
  launchAll,
  RESULT,
  readWords,
  runTiles,
  supervisorCycles,
  supervisorRegisters,
  tileProgram,
  WORKER_CODE,
  ZERO,
} from './testing/run.ts';

it('integer arithmetic wraps, and immediates extend as their form says', async () => {
  const registers = await supervisorRegisters((program) =>
    program
      .op('setzi', m(8), 0xfffff)
      .op('add', m(0), m(8), -1)
      .op('add.mmz16', m(1), m(8), 0xffff)
      .op('sub', m(2), 1, m(8))
      .op('mul', m(3), m(8), m(8))
      .op('shl', m(4), m(8), 20)
      .op('shrs', m(5), m(4), 4)
      .op('shr', m(6), m(4), 4)
      .op('xnor', m(7), m(8), m(15)),
  );
  expect(registers).toEqual([
    0xffffe,
    0xfffff + 0xffff,
    (1 - 0xfffff) >>> 0,
    Math.imul(0xfffff, 0xfffff) >>> 0,
    0xfff00000,
    0xffff0000,
    0x0fff0000,
    ~0xfffff >>> 0,
  ]);
});

it('the zero register reads zero and swallows writes', async () => {
  const registers = await supervisorRegisters((program) =>
    program
      .op('setzi', m(15), 77)
      .op('add', m(0), m(15), 5)
      .op('setzi', m(1), 9)
      .op('add', m(1), m(15), m(15)),
  );
  expect(registers.slice(0, 2)).toEqual([5, 0]);
});

it('loads and stores use base + delta + size x offset, and step forms advance the delta', async () => {
  const registers = await supervisorRegisters((program) =>
    program
      .data(DATA, Uint32Array.of(0x11111111, 0x8765f2e1, 0x33333333, 0x44444444))
      .op('setzi', m(8), DATA)
      .op('setzi', m(9), 4)
      .op('ld32', m(0), m(8), m(9), 1)
      .op('ldz16', m(1), m(8), m(9), 0)
      .op('lds16', m(2), m(8), m(9), 0)
      .op('ldz8', m(3), m(8), m(9), 1)
      .op('lds8', m(4), m(8), m(9), 1)
      .op('ld32step', m(5), m(8), step(m(9)), 2)
      .op('add', m(6), m(9), 0)
      .op('st32', m(6), m(8), m(9), 0)
      .op('ld32', m(7), m(8), ZERO, 3),
  );
  expect(registers).toEqual([0x33333333, 0xf2e1, 0xfffff2e1, 0xf2, 0xfffffff2, 0x8765f2e1, 12, 12]);
});

it('independent instructions issue once per cycle', async () => {
  const n = 9;
  const cycles = await supervisorCycles((program) => {
    for (let index = 0; index < n; index++) program.op('setzi', m(index % 8), index);
  });
  expect(cycles).toBe(n);
});

it('a dependent instruction issues six cycles after the one it waits for', async () => {
  for (const n of [1, 2, 5]) {
    const cycles = await supervisorCycles((program) => {
      for (let index = 0; index < n; index++) program.op('add', m(0), m(0), 1);
    });
    // First issue at once, the others 6 apart, one cycle to get behind the last.
    expect(cycles).toBe(6 * (n - 1) + 1);
  }
});

it('an interlock waits only for what is missing of the six cycles', async () => {
  for (const between of [0, 1, 4, 5, 6]) {
    const cycles = await supervisorCycles((program) => {
      program.op('setzi', m(0), 1);
      for (let index = 0; index < between; index++) program.op('setzi', m(1), 1);
      program.op('add', m(2), m(0), 1);
    });
    expect(cycles).toBe(Math.max(6, 1 + between) + 1);
  }
});

it('branches cost six cycles taken and one not taken; calls and returns six', async () => {
  expect(await supervisorCycles((program) => program.op('bri', 'next').label('next'))).toBe(6);
  expect(await supervisorCycles((program) => program.op('brz', ZERO, 'next').label('next'))).toBe(6);
  expect(await supervisorCycles((program) => program.op('brnz', ZERO, 'next').label('next'))).toBe(1);
  // The link register is ready six cycles after the call, when its target issues.
  expect(
    await supervisorCycles((program) => {
      program.op('call', m(10), 'sub').op('bri', 'behind').label('sub').op('br', m(10)).label('behind');
    }),
  ).toBe(6 + 6 + 6);
});

it('an empty brnzdec loop of n rounds takes 6 (n - 1) + 1 cycles', async () => {
  for (const n of [1, 2, 7]) {
    const cycles = await supervisorCycles(
      (program) => program.label('loop').op('brnzdec', m(0), 'loop'),
      (program) => program.op('setzi', m(0), n - 1),
    );
    expect(cycles).toBe(6 * (n - 1) + 1);
  }
});

it('delay n takes n + 1 cycles, up to the longest', async () => {
  for (const n of [0, 1, 63, 0x7ffff])
    expect(await supervisorCycles((program) => program.op('delay', n))).toBe(n + 1);
});

it('coefficient loads issue once per cycle, six cycles behind a write of their address', async () => {
  for (const loads of [1, 8]) {
    const cycles = await supervisorCycles(
      (program) => {
        program.op('put', 0x50, m(0));
        for (let index = 0; index < loads; index++) program.op('ld64putcs', index);
      },
      (program) => program.op('setzi', m(0), DATA),
    );
    expect(cycles).toBe(6 + loads);
  }
});

it('a local barrier with idle workers takes six cycles', async () => {
  expect(await supervisorCycles((program) => program.op('sync', SYNC.local))).toBe(6);
});

/** Cycles of runall + local sync around workers of `bundles` issues each, the launch in a given phase. */
async function launchCycles(bundles: number, phase: number, worker: 'all' | 'one'): Promise<number> {
  return await supervisorCycles(
    (program) => {
      if (worker === 'all') program.op('runall', m(0), m(1), 0);
      else program.op('run', m(0), ZERO, 0);
      program.op('sync', SYNC.local);
    },
    (program) => {
      program.op('setzi', m(0), 'worker').op('setzi', m(1), RESULT);
      for (let index = 0; index < phase; index++) program.op('nop');
      const back = program.address;
      program.origin(WORKER_CODE).label('worker');
      for (let index = 1; index < bundles; index++) program.op('nop');
      program.op(...EXIT);
      program.origin(back);
    },
  );
}

it('a launch of n bundles takes 6 to launch, 6 n for the workers and 6 to see the end', async () => {
  // With all slots taken the supervisor reaches its barrier only behind the last exit.
  for (const bundles of [1, 2, 10])
    for (const phase of [0, 1, 5])
      expect(await launchCycles(bundles, phase, 'all')).toBe(6 + 6 * bundles + 6);
});

it('one worker takes as long, whenever its slot comes round', async () => {
  const seen = new Set<number>();
  for (let phase = 0; phase < 6; phase++) {
    const cycles = await launchCycles(3, phase, 'one');
    // From the launch the slot is 0..5 cycles away; then two rounds to the exit and 6 to see the end.
    expect(cycles - (6 + 2 * 6 + 6)).toBeGreaterThanOrEqual(0);
    expect(cycles - (6 + 2 * 6 + 6)).toBeLessThan(6);
    seen.add(cycles);
  }
  expect(seen.size).toBe(6);
});

it('runall gives worker n the base plus n strides; run adds the region base', async () => {
  const device = await runTiles([
    tileProgram(0, (program) => {
      launchAll(program, RESULT, 32);
      program
        .op('setzi', m(2), 0x1000)
        .op('run', m(0), m(2), 0x40 / 4)
        .op('sync', SYNC.local);
      const back = program.address;
      program.origin(WORKER_CODE).label('worker');
      program.op('get', m(0), 1).op('st32', m(0), m(13), ZERO, 0);
      program.op('st32', m(13), m(13), ZERO, 1).op(...EXIT);
      program.origin(back);
    }),
  ]);
  for (let worker = 0; worker < 6; worker++) {
    const vertex = RESULT + 32 * worker;
    expect(readWords(device, 0, vertex, 2)).toEqual([worker, vertex]);
  }
  const vertex = 0x4c000 + 0x1000 + 0x40;
  expect(readWords(device, 0, vertex, 2)).toEqual([0, vertex]);
});

it('the supervisor uses the slots of workers that are done', async () => {
  // Worker 0 runs 10 bundles; the other five exit at once. Meanwhile the supervisor counts.
  const bundles = 10;
  const device = await runTiles([
    tileProgram(0, (program) => {
      program.op('setzi', m(0), 'worker').op('setzi', m(1), RESULT).op('setzi', m(11), RESULT);
      program.op('delay', 11).op('get', m(8), 0x60).op('runall', m(0), m(1), 0);
      for (let index = 0; index < 20; index++) program.op('nop');
      program.op('get', m(9), 0x60).op('sync', SYNC.local).op('get', m(7), 0x60);
      program.op('st32', m(8), m(11), ZERO, 0).op('st32', m(9), m(11), ZERO, 1);
      program.op('st32', m(7), m(11), ZERO, 2);
      const back = program.address;
      program.origin(WORKER_CODE).label('worker').op('get', m(0), 1).op('brnz', m(0), 'leave');
      for (let index = 3; index < bundles; index++) program.op('nop');
      program.label('leave').op(...EXIT);
      program.origin(back);
    }),
  ]);
  const [launch, counted, end] = readWords(device, 0, RESULT, 3);
  // Three bundles of all six workers, then five free slots of six for 20 nops.
  expect(counted - launch).toBeGreaterThanOrEqual(6 + 18);
  expect(counted - launch).toBeLessThanOrEqual(6 + 18 + Math.ceil((20 * 6) / 5) + 1);
  expect(end - launch).toBeGreaterThan(6 + 6 * (bundles - 1));
  expect(end - launch).toBeLessThanOrEqual(6 + 6 * bundles + 6);
});

/** One worker that runs `bundles` bundles; the supervisor reaches a barrier without waiting for it. */
const barrierBesideWorker = (
  bundles: number,
  barrier: number,
  body: (program: HandProgram) => void = () => {},
) =>
  tileProgram(0, (program) => {
    program.op('setzi', m(0), 'worker').op('setzi', m(1), RESULT).op('delay', 11);
    program.op('get', m(8), 0x60).op('run', m(0), ZERO, 0).op('sync', barrier).op('get', m(9), 0x60);
    program.op('setzi', m(11), RESULT).op('st32', m(8), m(11), ZERO, 0).op('st32', m(9), m(11), ZERO, 1);
    body(program);
    const back = program.address;
    program.origin(WORKER_CODE).label('worker').op('setzi', m(2), RESULT);
    for (let index = 3; index < bundles; index++) program.op('nop');
    program.op('st32', m(2), m(2), ZERO, 2).op(...EXIT);
    program.origin(back);
  });

it('workers go on while the supervisor waits at a barrier, which does not wait for them', async () => {
  const cycles = async (bundles: number) => {
    const device = await runTiles([barrierBesideWorker(bundles, SYNC.internal)]);
    const [before, after, mark] = readWords(device, 0, RESULT, 3);
    expect(mark).toBe(RESULT);
    return after - before;
  };
  // get, run (6), then the barrier: 150 cycles from its arrival to its release, however long the worker takes.
  for (const bundles of [3, 10, 20]) expect(await cycles(bundles)).toBe(1 + 6 + 150);
});

it('a barrier that is released while workers run is an error, not a guess', async () => {
  await expect(runTiles([barrierBesideWorker(60, SYNC.internal)])).rejects.toMatchObject({
    facts: { exception: 'EXERR', receiveError: 4 },
  });
});

it('a host barrier lets workers finish before the call ends', async () => {
  const device = await runTiles([barrierBesideWorker(200, SYNC.gs2Host)]);
  expect(readWords(device, 0, RESULT + 8, 1)).toEqual([RESULT]);
});
