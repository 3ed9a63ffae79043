import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DeviceError } from '../device.ts';
import {
  a,
  FORMS,
  type Form,
  type FormId,
  m,
  pair,
  SRAM_BASE,
  SRAM_BYTES,
  SYNC,
  step,
} from '../ipu21/index.ts';
import { type HandInstruction, type HandProgram, handPackage } from './handProgram.ts';
import { SimulatedIpu21, type SimulatorOptions } from './index.ts';
import { INTERLEAVED, launchAll, RESULT, tileProgram, WORKER_CODE, ZERO } from './testing/run.ts';

/**
 * The same program on every path of the simulator: with fast paths on one, two and three host threads, and issue by
 * issue without them. Memory, cycles, retired instructions and the report of a fault must be the same.
 * `FUZZ=100` runs a hundred times as many programs.
 */
const PROGRAMS = 60 * Number(process.env.FUZZ ?? 1);
const TILES = [0, 3, 64, 707];
const TRIPLE = pair(m(4));

/** Forms of one pipe that touch neither memory nor control flow. */
const plain = (pipe: Form['pipe']): readonly Form<FormId>[] =>
  FORMS.filter(
    (form) =>
      form.pipe === pipe &&
      form.words === 1 &&
      form.mode !== 'supervisor' &&
      !form.solo &&
      !/^(ld|st|br|call|exit|rpt|put|get|uput|uget|trap|tapack|run|urand|f16v2grand|f32v2grand|atom)/.test(
        form.mnemonic,
      ) &&
      form.operands.every((slot) => slot.kind === 'register' || slot.bits < 13),
  );
const MAIN = plain('main');
const AUX = plain('aux');

/** An instruction of a form with operands drawn from a few numbers; destinations stay clear of the pointers. */
function filled(form: Form<FormId>, draws: readonly number[]): HandInstruction {
  return [
    form.id,
    ...form.operands.map((slot, index) => {
      const draw = draws[index % draws.length] + 7 * index;
      if (slot.kind === 'immediate')
        return ['zimm', 'flags', 'strides', 'simm'].includes(slot.type) ? draw % 4 : 0;
      const highest = slot.file === 'm' ? 4 : 8;
      const number = (draw % (highest / slot.span)) * slot.span;
      return {
        file: slot.file,
        index: number,
        span: slot.span,
        ...(slot.broadcast === undefined ? {} : { broadcast: slot.broadcast }),
        ...(slot.mark === undefined ? {} : { mark: slot.mark }),
      };
    }),
  ];
}

type Bundle = readonly [main: HandInstruction, aux: HandInstruction];
const draws = fc.array(fc.nat(63), { minLength: 3, maxLength: 3 });
const amp = (to: number, phase: number): HandInstruction => [
  'f16v4hihov4amp',
  pair(a(to)),
  pair(a(0)),
  pair(a(2)),
  phase,
];

const bundle: fc.Arbitrary<Bundle> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom(...MAIN), draws, fc.constantFrom(...AUX), draws)
      .map(([x, dx, y, dy]): Bundle => [filled(x, dx), filled(y, dy)]),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(...AUX), draws)
      .map(([y, dy]): Bundle => [['st64step', pair(a(6)), ZERO, step(m(9)), 1], filled(y, dy)]),
  },
  {
    weight: 16,
    arbitrary: fc
      .tuple(fc.nat(3), fc.constantFrom(4, 6))
      .map(
        ([phase, to]): Bundle => [
          ['ld2xst64pace', { ...a(0), span: 4 as const }, pair(a(to)), step(TRIPLE), ZERO, 0],
          amp(to, phase),
        ],
      ),
  },
  {
    weight: 12,
    arbitrary: fc
      .nat(3)
      .map((phase): Bundle => [['ldst64pace', pair(a(0)), pair(a(4)), step(TRIPLE), ZERO, 0], amp(4, phase)]),
  },
  { weight: 1, arbitrary: fc.constant<Bundle>([['st32', m(8), m(8), ZERO, 0], ['fnop']]) },
  {
    weight: 4,
    arbitrary: fc.nat(3).map(
      (register): Bundle => [
        ['add', m(register), m(register), 3],
        ['f32exp', a(0), a(1)],
      ],
    ),
  },
);

/** Blocks of a worker's program: bundles run once, by a repeat, or by a counted branch. */
const block = fc.record({
  kind: fc.constantFrom('once', 'repeat', 'branch'),
  count: fc.integer({ min: 1, max: 9 }),
  body: fc.array(bundle, { minLength: 1, maxLength: 5 }),
});
type Block = typeof block extends fc.Arbitrary<infer T> ? T : never;

function worker(program: HandProgram, blocks: readonly Block[]): void {
  program.origin(WORKER_CODE).label('worker');
  program.op('get', m(7), 1).op('and', m(7), m(7), 7).op('shl', m(7), m(7), 10);
  program.op('setzi', m(4), INTERLEAVED).op('add', m(4), m(4), m(7));
  program.op('setzi', m(6), 0x90008).op('add', m(6), m(6), m(7));
  program.op('setzi', m(11), 0xa0000).op('add', m(11), m(11), m(7));
  program.op('setzi', m(11), 0xa0000).op('add', m(11), m(11), m(7));
  program.op('setzi', m(9), RESULT).op('add', m(9), m(9), m(7));
  // m8 points into the worker's own code: a store there changes what runs next.
  program.op('setzi', m(8), 'patched').op('tapack', TRIPLE, m(4), m(6), m(11));
  blocks.forEach(({ kind, count, body }, index) => {
    program.align(8);
    if (kind === 'branch') program.op('setzi', m(10), count).op('nop').label(`again${index}`);
    if (kind === 'repeat') program.op('nop').op('rpt', count, body.length - 1);
    for (const [main, aux] of body) program.bundle(main, aux);
    if (kind === 'branch') program.op('brnzdec', m(10), `again${index}`);
  });
  program.align(8).label('patched').op('nop').op('exitz', ZERO);
}

interface End {
  readonly said: string;
  readonly memory: string;
}

async function run(bytes: Uint8Array, options: SimulatorOptions): Promise<End> {
  const device = new SimulatedIpu21({ cycleLimit: 200_000, ...options });
  let said: string;
  try {
    await device.load(bytes);
    const { cycles, instructions } = await device.call('run', new Map());
    said = `${cycles} cycles, ${instructions} instructions`;
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    said = `${error.message} ${JSON.stringify(error.facts)}`;
  }
  const hash = createHash('sha256');
  for (const tile of TILES) hash.update(device.readTile(tile, SRAM_BASE, SRAM_BYTES));
  await device.close();
  return { said, memory: hash.digest('hex') };
}

it('every path of the simulator gives the same memory, cycles and faults', async () => {
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(block, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 4 }),
      async (programs) => {
        const bytes = handPackage(
          TILES.map((tile, index) =>
            tileProgram(tile, (program) => {
              program.op('setzi', m(0), 5);
              launchAll(program, RESULT, 64);
              const back = program.address;
              worker(program, programs[index]);
              program.origin(back).op('sans', 0).op('sync', SYNC.nonParticipation);
            }),
          ),
        );
        const expected = await run(bytes, {});
        for (const threads of [2, 3]) expect(await run(bytes, { threads })).toEqual(expected);
        for (const physicalTile of [TILES[0], TILES[3]])
          expect(await run(bytes, { trace: { physicalTile, onIssue: () => {} } })).toEqual(expected);
        const end = /INVALID_\w+|CONFLICT|cycles, /.exec(expected.said)?.[0] ?? 'other';
        ends.set(end, (ends.get(end) ?? 0) + 1);
      },
    ),
    { numRuns: PROGRAMS, seed: 20_261_201 },
  );
  // Programs that run to their end and programs that fault, both.
  console.log(ends);
  expect(ends.get('cycles, ')).toBeGreaterThan(PROGRAMS / 10);
}, 3_600_000);
