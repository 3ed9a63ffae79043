import { spansOf } from './bench.ts';
import { ALL_HALVES, ALL_QUARTERS, LATTICE, packed } from './operands.ts';
import type { Batch } from './prove.ts';
import { ELEMENT_BITS, type Row } from './row.ts';
import type { ArithmeticForm } from './rows.ts';

const ROUNDS = 4096;

/** Batches that put every code of a list in every element of the one source of a form. */
export function everywhere(form: ArithmeticForm, row: Row, codes: ArrayLike<number>): Batch[] {
  const [span] = spansOf(form).sources;
  const bits = ELEMENT_BITS[row.sources[0]];
  const lanes = (32 * span) / bits;
  const batches: Batch[] = [];
  for (let turn = 0; turn < lanes; turn++) {
    const turned = Array.from({ length: codes.length }, (_, at) => codes[(at + turn) % codes.length]);
    while (turned.length % lanes !== 0) turned.push(codes[0]);
    const words = packed(turned, bits);
    for (let from = 0; from < words.length; from += ROUNDS * span) {
      const part = words.subarray(from, from + ROUNDS * span);
      batches.push({ sources: [part], rounds: part.length / span });
    }
  }
  return batches;
}

/** All codes of the source's width. */
export function allCodes(row: Row): ArrayLike<number> {
  return ELEMENT_BITS[row.sources[0]] === 8 ? ALL_QUARTERS : ALL_HALVES;
}

/** f32 codes at, beside and halfway between f16 numbers, one in `step` of them, and around the ends of their range. */
export function aroundHalves(step: number): Uint32Array {
  const view = new DataView(new ArrayBuffer(4));
  const codes: number[] = [];
  const put = (value: number) => {
    view.setFloat32(0, value);
    const code = view.getUint32(0);
    for (const near of [-1, 0, 1]) codes.push((code + near) >>> 0);
  };
  for (let code = 0; code < 0x7c00; code += step) {
    const unit = 2 ** (Math.max(1, code >> 10) - 25);
    const value = (code < 0x400 ? code : 0x400 + (code & 0x3ff)) * unit;
    for (const sign of [1, -1]) {
      put(sign * value);
      put(sign * (value + unit / 2));
    }
  }
  for (const value of [
    65_504,
    65_519,
    65_520,
    65_535,
    65_536,
    1e6,
    3e38,
    2 ** -24,
    2 ** -25,
    2 ** -26,
    2 ** -126,
  ])
    for (const sign of [1, -1]) put(sign * value);
  codes.push(0x7f800000, 0xff800000, 0x7f800001, 0xffffffff, 0x80000001);
  return Uint32Array.from(codes);
}

/** Words (x, y) of every pair of some patterns with the lattice, for sums and maxima of neighbours. */
export function neighbourPairs(form: ArithmeticForm, patterns: readonly number[]): Batch[] {
  const [span] = spansOf(form).sources;
  return patterns.map((pattern) => ({
    sources: [Uint32Array.from(LATTICE, (code) => (pattern | (code << 16)) >>> 0)],
    rounds: LATTICE.length / span,
  }));
}
