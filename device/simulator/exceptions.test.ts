import { expect, it } from 'vitest';
import { DeviceError } from '../device.ts';
import { a, CSR, encode, logicalTileOf, m, pair, physicalTile, quad, step } from '../ipu21/index.ts';
import { type HandProgram, handPackage } from './handProgram.ts';
import { SimulatedIpu21 } from './index.ts';
import {
  DATA,
  EXIT,
  FNOP,
  INTERLEAVED,
  launchAll,
  NOP,
  RESULT,
  runTiles,
  tileProgram,
  WORKER_CODE,
  ZERO,
} from './testing/run.ts';

async function faultOf(program: HandProgram): Promise<DeviceError> {
  try {
    await runTiles([program], { cycleLimit: 100_000 });
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
  throw new Error('the program ran');
}

const supervisor = (body: (program: HandProgram) => void) => tileProgram(3, body);
/** All workers run `code`; its address is 8-byte aligned. */
const workers = (code: (program: HandProgram) => void) =>
  tileProgram(3, (program) => {
    launchAll(program, RESULT);
    const back = program.address;
    program.origin(WORKER_CODE).label('worker');
    code(program);
    program.op(...EXIT).origin(back);
  });

/** Workers run `code` with the instruction breakpoint at its label `here`, enabled as `control` says. */
const breakpoint = (control: number, code: (program: HandProgram) => void) =>
  tileProgram(3, (program) => {
    program.op('setzi', m(0), 'here').op('put', CSR.DBG_IBRK0_PC, m(0));
    program.op('setzi', m(0), control).op('put', CSR.DBG_IBRK0_CTL, m(0));
    launchAll(program, RESULT);
    const back = program.address;
    program.origin(WORKER_CODE).label('worker');
    code(program);
    program.op(...EXIT).origin(back);
  });

/** A broken program, the exception it raises, and the neighbouring legal one. */
interface Pair {
  readonly name: string;
  readonly exception: string | RegExp;
  readonly broken: HandProgram;
  readonly legal: HandProgram;
}

const addresses = (x: number, y: number, z: number) => (program: HandProgram) =>
  program
    .op('setzi', m(4), x)
    .op('setzi', m(5), y)
    .op('setzi', m(6), z)
    .op('tapack', pair(m(2)), m(4), m(5), m(6));

const pacedTriple = (x: number, y: number, z: number) =>
  workers((program) => {
    addresses(x, y, z)(program);
    program.op('ld2xst64pace', quad(a(0)), pair(a(4)), step(pair(m(2))), ZERO, 0);
  });
const pacedPair = (x: number, z: number) =>
  workers((program) => {
    addresses(x, x, z)(program);
    program.op('ldst64pace', pair(a(0)), pair(a(4)), step(pair(m(2))), ZERO, 0);
  });
const load = (mnemonic: string, address: number) =>
  workers((program) => {
    program.op('setzi', m(0), address);
    if (mnemonic === 'ld128') program.op('ld128', quad(a(0)), m(0), ZERO, 0);
    else if (mnemonic === 'ld64') program.op('ld64', pair(a(0)), m(0), ZERO, 0);
    else program.op(mnemonic, m(1), m(0), ZERO, 0);
  });
const repeat = (body: (program: HandProgram) => void, lead: (program: HandProgram) => void = () => {}) =>
  workers((program) => {
    lead(program);
    program.op('rpt', 2, 0);
    body(program);
  });
const word = (name: string, ...operands: Parameters<typeof encode>[1]) => encode(name, operands);

const PAIRS: readonly Pair[] = [
  {
    name: 'a word that is no instruction',
    exception: 'INVALID_INSTR',
    broken: supervisor((program) => program.raw(0x3fffffff)),
    legal: supervisor((program) => program.raw(word('nop'))),
  },
  {
    name: 'a worker instruction in the supervisor',
    exception: 'INVALID_INSTR',
    broken: supervisor((program) => program.op('exitz', ZERO)),
    legal: workers((program) => program.op('exitz', ZERO)),
  },
  {
    name: 'an auxiliary instruction in the supervisor',
    exception: 'INVALID_INSTR',
    broken: supervisor((program) => program.op('fnop')),
    legal: workers((program) => program.op('fnop')),
  },
  {
    name: 'a load into an auxiliary register in the supervisor',
    exception: 'INVALID_INSTR',
    broken: supervisor((program) => program.op('setzi', m(0), DATA).op('ld32', a(0), m(0), ZERO, 0)),
    legal: supervisor((program) => program.op('setzi', m(0), DATA).op('ld32', m(1), m(0), ZERO, 0)),
  },
  {
    name: 'a supervisor instruction in a worker',
    exception: 'INVALID_INSTR',
    broken: workers((program) => program.op('sync', 2)),
    legal: supervisor((program) => program.op('sync', 2)),
  },
  {
    name: 'a bundle in the supervisor',
    exception: 'INVALID_INSTR',
    broken: supervisor((program) => program.align(8).bundle(NOP, FNOP)),
    legal: workers((program) => program.bundle(NOP, FNOP)),
  },
  {
    name: 'a bundle of two main instructions',
    exception: 'INVALID_INSTR',
    broken: workers((program) => program.bundle(NOP, NOP)),
    legal: workers((program) => program.bundle(NOP, FNOP)),
  },
  {
    name: 'a bundle with an instruction that stands alone',
    exception: 'INVALID_INSTR',
    broken: workers((program) => program.bundle(['trap', 0], FNOP)),
    legal: workers((program) => program.bundle(NOP, FNOP)),
  },
  {
    name: 'a single instruction in a repeat body',
    exception: 'INVALID_INSTR',
    broken: repeat(
      (program) => program.op('nop').op('nop'),
      (program) => program.op('nop'),
    ),
    legal: repeat(
      (program) => program.bundle(NOP, FNOP),
      (program) => program.op('nop'),
    ),
  },
  {
    name: 'a branch in a repeat body',
    exception: 'INVALID_INSTR',
    broken: repeat(
      (program) => program.bundle(['brnz', ZERO, 'worker'], FNOP),
      (program) => program.op('nop'),
    ),
    legal: workers((program) => program.bundle(['brnz', ZERO, 'worker'], FNOP)),
  },
  {
    name: 'a misaligned repeat body',
    exception: 'INVALID_PC',
    broken: repeat((program) => program.op('nop').bundle(NOP, FNOP)),
    legal: repeat(
      (program) => program.bundle(NOP, FNOP),
      (program) => program.op('nop'),
    ),
  },
  {
    name: 'a jump above the executable region',
    exception: 'INVALID_PC',
    broken: supervisor((program) => program.op('setzi', m(0), 0x80000).op('br', m(0))),
    legal: supervisor((program) => {
      program.op('setzi', m(0), 0x7fffc).op('setzi', m(1), 'behind').op('br', m(0)).label('behind');
      const back = program.address;
      program.origin(0x7fffc).op('br', m(1)).origin(back);
    }),
  },
  {
    name: 'running off the end of the executable region',
    exception: 'INVALID_PC',
    broken: supervisor((program) => {
      program.op('setzi', m(0), 0x7fffc).op('br', m(0));
      const back = program.address;
      program.origin(0x7fffc).op('nop').origin(back);
    }),
    legal: supervisor((program) => program.op('nop')),
  },
  {
    name: 'a jump below memory',
    exception: 'INVALID_PC',
    broken: supervisor((program) => program.op('setzi', m(0), 0x4bffc).op('br', m(0))),
    legal: supervisor((program) => {
      program.op('setzi', m(0), 0x4c000).op('setzi', m(1), 'behind').op('br', m(0)).label('behind');
      const back = program.address;
      program.origin(0x4c000).op('br', m(1)).origin(back);
    }),
  },
  {
    name: 'a misaligned jump',
    exception: 'INVALID_PC',
    broken: supervisor((program) => program.op('setzi', m(0), 0x50002).op('br', m(0))),
    legal: supervisor((program) => program.op('setzi', m(0), 'next').op('br', m(0)).label('next')),
  },
  {
    name: 'a misaligned bundle',
    exception: 'INVALID_PC',
    broken: workers((program) => program.op('nop').bundle(NOP, FNOP)),
    legal: workers((program) => program.op('nop').op('nop').bundle(NOP, FNOP)),
  },
  {
    name: 'a worker entry above the executable region',
    exception: 'INVALID_PC',
    broken: supervisor((program) => program.op('setzi', m(0), 0x80000).op('runall', m(0), ZERO, 0)),
    legal: workers(() => {}),
  },
  {
    name: 'a misaligned word',
    exception: 'INVALID_ADDR',
    broken: load('ld32', DATA + 2),
    legal: load('ld32', DATA + 4),
  },
  {
    name: 'a misaligned pair',
    exception: 'INVALID_ADDR',
    broken: load('ld64', DATA + 4),
    legal: load('ld64', DATA + 8),
  },
  {
    name: 'a misaligned halfword',
    exception: 'INVALID_ADDR',
    broken: load('ldz16', DATA + 1),
    legal: load('ldz8', DATA + 1),
  },
  {
    name: 'an address above memory',
    exception: 'INVALID_ADDR',
    broken: load('ld32', 0xe8000),
    legal: load('ld32', 0xe7ffc),
  },
  {
    name: 'an address below memory',
    exception: 'INVALID_ADDR',
    broken: load('ld32', 0x4bffc),
    legal: load('ld32', 0x4c000),
  },
  {
    name: '128 bits in region 0',
    exception: 'INVALID_ADDR',
    broken: load('ld128', 0x7fff0),
    legal: load('ld128', INTERLEAVED),
  },
  {
    name: 'two accesses to one element of region 0',
    exception: 'CONFLICT',
    broken: pacedPair(0x70000, 0x73ff8),
    legal: pacedPair(0x70000, 0x74000),
  },
  {
    name: 'two accesses to one bank of an interleaved pair',
    exception: 'CONFLICT',
    broken: pacedPair(INTERLEAVED, INTERLEAVED + 0x7ff0),
    legal: pacedPair(INTERLEAVED, INTERLEAVED + 0x7ff8),
  },
  {
    name: 'three accesses, two of them to one bank',
    exception: 'CONFLICT',
    broken: pacedTriple(0x70000, INTERLEAVED + 8, INTERLEAVED + 0x100 + 8),
    legal: pacedTriple(0x70000, INTERLEAVED + 8, INTERLEAVED + 0x100),
  },
  {
    name: 'one pair as both destinations',
    exception: 'INVALID_OP',
    broken: workers((program) => {
      addresses(0x70000, 0x74000, 0x78000)(program);
      program.op('ld2x64pace', pair(a(0)), pair(a(0)), step(pair(m(2))), ZERO, 0);
    }),
    legal: workers((program) => {
      addresses(0x70000, 0x74000, 0x78000)(program);
      program.op('ld2x64pace', pair(a(0)), pair(a(2)), step(pair(m(2))), ZERO, 0);
    }),
  },
  {
    name: 'one register written by both halves of a bundle',
    exception: 'INVALID_OP',
    broken: workers((program) =>
      program
        .op('setzi', m(0), DATA)
        .op('nop')
        .bundle(['ld32', a(1), m(0), ZERO, 0], ['setzi', a(1), 0]),
    ),
    legal: workers((program) =>
      program
        .op('setzi', m(0), DATA)
        .op('nop')
        .bundle(['ld32', a(1), m(0), ZERO, 0], ['setzi', a(2), 0]),
    ),
  },
  {
    name: 'a control register that does not exist',
    exception: 'INVALID_OP',
    broken: supervisor((program) => program.op('get', m(0), 0x27)),
    legal: supervisor((program) => program.op('get', m(0), 0x26)),
  },
  {
    name: 'a trap with an even operand',
    exception: 'PBRK0',
    broken: supervisor((program) => program.op('trap', 0)),
    legal: supervisor((program) => program.op('nop')),
  },
  {
    name: 'a trap with an odd operand',
    exception: 'PBRK1',
    broken: workers((program) => program.op('trap', 1)),
    legal: workers((program) => program.op('nop')),
  },
  {
    name: 'a supervisor instruction at the instruction breakpoint',
    exception: 'IBRK',
    broken: supervisor((program) =>
      program
        .op('setzi', m(0), 'here')
        .op('put', CSR.DBG_IBRK0_PC, m(0))
        .op('setzi', m(0), 1)
        .op('put', CSR.DBG_IBRK0_CTL, m(0))
        .label('here')
        .op('nop'),
    ),
    legal: supervisor((program) =>
      program
        .op('setzi', m(0), 'here')
        .op('put', CSR.DBG_IBRK0_PC, m(0))
        .op('setzi', m(0), 2)
        .op('put', CSR.DBG_IBRK0_CTL, m(0))
        .label('here')
        .op('nop'),
    ),
  },
  {
    name: 'a worker instruction at the instruction breakpoint',
    exception: 'IBRK',
    broken: breakpoint(2, (program) => program.op('nop').label('here').op('nop')),
    legal: breakpoint(1, (program) => program.op('nop').label('here').op('nop')),
  },
  {
    name: 'a bundle at the instruction breakpoint, all workers busy',
    exception: 'IBRK',
    broken: breakpoint(2, (program) => program.op('fnop').op('rpt', 9, 0).label('here').bundle(NOP, FNOP)),
    legal: breakpoint(0, (program) => program.op('fnop').op('rpt', 9, 0).label('here').bundle(NOP, FNOP)),
  },
  {
    name: 'a sync while breaks on sync are asked for',
    exception: 'BOS',
    broken: supervisor((program) =>
      program.op('setzi', m(0), 32).op('put', CSR.DBG_ECSR, m(0)).op('sync', 2),
    ),
    legal: supervisor((program) =>
      program.op('setzi', m(0), 32).op('put', CSR.DBG_ECSR, m(0)).op('put', CSR.DBG_ECSR, ZERO).op('sync', 2),
    ),
  },
  {
    name: 'a launch while a worker runs',
    exception: /RAERR/,
    broken: supervisor((program) => {
      program.op('setzi', m(0), 'worker').op('setzi', m(1), RESULT).op('run', m(0), ZERO, 0);
      program.op('runall', m(0), m(1), 0).op('sync', 2);
      const back = program.address;
      program.origin(WORKER_CODE).label('worker');
      for (let index = 0; index < 20; index++) program.op('nop');
      program.op(...EXIT).origin(back);
    }),
    legal: workers(() => {}),
  },
];

it.each(PAIRS)('$name raises $exception, its neighbour runs', async ({ broken, legal, exception }) => {
  const error = await faultOf(broken);
  expect(error.verdict).toBe('device-fault');
  if (typeof exception === 'string') expect(error.facts.exception).toBe(exception);
  else expect(error.facts.exception).toMatch(exception);
  await runTiles([legal], { cycleLimit: 100_000 });
});

it('a fault names tile, context, pc, instruction and registers', async () => {
  const program = workers((code) => code.op('setzi', m(5), 0x123).op('ld32', m(1), m(5), ZERO, 0));
  const error = await faultOf(program);
  expect(error.tile).toBe(logicalTileOf(physicalTile(3)));
  expect(error.facts).toMatchObject({
    physicalTile: 3,
    code: 8,
    context: expect.stringMatching(/^worker [0-5]$/),
    pc: '0x50004',
    instruction: 'ld32 $m1, $m5, $m15, 0',
    detail: '0x123',
  });
  expect(error.facts.registers).toContain('m5=0x123');
  expect(error.message).toContain('ld32 $m1, $m5, $m15, 0');
});

it('a supervisor fault names the instruction that raised it, not the next', async () => {
  const error = await faultOf(
    supervisor((program) => program.op('setzi', m(5), 2).op('ld32', m(1), m(5), ZERO, 0)),
  );
  expect(error.facts).toMatchObject({ context: 'supervisor', pc: '0x4c018', exception: 'INVALID_ADDR' });
});

it('tiles that wait at different barriers are a deadlock', async () => {
  const error = await runTiles([
    tileProgram(0, (program) => program.op('sync', 3)),
    tileProgram(2, () => {}),
  ]).catch((caught) => caught);
  expect(error).toBeInstanceOf(DeviceError);
  expect(error.message).toMatch(
    /deadlock: 1 tiles wait at the internal barrier .*; 1 tiles wait at the host/,
  );
  expect(error.verdict).toBe('device-fault');
});

it('a loop without end stops at the cycle limit, also when workers do not come back', async () => {
  for (const program of [
    supervisor((code) => code.label('loop').op('bri', 'loop')),
    workers((code) => code.op('bri', 'worker')),
    supervisor((code) => code.label('loop').op('sync', 3).op('bri', 'loop')),
  ]) {
    const error = await faultOf(program);
    expect(error.verdict).toBe('infra-error');
    expect(error.message).toMatch(/passed the limit of cycle 1\d{5} at pc 0x/);
  }
});

it('a stopped program cannot be called again, its memory can be read', async () => {
  const device = new SimulatedIpu21();
  await device.load(
    handPackage([supervisor((program) => program.data(DATA, Uint32Array.of(9)).op('trap', 0))]),
  );
  await expect(device.call('run', new Map())).rejects.toThrow(/PBRK0/);
  await expect(device.call('run', new Map())).rejects.toMatchObject({ verdict: 'infra-error' });
  expect([...device.readTile(3, DATA, 1)]).toEqual([9]);
});
