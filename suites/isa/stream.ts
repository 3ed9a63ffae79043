import { a, CSR, csrOperand, m, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import type { HandInstruction, HandProgram } from '../../device/simulator/handProgram.ts';
import { launchAll, runTiles, tileProgram, ZERO } from '../../device/simulator/testing/run.ts';

/** Where streams live: inputs and results in interleaved memory, code and tables below. */
const FIRST = 0x80000;
const SECOND = 0xa2000;
const RESULT = 0xc4000;
const CODE = 0x50000;
const TABLE = 0x60000;
/** Most words of one stream. */
export const STREAM_WORDS = 0x22000 / 4;

/** A piece of worker code: takes words in a0.. (and a4..), leaves words in registers from `out` on. */
export interface StreamCode {
  readonly body: readonly HandInstruction[];
  /** Words of each input taken per round, at most 4; and of the result left per round. */
  readonly inWords: number;
  readonly outWords: number;
  readonly out: number;
  /** FP_CTL of the workers, and further registers of the upper half by index. */
  readonly control?: number;
  readonly registers?: Readonly<Record<number, number>>;
}

/**
 * Runs real instruction words over streams of operands on one simulated tile, all six workers sharing the rounds.
 * Gives the words of the results. The second stream is left out for operations of one operand.
 */
export async function stream(
  code: StreamCode,
  first: Uint32Array,
  second?: Uint32Array,
): Promise<Uint32Array> {
  const rounds = first.length / code.inWords;
  const share = Math.ceil(rounds / WORKER_COUNT);
  const table = new Uint32Array(WORKER_COUNT * 4);
  for (let worker = 0; worker < WORKER_COUNT; worker++) {
    const start = Math.min(rounds, worker * share);
    const count = Math.min(rounds, start + share) - start;
    table.set(
      [
        FIRST + 4 * start * code.inWords,
        SECOND + 4 * start * code.inWords,
        RESULT + 4 * start * code.outWords,
        (count - 1) >>> 0,
      ],
      4 * worker,
    );
  }
  const program = tileProgram(0, (tile) => {
    tile.op('setzi', m(3), (code.control ?? 0) >>> 12).op('shl', m(3), m(3), 12);
    tile.op('or', m(3), m(3), (code.control ?? 0) & 0xfff).op('put', CSR.FP_ICTL, m(3));
    launchAll(tile, TABLE, 16);
    const back = tile.address;
    workerCode(tile, code, second !== undefined);
    tile.origin(back);
    tile.data(TABLE, table).data(FIRST, first);
    if (second !== undefined) tile.data(SECOND, second);
  });
  const device = await runTiles([program], { cycleLimit: 500_000_000 });
  const bytes = device.readTile(0, RESULT, 4 * rounds * code.outWords);
  await device.close();
  return new Uint32Array(bytes.buffer, bytes.byteOffset, rounds * code.outWords);
}

function workerCode(tile: HandProgram, code: StreamCode, paired: boolean): void {
  tile.origin(CODE).label('worker');
  const [x, y, out, count] = [m(0), m(1), m(2), m(3)];
  for (const [index, register] of [x, y, out, count].entries()) tile.op('ld32', register, m(13), ZERO, index);
  tile.op('brneg', count, 'leave');
  for (const [index, value] of Object.entries(code.registers ?? {})) {
    tile.op('setzi', a(0), value).op('uput', csrOperand(Number(index)), a(0));
  }
  tile.label('again');
  for (let word = 0; word < code.inWords; word++) {
    tile.op('ld32step', a(word), ZERO, step(x), 1);
    if (paired) tile.op('ld32step', a(4 + word), ZERO, step(y), 1);
  }
  for (const instruction of code.body) tile.op(...instruction);
  for (let word = 0; word < code.outWords; word++)
    tile.op('st32step', a(code.out + word), ZERO, step(out), 1);
  tile.op('brnzdec', count, 'again').label('leave').op('exitz', ZERO);
}

/** Two f16 codes a word, the first in the lower half. */
export const packHalves = (codes: ArrayLike<number>): Uint32Array =>
  Uint32Array.from(
    { length: codes.length / 2 },
    (_, index) => (codes[2 * index] | (codes[2 * index + 1] << 16)) >>> 0,
  );

export const halvesOf = (words: Uint32Array): Uint16Array =>
  new Uint16Array(words.buffer, words.byteOffset, 2 * words.length);
