import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OracleError } from './errors.ts';
import { F143_VALUES, roundF143 } from './f8.ts';
import { decodeHalf, encodeHalf } from './half.ts';
import { parseLayersRounding } from './layers-rounding.ts';
import { layersReference } from './mlp.ts';

const layer = (inner: number, more = {}) => ({
  microK: 16,
  kPieces: [[0, inner]],
  partial: 'f16',
  reduce: 'f32-sum',
  bias: 'f16-add',
  activation: 'gelu-tanh-f16',
  out: { type: 'f16' },
  overflow: 'saturate',
  ...more,
});

describe('F143', () => {
  it('every code rounds to itself, every number to a neighbour', () => {
    for (const value of F143_VALUES) if (!Number.isNaN(value)) expect(roundF143(value)).toBe(value);
    const sorted = [...new Set(F143_VALUES)].filter((value) => !Number.isNaN(value)).sort((x, y) => x - y);
    fc.assert(
      fc.property(fc.double({ min: -300, max: 300, noNaN: true }), (value) => {
        const least = Math.min(...sorted.map((code) => Math.abs(code - value)));
        expect(Math.abs(roundF143(value) - value)).toBe(least);
      }),
    );
  });
});

describe('rounding models', () => {
  it.each([
    ['no object', undefined],
    ['another kind', { kind: 'gemm', layers: [] }],
    ['too few layers', { kind: 'layers', layers: [layer(8)] }],
    [
      'a gap between pieces',
      {
        kind: 'layers',
        layers: [
          layer(8),
          layer(6, {
            kPieces: [
              [0, 2],
              [3, 6],
            ],
          }),
        ],
      },
    ],
    ['an unknown activation', { kind: 'layers', layers: [layer(8), layer(6, { activation: 'relu' })] }],
    ['an unknown store', { kind: 'layers', layers: [layer(8), layer(6, { out: { type: 'f4' } })] }],
  ])('refuses %s', (_name, model) => {
    expect(() => parseLayersRounding(model, [8, 6])).toThrow(OracleError);
  });

  it('takes a good one', () => {
    expect(parseLayersRounding({ kind: 'layers', layers: [layer(8), layer(6)] }, [8, 6])).toHaveLength(2);
  });
});

describe('layers', () => {
  const half = (values: readonly number[]) => Uint16Array.from(values, (value) => encodeHalf(value));
  const draw = (count: number, scale: number, seed: number) =>
    Array.from({ length: count }, (_, at) => scale * Math.sin(seed + 1.7 * at * at));
  const rounding = parseLayersRounding(
    { kind: 'layers', layers: [layer(20), layer(12, { activation: 'none' })] },
    [20, 12],
  );
  const run = (change: { b1?: number; w2?: number; drop?: boolean } = {}) => {
    const weights = draw(12 * 9, 0.3 * (change.w2 ?? 1), 3);
    if (change.drop) weights.fill(0, 0, 4 * 9);
    return layersReference(
      7,
      { codes: half(draw(7 * 20, 1, 1)) },
      [
        {
          weights: { codes: half(draw(20 * 12, 0.2, 2)) },
          bias: half(draw(12, 0.5 * (change.b1 ?? 1), 4)),
          inner: 20,
          features: 12,
        },
        { weights: { codes: half(weights) }, bias: half(draw(9, 0.5, 5)), inner: 12, features: 9 },
      ],
      rounding,
    );
  };

  it('is the plain computation in f64', () => {
    const { values, bound } = run();
    const [x, w1, b1] = [draw(140, 1, 1), draw(240, 0.2, 2), draw(12, 0.5, 4)].map((list) =>
      list.map((value) => decodeHalf(encodeHalf(value))),
    );
    const [w2, b2] = [draw(108, 0.3, 3), draw(9, 0.5, 5)].map((list) =>
      list.map((value) => decodeHalf(encodeHalf(value))),
    );
    for (let row = 0; row < 7; row++)
      for (let column = 0; column < 9; column++) {
        let sum = b2[column];
        for (let inner = 0; inner < 12; inner++) {
          let z = b1[inner];
          for (let k = 0; k < 20; k++) z += x[20 * row + k] * w1[12 * k + inner];
          sum +=
            0.5 *
            z *
            (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z ** 3))) *
            w2[9 * inner + column];
        }
        expect(values[9 * row + column]).toBeCloseTo(sum, 10);
        expect(bound[9 * row + column]).toBeGreaterThan(0);
        expect(bound[9 * row + column]).toBeLessThan(0.05);
      }
  });

  it.each([
    ['no bias', { b1: 0 }],
    ['weights twice as large', { w2: 2 }],
    ['a missing part of the inner axis', { drop: true }],
  ])('%s lies outside the bound', (_name, change) => {
    const [right, wrong] = [run(), run(change)];
    const outside = [...right.values].filter(
      (value, at) => !(Math.abs(wrong.values[at] - value) <= right.bound[at]),
    );
    expect(outside.length).toBeGreaterThan(right.values.length / 2);
  });

  it('alarms are no larger than bounds', () => {
    const { bound, alarm } = run();
    expect([...alarm].every((value, at) => value <= bound[at])).toBe(true);
  });

  it('refuses tensors that do not fill their shapes', () => {
    expect(() =>
      layersReference(
        2,
        { codes: half([1, 2, 3]) },
        [{ weights: { codes: half([1]) }, inner: 1, features: 1 }],
        rounding,
      ),
    ).toThrow(OracleError);
  });
});
