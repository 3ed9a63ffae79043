import { describe, expect, it } from 'vitest';
import { geluError, geluTanh } from './gelu.ts';
import { decodeHalf, encodeHalf, halfSpacing } from './half.ts';

const round = (value: number): number => decodeHalf(encodeHalf(value));
const [A, B] = [0.7978515625, 0.035675048828125];

/** The nearest f16 number, or the next one on a given side: less than a unit in the last place off. */
function neighbour(value: number, side: number): number {
  const nearest = round(value);
  if (side === 0 || (nearest - value) * side >= 0) return nearest;
  return round(nearest + side * 2 * halfSpacing(Math.abs(nearest)));
}

/** The declared steps in f16, the tanh the neighbour on a side of the exact one. */
function emulated(x: number, side = 0): number {
  const u = round(x * x);
  const v = round(u * x);
  const p = round(Math.fround(Math.fround(A * x) + Math.fround(B * v)));
  const t = neighbour(Math.tanh(p), side);
  return round(round(0.5 * x) * round(1 + t));
}

const FINITE = Array.from({ length: 65_536 }, (_, code) => decodeHalf(code)).filter(Number.isFinite);

describe('GeLU', () => {
  it('has known values', () => {
    expect(geluTanh(0)).toBe(0);
    expect(geluTanh(1)).toBeCloseTo(0.841192, 6);
    expect(geluTanh(-1)).toBeCloseTo(-0.158808, 6);
    expect(geluTanh(100)).toBe(100);
    expect(geluTanh(-100)).toBeCloseTo(0, 12);
  });

  it.each([0, 1, -1])('the bound covers the f16 steps for every f16, tanh on side %i', (side) => {
    let worst = 0;
    for (const x of FINITE) {
      const error = Math.abs(emulated(x, side) - geluTanh(x));
      const bound = geluError(x, 0, 1);
      expect(error <= bound, `x = ${x}: ${error} beyond ${bound}`).toBe(true);
      if (bound > 0) worst = Math.max(worst, error / bound);
    }
    // A bound that is never half used would hide defects.
    expect(worst).toBeGreaterThan(0.4);
  });

  it('the bound covers an argument that is off', () => {
    for (const x of [-5, -2.5, -0.7, 0, 0.3, 1.4, 3, 8, 40])
      for (const slack of [2 ** -10, 0.01, 0.3])
        for (const sign of [-1, 1]) {
          const error = Math.abs(emulated(round(x + sign * slack * 0.999)) - geluTanh(x));
          expect(error).toBeLessThanOrEqual(geluError(x, slack + halfSpacing(Math.abs(x) + slack), 1));
        }
  });

  it('the erf form, a forgotten factor and the other constant are outside', () => {
    const outside = (wrong: (x: number) => number) =>
      FINITE.filter((x) => Math.abs(x) < 6 && !(Math.abs(wrong(x) - geluTanh(x)) <= geluError(x, 0, 1)))
        .length;
    expect(outside((x) => x * 0.5 * (1 + Math.tanh(x)))).toBeGreaterThan(1000);
    expect(outside((x) => 2 * geluTanh(x))).toBeGreaterThan(1000);
    expect(outside((x) => 0.5 * x * (1 + Math.tanh(A * (x + 0.0447 * x ** 2))))).toBeGreaterThan(1000);
  });
});
