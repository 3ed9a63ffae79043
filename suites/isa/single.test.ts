import { describe, expect, it } from 'vitest';
import { a } from '../../device/ipu21/index.ts';
import { deriveSeed } from '../../harness/case/index.ts';
import { wordStream } from '../../harness/fill/index.ts';
import { STREAM_WORDS, type StreamCode, stream } from './stream.ts';

/** Operand pairs per operation; `ISA_PROOF=full` takes a million. */
const COUNT = process.env.ISA_PROOF === 'full' ? 1_000_000 : 60_000;

/** Where f32 changes its behaviour. */
const EDGES = [
  0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001,
  0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x4b800000, 0x4b7fffff, 0x4effffff, 0x4f000000,
  0x4f7fffff, 0x3f000000, 0x3effffff, 0x40490fdb, 0x33800000, 0x00400000,
] as const;

const view = new DataView(new ArrayBuffer(4));
const single = (word: number): number => {
  view.setUint32(0, word);
  return view.getFloat32(0);
};
const wordOf = (value: number): number => {
  view.setFloat32(0, value);
  return view.getUint32(0);
};
const same = (word: number, value: number): boolean =>
  Number.isNaN(value) ? Number.isNaN(single(word)) : word === wordOf(value);

/** Edges against edges, then words whose exponents lie close together, so that sums and ties happen. */
function operands(name: string): { x: Uint32Array; y: Uint32Array } {
  const words = wordStream(deriveSeed(`isa/f32/${name}`, 'operands'));
  const x = new Uint32Array(COUNT);
  const y = new Uint32Array(COUNT);
  for (let at = 0; at < COUNT; at++) {
    if (at < EDGES.length ** 2) {
      x[at] = EDGES[at % EDGES.length];
      y[at] = EDGES[Math.floor(at / EDGES.length)];
      continue;
    }
    const [first, second] = [words(2 * at), words(2 * at + 1)];
    x[at] = at % 8 === 0 ? first : ((first & 0x807fffff) | ((100 + (first >>> 27)) << 23)) >>> 0;
    y[at] = at % 8 === 0 ? second : ((second & 0x807fffff) | ((100 + (second >>> 27)) << 23)) >>> 0;
    if (at % 16 === 1) y[at] = EDGES[second % EDGES.length];
  }
  return { x, y };
}

const code = (mnemonic: string, paired: boolean): StreamCode => ({
  body: [paired ? [mnemonic, a(0), a(0), a(4)] : [mnemonic, a(0), a(0)]],
  inWords: 1,
  outWords: 1,
  out: 0,
});

async function counterexamples(
  mnemonic: string,
  paired: boolean,
  holds: (result: number, x: number, y: number) => boolean,
): Promise<string[]> {
  const { x, y } = operands(mnemonic);
  const wrong: string[] = [];
  for (let from = 0; from < COUNT; from += STREAM_WORDS) {
    const [left, right] = [x.subarray(from, from + STREAM_WORDS), y.subarray(from, from + STREAM_WORDS)];
    const result = await stream(code(mnemonic, paired), left, paired ? right : undefined);
    for (let at = 0; at < result.length && wrong.length < 5; at++)
      if (!holds(result[at], left[at], right[at]))
        wrong.push(
          `${mnemonic} 0x${left[at].toString(16)} 0x${right[at].toString(16)} = 0x${result[at].toString(16)}`,
        );
  }
  return wrong;
}

// Sums, differences, products, quotients and roots of f32 numbers rounded to f64 and then to f32 are rounded
// correctly: f64 has more than twice as many digits.
describe('f32 arithmetic against its definition, nearest even', () => {
  it.each([
    ['f32add', (x: number, y: number) => x + y],
    ['f32sub', (x: number, y: number) => x - y],
    ['f32mul', (x: number, y: number) => x * y],
    ['f32div', (x: number, y: number) => x / y],
    ['f32absadd', (x: number, y: number) => Math.abs(x) + Math.abs(y)],
  ])(
    '%s',
    async (mnemonic, operation) => {
      const holds = (result: number, x: number, y: number) =>
        same(result, Math.fround(operation(single(x), single(y))));
      expect(await counterexamples(mnemonic, true, holds)).toEqual([]);
    },
    600_000,
  );

  it('f32sqrt', async () => {
    const holds = (result: number, x: number) => same(result, Math.fround(Math.sqrt(single(x))));
    expect(await counterexamples('f32sqrt', false, holds)).toEqual([]);
  }, 600_000);

  it.each([
    ['f32cmpeq', (x: number, y: number) => x === y],
    ['f32cmpne', (x: number, y: number) => x !== y],
    ['f32cmpgt', (x: number, y: number) => x > y],
    ['f32cmpge', (x: number, y: number) => x >= y],
    ['f32cmplt', (x: number, y: number) => x < y],
    ['f32cmple', (x: number, y: number) => x <= y],
  ])(
    '%s',
    async (mnemonic, relation) => {
      const holds = (result: number, x: number, y: number) =>
        result === (relation(single(x), single(y)) ? 0xffffffff : 0);
      expect(await counterexamples(mnemonic, true, holds)).toEqual([]);
    },
    600_000,
  );

  it.each([
    ['f32max', Math.max],
    ['f32min', Math.min],
  ])(
    '%s gives one of its operands, the right one',
    async (mnemonic, choose) => {
      const holds = (result: number, x: number, y: number) => {
        const [left, right, value] = [single(x), single(y), single(result)];
        if (Number.isNaN(left) || Number.isNaN(right))
          return result === x || result === y || Number.isNaN(value);
        return (result === x || result === y) && value === choose(left, right);
      };
      expect(await counterexamples(mnemonic, true, holds)).toEqual([]);
    },
    600_000,
  );
});

describe('integers and f32', () => {
  it.each([
    ['f32fromi32', (word: number) => word | 0],
    ['f32fromui32', (word: number) => word >>> 0],
  ])(
    '%s',
    async (mnemonic, value) => {
      const holds = (result: number, x: number) => same(result, Math.fround(value(x)));
      expect(await counterexamples(mnemonic, false, holds)).toEqual([]);
    },
    600_000,
  );

  it('f32toi32 inside the range, nearest even', async () => {
    const holds = (result: number, x: number) => {
      const value = single(x);
      if (!(Math.abs(value) < 2 ** 31)) return true;
      const floor = Math.floor(value);
      const rest = value - floor;
      const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
      return (result | 0) === rounded;
    };
    expect(await counterexamples('f32toi32', false, holds)).toEqual([]);
  }, 600_000);
});
