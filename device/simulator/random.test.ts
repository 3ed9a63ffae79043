import { expect, it } from 'vitest';
import { DeviceError } from '../device.ts';
import { COISSUE_BIT, decode, FORMS, SRAM_BASE, SRAM_BYTES } from '../ipu21/index.ts';
import { Chip } from './chip.ts';
import { CHOICES } from './choices.ts';
import { EngineHost } from './host.ts';
import { opcodeOf } from './opcodes.ts';
import { RESULT, WORKER_CODE } from './testing/run.ts';
import { singleThread } from './threads.ts';
import { ChipMemory } from './tileMemory.ts';
import { STATE } from './tileState.ts';

/** Small generator with a period of 2^32; the same programs on every machine. */
function generator(seed: number) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let word = state;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return (word ^ (word >>> 16)) >>> 0;
  };
}

/** A word of some form with random fields: most random words are no instruction at all. */
function instructionWord(next: () => number, forms: typeof FORMS): number {
  const form = forms[next() % forms.length];
  return (form.match | (next() & ~form.mask)) >>> 0;
}

const WORKER_FORMS = FORMS.filter((form) => form.mode !== 'supervisor' && form.words === 1);
const MAIN_FORMS = WORKER_FORMS.filter((form) => form.pipe === 'main');
const AUX_FORMS = WORKER_FORMS.filter((form) => form.pipe === 'aux');
const SUPERVISOR_FORMS = FORMS.filter((form) => form.mode !== 'worker' && form.words === 1);

const EXCHANGE_FORMS = FORMS.filter((form) => /^(delay|send)/.test(form.mnemonic) && form.words === 1);

const CODE = 0x4c010;
const PROGRAM_WORDS = 24;
const CYCLE_LIMIT = 6000;

/** `FUZZ=n` runs n times as many programs. */
const FUZZ = Number(process.env.FUZZ ?? 1);

const TILE = 5;
const NEIGHBOURS = [4, 6];
const SYNC_INTERNAL = 0x41800003;
const SYNC_HOST = 0x41800007;

/** A tile between two idle ones, without a package around it; a program costs microseconds. */
class Machine {
  readonly outcomes = new Map<string, number>();
  readonly #memory = new ChipMemory([4, TILE, 6]);
  readonly #next: () => number;

  constructor(next: () => number, neighbourCode: readonly number[] = [SYNC_HOST]) {
    this.#next = next;
    for (const tile of NEIGHBOURS) this.#write(tile, CODE, neighbourCode);
  }

  /** Runs supervisor code, and worker code at WORKER_CODE, with plausible values in the registers. */
  run(supervisor: readonly number[], worker: readonly number[]): void {
    const memory = this.#memory;
    const next = this.#next;
    for (const tile of memory.tiles) {
      const base = memory.base(tile);
      memory.bytes.fill(0, base + STATE.time, base + STATE.sendList);
    }
    const plausible = () =>
      [0, 1, 6, 0x4c000, 0x60000 + (next() & 0x7ff8), 0x80000 + (next() & 0x67ff0), next(), 0x7fff8][
        next() & 7
      ];
    for (let context = 0; context < 7; context++) {
      const place = context === 0 ? STATE.supervisor : STATE.workers + (context - 1) * STATE.workerBytes;
      for (let register = 0; register < 12; register++)
        memory.setU32(TILE, place + 16 + 4 * register, plausible() >>> 0);
      for (let register = 0; register < 14 && context > 0; register++)
        memory.setU32(TILE, place + 80 + 4 * register, next());
    }
    memory.setU32(TILE, STATE.supervisor + 16, WORKER_CODE);
    memory.setU32(TILE, STATE.supervisor + 20, RESULT);
    this.#write(TILE, CODE, supervisor);
    this.#write(TILE, WORKER_CODE, worker);
    const chip = new Chip(memory, singleThread(memory.host, memory));
    chip.start(new Map(memory.tiles.map((tile) => [tile, CODE])));
    const outcome = outcomeOf(() => chip.runToHost(CYCLE_LIMIT));
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  /** Bytes of the neighbours' memory that are not as they were. */
  strayBytes(): number {
    let stray = 0;
    for (const tile of NEIGHBOURS) {
      const words = new Uint16Array(this.#memory.sram(tile, SRAM_BASE, SRAM_BYTES).slice().buffer);
      const code = (CODE - SRAM_BASE) / 2;
      words.forEach((word, index) => {
        if (word !== CHOICES.SRAM_POISON.value && (index < code || index >= code + 4)) stray++;
      });
    }
    return stray;
  }

  close(): void {
    this.#memory.host.release();
  }

  #write(tile: number, address: number, words: readonly number[]): void {
    this.#memory.sram(tile, address, 4 * words.length).set(new Uint8Array(Uint32Array.from(words).buffer));
  }
}

/** How a run ended. Anything but a DeviceError is passed on and fails the test. */
function outcomeOf(run: () => void): string {
  try {
    run();
    return 'host';
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    if (error.facts.exception !== undefined) return String(error.facts.exception);
    return error.facts.cycleLimit === undefined ? 'deadlock' : 'limit';
  }
}

/** An exchange word as it is, with a short count, a tile of this machine as source, an address in memory. */
function tamed(word: number, next: () => number): number {
  const keep = (mask: number, rest: number) => ((word & mask) | rest) >>> 0;
  switch (formOfWord(word)) {
    case 'delay':
      return keep(0xfff800ff, 0);
    case 'delayxpic':
      return keep(0xfc1fc000, 4 + (next() % 3));
    case 'delaypic':
      return keep(0xfff80000, 0x18000 + (next() & 0xfff));
    case 'send':
      return keep(0xffe00000, (0x1c000 + (next() & 0xff)) * 8 + 1 + (next() % 3));
    case 'sendoff':
      return keep(0xffe00000, 1 + (next() % 3));
    case 'sendpic':
      return keep(
        0xffe00000 | 0x100000,
        next() % 2 === 0 ? 4 + (next() % 3) : 0x80000 + 0x18000 + (next() & 0xfff),
      );
    default:
      return word;
  }
}

const formOfWord = (word: number) => decode(word)?.form.mnemonic;

const RUNALL = 0x15001000; // runall m0, m1, 0
const SYNC_LOCAL = 0x41800002;
const EXITZ = 0x43004000 | (15 << 20);

it(
  '20,000 random supervisor programs end in a typed error, a limit or the host barrier',
  () => {
    const next = generator(1);
    const machine = new Machine(next);
    for (let program = 0; program < 20_000 * FUZZ; program++) {
      const supervisor = Array.from({ length: PROGRAM_WORDS }, () =>
        next() % 16 === 0 ? next() : instructionWord(next, SUPERVISOR_FORMS),
      );
      supervisor.push(SYNC_HOST);
      machine.run(supervisor, [EXITZ]);
    }
    expect(machine.strayBytes()).toBe(0);
    machine.close();
    // The programs reach far enough to meet every kind of end.
    for (const end of ['INVALID_INSTR', 'INVALID_ADDR', 'INVALID_PC', 'PBRK0', 'host', 'limit', 'deadlock'])
      expect(machine.outcomes.get(end), end).toBeGreaterThan(10);
  },
  60_000 * FUZZ,
);

it(
  '5,000 random exchange rows end in a typed error or the host barrier',
  () => {
    const next = generator(4);
    const machine = new Machine(next, [SYNC_INTERNAL, SYNC_HOST]);
    for (let program = 0; program < 5000 * FUZZ; program++) {
      const row = Array.from({ length: 12 }, () => tamed(instructionWord(next, EXCHANGE_FORMS), next));
      row.unshift(tamed(0x78000000, next));
      machine.run([SYNC_INTERNAL, ...row, SYNC_HOST], [EXITZ]);
    }
    expect(machine.strayBytes()).toBe(0);
    machine.close();
    for (const end of ['host', 'EXERR']) expect(machine.outcomes.get(end), end).toBeGreaterThan(10);
  },
  60_000 * FUZZ,
);

it(
  '20,000 random worker programs, singles and bundles, end in a typed error or the host barrier',
  () => {
    const next = generator(2);
    const machine = new Machine(next);
    for (let program = 0; program < 20_000 * FUZZ; program++) {
      const worker: number[] = [];
      while (worker.length < PROGRAM_WORDS) {
        const kind = next() % 16;
        if (kind === 0) worker.push(next());
        else if (kind < 4) worker.push(instructionWord(next, WORKER_FORMS));
        else {
          if (worker.length % 2 === 1) worker.push(instructionWord(next, MAIN_FORMS));
          worker.push(
            (instructionWord(next, MAIN_FORMS) | COISSUE_BIT) >>> 0,
            instructionWord(next, AUX_FORMS),
          );
        }
      }
      worker.push(EXITZ);
      machine.run([RUNALL, SYNC_LOCAL, SYNC_HOST], worker);
    }
    expect(machine.strayBytes()).toBe(0);
    machine.close();
    for (const end of ['INVALID_INSTR', 'INVALID_ADDR', 'INVALID_PC', 'INVALID_OP', 'host'])
      expect(machine.outcomes.get(end), end).toBeGreaterThan(10);
  },
  60_000 * FUZZ,
);

it('the engine decodes every word as the disassembler does', () => {
  const host = EngineHost.acquire(0);
  const next = generator(3);
  const words = Array.from({ length: 300_000 }, (_, index) =>
    index % 3 === 0 ? next() : instructionWord(next, FORMS),
  );
  const wrong = words.filter((word) => {
    const form = decode(word)?.form;
    return host.engine.opcodeAt(word) !== (form === undefined ? 0 : opcodeOf(form));
  });
  host.release();
  expect(wrong.map((word) => word.toString(16)).slice(0, 10)).toEqual([]);
});
