import {
  a,
  broadcast,
  broadcastLower,
  broadcastUpper,
  CSR,
  csrOperand,
  type FormId,
  formOf,
  GINA_CHAIN,
  m,
  type Operand,
  pair,
  quad,
  type RegisterOperand,
  SRAM_END,
  step,
  WORKER_COUNT,
} from '../../../device/ipu21/index.ts';
import type { HandInstruction, HandProgram } from '../../../device/simulator/handProgram.ts';
import { handPackage } from '../../../device/simulator/handProgram.ts';
import { SimulatedIpu21 } from '../../../device/simulator/index.ts';
import { FNOP, launchAll, NOP, tileProgram, ZERO } from '../../../device/simulator/testing/run.ts';

/** Worker code and the workers' lists of jobs on a tile. */
const CODE = 0x50000;
const TABLE = 0x51000;
/** Jobs one worker can have in one run, and the words of one. */
const JOBS = 180;
const JOB_WORDS = 12;
const TABLE_WORDS = JOBS * JOB_WORDS + 1;
/** Operands and results: everything behind the lists. */
const DATA = Math.ceil((TABLE + 4 * TABLE_WORDS * WORKER_COUNT) / 16) * 16;
/** Rounds of one repeat; REPEAT_COUNT has 16 bits [ISA]. */
export const MOST_ROUNDS = 0xffff;

/** First register of each source; results go to a6. A quad leaves a4 for nothing else. */
const SOURCE_REGISTERS = [0, 4] as const;
const RESULT_REGISTER = 6;

/** What runs in the loop: one instruction, and what it finds around it. */
export interface BenchCode {
  readonly form: FormId;
  /** Source that is loaded once before the loop instead of in every round. */
  readonly fixed?: number;
  /** Pairs of accumulators set before the instruction and read after it, from the bottom: 0 to 4. */
  readonly accumulators?: number;
  /** Immediate operand, where the form has one. */
  readonly immediate?: number;
}

/** Operands for `rounds` rounds of one worker. */
export interface Job {
  /** Words of each source: those of all rounds, or of one for the fixed source. */
  readonly sources: readonly Uint32Array[];
  /** f32 words of the accumulators, eight a round, of chain 0 from the bottom. */
  readonly before?: Uint32Array;
  readonly rounds: number;
  /** FP_CTL. */
  readonly control: number;
  readonly registers?: Registers;
}

/** Upper registers a job sets; the others are zero. */
export interface Registers {
  readonly format?: number;
  /** Signed exponent. */
  readonly scale?: number;
  readonly tas?: number;
  readonly seed?: number;
}

const registerOf = (index: number, span: number): RegisterOperand =>
  span === 4 ? quad(a(index)) : span === 2 ? pair(a(index)) : a(index);
const BROADCASTS = { B: broadcast, BL: broadcastLower, BU: broadcastUpper };

/** Operand spans of a form: 32-bit words of each source, and of the result (0 for none). */
export function spansOf(form: FormId): { sources: number[]; result: number } {
  const slots = formOf(form).operands.filter((slot) => slot.kind === 'register');
  return {
    sources: slots.filter((slot) => slot.access === 'read').map((slot) => slot.span),
    result: slots.find((slot) => slot.access === 'write')?.span ?? 0,
  };
}

function instruction({ form, immediate = 0 }: BenchCode): HandInstruction {
  let source = 0;
  const operands = formOf(form).operands.map((slot): Operand => {
    if (slot.kind === 'immediate') return immediate;
    if (slot.access === 'write') return registerOf(RESULT_REGISTER, slot.span);
    const register = registerOf(SOURCE_REGISTERS[source++], slot.span);
    return slot.broadcast === undefined ? register : BROADCASTS[slot.broadcast](register);
  });
  return [form, ...operands];
}

/** Accumulators in one pair of the chain, and pairs in the chain [ISA]. */
const CHAIN_PAIRS = 4;

/** Words of results per round. */
export const resultWords = (code: BenchCode): number =>
  spansOf(code.form).result + 2 * (code.accumulators ?? 0);

/**
 * Real instruction words on simulated tiles: every worker of every tile works through a list of jobs, each a hardware
 * repeat over operands in memory. The program is loaded once, operands are written into the tiles' memories.
 */
export class TileBench {
  readonly #device: SimulatedIpu21;
  readonly #code: BenchCode;
  readonly #tiles: number;

  private constructor(device: SimulatedIpu21, code: BenchCode, tiles: number) {
    this.#device = device;
    this.#code = code;
    this.#tiles = tiles;
  }

  static async open(code: BenchCode, tiles = 4): Promise<TileBench> {
    const programs = Array.from({ length: tiles }, (_, tile) =>
      tileProgram(tile, (program) => {
        launchAll(program, TABLE, 4 * TABLE_WORDS);
        const back = program.address;
        workerCode(program, code);
        program.origin(back).data(TABLE, new Uint32Array(0), 4 * TABLE_WORDS * WORKER_COUNT);
      }),
    );
    const device = new SimulatedIpu21({ cycleLimit: 2 ** 40 });
    await device.load(handPackage(programs));
    return new TileBench(device, code, tiles);
  }

  /** Result words of each job, in order. */
  async run(jobs: readonly Job[]): Promise<Uint32Array[]> {
    const results: Uint32Array[] = [];
    for (let from = 0; from < jobs.length; ) {
      const batch = this.#place(jobs, from);
      await this.#device.call('run', new Map());
      for (const { tile, address, words } of batch) {
        const bytes = this.#device.readTile(tile, address, 4 * words);
        results.push(new Uint32Array(bytes.buffer, bytes.byteOffset, words));
      }
      from += batch.length;
    }
    return results;
  }

  async close(): Promise<void> {
    await this.#device.close();
  }

  /** Writes operands and lists of as many jobs as fit from `from` on; where their results will be. */
  #place(jobs: readonly Job[], from: number): { tile: number; address: number; words: number }[] {
    const places: { tile: number; address: number; words: number }[] = [];
    let next = from;
    for (let tile = 0; tile < this.#tiles; tile++) {
      const lists: number[][] = Array.from({ length: WORKER_COUNT }, () => []);
      const written = new Map<Uint32Array, number>();
      let free = DATA;
      const take = (words: number): number => {
        const address = free;
        // 128-bit alignment serves every access.
        free += Math.ceil(words / 4) * 16;
        return address;
      };
      for (; next < jobs.length; next++) {
        const job = jobs[next];
        const list = lists[(next - from) % WORKER_COUNT];
        const inputs = [...job.sources, ...(job.before === undefined ? [] : [job.before])];
        const fresh = new Set(inputs.filter((words) => !written.has(words)));
        const words = job.rounds * resultWords(this.#code);
        let need = words;
        for (const input of fresh) need += input.length + 3;
        if (free + 4 * (need + 3) > SRAM_END || list.length === JOBS * JOB_WORDS) break;
        for (const input of fresh) {
          const address = take(input.length);
          this.#device.writeTile(
            tile,
            address,
            new Uint8Array(input.buffer, input.byteOffset, input.byteLength),
          );
          written.set(input, address);
        }
        const at = (input: Uint32Array | undefined) => (input === undefined ? 0 : (written.get(input) ?? 0));
        const address = take(words);
        const { format = 0, scale = 0, tas = 0, seed = 0 } = job.registers ?? {};
        list.push(job.rounds, job.control, format, scale & 63, tas, seed);
        list.push(at(job.sources[0]), at(job.sources[1]), at(job.before), address, 0, 0);
        places.push({ tile, address, words });
      }
      lists.forEach((list, worker) => {
        const bytes = new Uint8Array(Uint32Array.from([...list, 0]).buffer);
        this.#device.writeTile(tile, TABLE + 4 * TABLE_WORDS * worker, bytes);
      });
    }
    if (next === from) throw new RangeError('a job is larger than a tile');
    return places;
  }
}

const LIST = m(0);
const COUNT = m(1);
const POINTERS = [m(2), m(3)] as const;
const BEFORE = m(4);
const OUT = m(5);

function workerCode(program: HandProgram, code: BenchCode): void {
  const { sources, result } = spansOf(code.form);
  const load = (source: number): HandInstruction[] =>
    loads(SOURCE_REGISTERS[source], sources[source], POINTERS[source]);
  program.origin(CODE).label('worker').op('add', LIST, m(13), 0).label('next');
  program.op('ld32step', COUNT, ZERO, step(LIST), 1).op('brz', COUNT, 'leave');
  for (const register of [CSR.FP_CTL, CSR.FP_NFMT, CSR.FP_SCL, CSR.TAS, CSR.PRNG_SEED])
    program.op('ld32step', a(0), ZERO, step(LIST), 1).op('uput', csrOperand(register), a(0));
  for (const pointer of [...POINTERS, BEFORE, OUT]) program.op('ld32step', pointer, ZERO, step(LIST), 1);
  program.op('add', LIST, LIST, 8);
  if (code.fixed !== undefined) for (const one of load(code.fixed)) program.op(...one);

  const body: [HandInstruction, HandInstruction][] = [];
  const pairs = code.accumulators ?? 0;
  const chain = GINA_CHAIN.EVEN_SET0;
  const bottom = pair(a(RESULT_REGISTER));
  for (let index = 0; pairs > 0 && index < CHAIN_PAIRS; index++) {
    body.push([['ld64step', bottom, ZERO, step(BEFORE), 1], FNOP]);
    body.push([NOP, ['f32v2gina', pair(a(14)), bottom, chain]]);
  }
  sources.forEach((_, source) => {
    if (source !== code.fixed) for (const one of load(source)) body.push([one, FNOP]);
  });
  body.push([NOP, instruction(code)]);
  if (result === 1) body.push([['st32step', a(RESULT_REGISTER), ZERO, step(OUT), 1], FNOP]);
  if (result === 2) body.push([['st64step', bottom, ZERO, step(OUT), 1], FNOP]);
  for (let index = 0; index < pairs; index++) {
    body.push([NOP, ['f32v2gina', bottom, pair(a(14)), chain]]);
    // Behind a single word of result nothing is aligned to 64 bits.
    if (result === 1)
      for (const half of [0, 1])
        body.push([['st32step', a(RESULT_REGISTER + half), ZERO, step(OUT), 1], FNOP]);
    else body.push([['st64step', bottom, ZERO, step(OUT), 1], FNOP]);
  }
  program.align(8).bundle(['rpt', COUNT, body.length - 1], FNOP);
  for (const [main, aux] of body) program.bundle(main, aux);
  program.op('bri', 'next').label('leave').op('exitz', ZERO);
}

function loads(register: number, span: number, pointer: RegisterOperand): HandInstruction[] {
  if (span === 1) return [['ld32step', a(register), ZERO, step(pointer), 1]];
  return Array.from({ length: span / 2 }, (_, index) => [
    'ld64step',
    pair(a(register + 2 * index)),
    ZERO,
    step(pointer),
    1,
  ]);
}
