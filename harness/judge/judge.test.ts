import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHalf, encodeHalf } from '../fill/index.ts';
import type { PaddingViolation } from '../ports.ts';
import { ulpBucketLabel } from './compare.ts';
import { judge, judgeCase } from './index.ts';
import { CODES, changed, INFINITY, NAN, output, reference, VALUES, WIDTH } from './test-tensors.ts';

describe('verdicts', () => {
  test('a right output passes, with bound and exactly', () => {
    for (const exact of [false, true]) {
      const result = judge(reference(VALUES, WIDTH, { exact }), output(CODES, WIDTH));
      expect(result).toMatchObject({ verdict: 'passed', reasons: [], mismatches: [], patterns: [] });
      expect(result.metrics).toMatchObject({ compared: 60, mismatches: 0, discriminating: 1 });
    }
  });

  test('exactly one wrong element fails', () => {
    for (const exact of [false, true]) {
      const result = judge(reference(VALUES, WIDTH, { exact }), output(changed(37, encodeHalf(9)), WIDTH));
      expect(result.verdict).toBe('failed-numerics');
      expect(result.metrics?.mismatches).toBe(1);
      expect(result.mismatches[0]).toMatchObject({ flat: 37, index: [3, 1], observed: 9, kind: 'value' });
      expect(result.patterns.at(-1)).toMatchObject({ kind: 'single-element', detail: 'row 3, column 1' });
    }
  });

  test('one step of the last place fails an exact reference and passes a wide bound', () => {
    const codes = changed(5, CODES[5] + 1);
    const exact = judge(reference(VALUES, WIDTH, { exact: true }), output(codes, WIDTH));
    expect(exact.verdict).toBe('failed-numerics');
    expect(exact.metrics?.maxUlp).toEqual({ value: 1, index: 5 });
    expect(exact.metrics?.maxBoundRatio).toEqual({ value: Number.POSITIVE_INFINITY, index: 5 });
    expect(judge(reference(VALUES, WIDTH, { bound: 0.1 }), output(codes, WIDTH)).verdict).toBe('passed');
  });

  test('the bound itself is allowed, anything above is not', () => {
    const at = (error: number) => {
      const target = reference([1 - error, -3, 5, 7], 4, { bound: 0.25 });
      return judge(
        target,
        output(
          [1, -3, 5, 7].map((value) => encodeHalf(value)),
          4,
        ),
      );
    };
    expect(at(0.25).verdict).toBe('passed');
    expect(at(0.25).metrics?.maxBoundRatio).toEqual({ value: 1, index: 0 });
    expect(at(0.25 * (1 + 2 ** -50)).verdict).toBe('failed-numerics');
    expect(at(-0.25 * (1 + 2 ** -50)).verdict).toBe('failed-numerics');
  });

  test.each([
    ['NaN for a number', 2, NAN, 'nanForFinite'],
    ['infinity for a number', 2, INFINITY, 'infinityForFinite'],
    ['a number for NaN', Number.NaN, CODES[2], 'finiteForNonFinite'],
    ['a number for infinity', Number.POSITIVE_INFINITY, 0x7bff, 'finiteForNonFinite'],
    ['infinity for NaN', Number.NaN, INFINITY, 'wrongNonFinite'],
    ['NaN for infinity', Number.POSITIVE_INFINITY, NAN, 'wrongNonFinite'],
    ['infinity of the wrong sign', Number.POSITIVE_INFINITY, INFINITY | 0x8000, 'wrongNonFinite'],
  ] as const)('%s is a contract failure', (_, value, code, field) => {
    for (const exact of [false, true]) {
      const values = [...VALUES];
      values[2] = value;
      const target = {
        ...reference(values, WIDTH, { exact, bound: 1e9 }),
        ...(exact && value === Number.POSITIVE_INFINITY ? { expectedBits: changedTo(2, INFINITY) } : {}),
      };
      const result = judge(target, output(changed(2, code), WIDTH));
      expect(result.verdict).toBe('failed-contract');
      expect(result.metrics?.classes).toMatchObject({ [field]: 1 });
      expect(result.metrics?.mismatches).toBe(1);
    }
  });

  const changedTo = (at: number, code: number) => Uint16Array.from(changed(at, code));

  test('expected NaN (any payload) and infinities pass', () => {
    const values = [...VALUES];
    values[2] = Number.NaN;
    values[3] = Number.NEGATIVE_INFINITY;
    const codes = changed(2, 0xfdff);
    codes[3] = INFINITY | 0x8000;
    expect(judge(reference(values, WIDTH), output(codes, WIDTH)).verdict).toBe('passed');
    const exact = { ...reference(values, WIDTH, { exact: true }), expectedBits: changedTo(2, NAN) };
    exact.expectedBits[3] = INFINITY | 0x8000;
    expect(judge(exact, output(codes, WIDTH)).verdict).toBe('passed');
  });

  test('the sign of zero counts when exact', () => {
    const values = [...VALUES];
    values[7] = 0;
    const target = reference(values, WIDTH, { exact: true });
    expect(judge(target, output(changed(7, 0), WIDTH)).verdict).toBe('passed');
    const wrong = judge(target, output(changed(7, 0x8000), WIDTH));
    expect(wrong.verdict).toBe('failed-numerics');
    expect(wrong.patterns[0].kind).toBe('sign-of-zero');
    expect(judge(reference(values, WIDTH), output(changed(7, 0x8000), WIDTH)).verdict).toBe('passed');
  });

  test('alarms are counted but do not fail', () => {
    const codes = changed(4, CODES[4] + 1);
    const result = judge(reference(VALUES, WIDTH, { alarm: 1e-4 }), output(codes, WIDTH));
    expect(result).toMatchObject({ verdict: 'passed', metrics: { alarms: 1 } });
    codes[9] = encodeHalf(99);
    const wrong = judge(reference(VALUES, WIDTH, { alarm: 1e-4 }), output(codes, WIDTH));
    expect(wrong.metrics).toMatchObject({ mismatches: 1, alarms: 1 });
  });
});

describe('contract', () => {
  test('incomplete and excessive coverage', () => {
    for (const covered of [59, 61, 0]) {
      const result = judge(reference(VALUES, WIDTH), output(CODES, WIDTH, { covered }));
      expect(result.verdict).toBe('failed-contract');
      expect(result.reasons[0]).toContain(`${covered} of 60 elements of c are covered`);
    }
  });

  test('padding violations name the first place', () => {
    const padding: PaddingViolation[] = [
      { tensor: 'c', tile: 7, address: 0x80020, expected: '0x0000', found: '0x3c00' },
    ];
    const result = judge(reference(VALUES, WIDTH), output(CODES, WIDTH, { padding }));
    expect(result.verdict).toBe('failed-contract');
    expect(result.reasons[0]).toBe(
      '1 padding violations of c; first: tile 7 address 0x80020 holds 0x3c00, expected 0x0000',
    );
  });

  test('shape, type, length and emptiness are compared before values', () => {
    const target = reference(VALUES, WIDTH);
    const transposed = output(CODES, 5);
    expect(judge(target, transposed).reasons[0]).toBe('output c is f16[12,5], expected f16[5,12]');
    const short = output(CODES, WIDTH);
    const cut = { ...short, tensor: { ...short.tensor, data: short.tensor.data.subarray(0, 59) } };
    expect(judge(target, cut).reasons[0]).toBe('output c holds 59 values for 60 elements');
    const floats = { ...short, tensor: { ...short.tensor, data: Float32Array.from(VALUES) } };
    expect(judge(target, floats).reasons[0]).toBe('output c is not stored as f16');
    const other = { ...short, tensor: { ...short.tensor, dtype: 'f32' as const } };
    expect(judge(target, other).reasons[0]).toContain('output c is f32[5,12], expected f16[5,12]');
    const nothing = judge(
      { ...reference([], 12), shape: [0, 12] },
      {
        ...output([], 12),
        tensor: { ...output([], 12).tensor, shape: [0, 12] },
      },
    );
    expect(nothing).toMatchObject({
      verdict: 'failed-contract',
      reasons: ['output c has no elements; nothing was compared'],
    });
  });

  test('what still holds the canary was never written, unless the canary is right', () => {
    const canary = 0x5a5a;
    const codes = changed(50, canary);
    codes[51] = canary;
    const result = judge(reference(VALUES, WIDTH), output(codes, WIDTH), { canaries: [canary] });
    expect(result.verdict).toBe('failed-contract');
    expect(result.metrics?.unwritten).toBe(2);
    expect(result.reasons).toContain('2 elements of c were never written');
    expect(result.patterns[0].kind).toBe('unwritten');
    expect(result.mismatches[0].kind).toBe('unwritten');
    const values = [...VALUES];
    values[50] = values[51] = decodeHalf(canary);
    expect(judge(reference(values, WIDTH), output(codes, WIDTH), { canaries: [canary] }).verdict).toBe(
      'passed',
    );
  });

  test('an untouched buffer fails whatever the canary is', () => {
    for (const canary of [0, 0x3c00, NAN, 0xffff]) {
      const untouched = output(
        VALUES.map(() => canary),
        WIDTH,
      );
      const result = judge(reference(VALUES, WIDTH), untouched, { canaries: [canary] });
      expect(result.verdict).toBe('failed-contract');
    }
  });
});

describe('trust', () => {
  test('a bound above every value: an all-zero output would pass', () => {
    const result = judge(reference(VALUES, WIDTH, { bound: 100 }), output(CODES, WIDTH));
    expect(result).toMatchObject({ verdict: 'mistrusted', reasons: ['an all-zero c would pass'] });
  });

  test('an all-zero exact reference', () => {
    const zeros = VALUES.map(() => 0);
    const result = judge(reference(zeros, WIDTH, { exact: true }), output(zeros, WIDTH));
    expect(result.verdict).toBe('mistrusted');
  });

  test('too few elements that could show a failure', () => {
    const values = VALUES.map((value, index) => (index % 5 === 0 ? value : 0));
    const codes = values.map((value) => encodeHalf(value));
    const result = judge(reference(values, WIDTH), output(codes, WIDTH));
    expect(result.verdict).toBe('mistrusted');
    expect(result.reasons[0]).toBe('only 20.0 % of c would fail if it were zero; at least 25 % must');
  });

  test('a constant output of a large tensor, not of a tiny one', () => {
    const result = judge(reference([3, 3, 3, 3, 3, 3, 3, 3], 4), output(new Array(8).fill(encodeHalf(3)), 4));
    expect(result).toMatchObject({ verdict: 'mistrusted', reasons: ['a constant c of 3 would pass'] });
    const tiny = judge(reference([3, 3], 2), output([encodeHalf(3), encodeHalf(3)], 2));
    expect(tiny.verdict).toBe('passed');
  });

  test('a mismatch outranks mistrust', () => {
    const target = reference(VALUES, WIDTH, { bound: 100 });
    expect(judge(target, output(changed(3, encodeHalf(500)), WIDTH)).verdict).toBe('failed-numerics');
  });

  test('a malformed oracle is never believed', () => {
    const good = reference(VALUES, WIDTH);
    const bounds = (value: number) => ({
      ...good,
      bound: good.bound.map((bound, at) => (at === 9 ? value : bound)),
    });
    for (const bad of [bounds(Number.NaN), bounds(-1), { ...good, values: good.values.subarray(1) }]) {
      expect(judge(bad, output(CODES, WIDTH)).verdict).toBe('mistrusted');
    }
    expect(judge(bounds(Number.NaN), output(CODES, WIDTH)).reasons[0]).toBe(
      'the bound of c at element 9 is NaN, not a number >= 0',
    );
    const noBits = { ...good, exact: true, expectedBits: new Uint16Array(3) };
    expect(judge(noBits, output(CODES, WIDTH)).verdict).toBe('mistrusted');
  });
});

describe('metrics', () => {
  test('agree with their definitions', () => {
    const value = fc.double({ min: -1000, max: 1000, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 40 }), (pairs) => {
        const codes = pairs.map(([, observed]) => encodeHalf(observed));
        const target = reference(
          pairs.map(([expected]) => expected),
          1,
          { bound: 10 },
        );
        const { metrics } = judge(target, output(codes, 1));
        const errors = pairs.map(([expected], index) => decodeHalf(codes[index]) - expected);
        expect(metrics?.mismatches).toBe(errors.filter((error) => Math.abs(error) > 10).length);
        expect(metrics?.maxAbsError.value).toBe(Math.max(...errors.map(Math.abs)));
        const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
        expect(metrics?.rmsError).toBeCloseTo(rms, 9);
        expect(metrics?.ulpHistogram.reduce((sum, count) => sum + count, 0)).toBe(pairs.length);
      }),
    );
  });

  test('ULP buckets', () => {
    expect([0, 1, 2, 3, 4, 5, 19].map(ulpBucketLabel)).toEqual([
      '0',
      '1',
      '2',
      '3-4',
      '5-8',
      '9-16',
      '>131072',
    ]);
    const codes = CODES.map((code, index) => code + [0, 1, 2, 3, 4, 5][index % 6]);
    const { metrics } = judge(reference(VALUES, WIDTH, { exact: true }), output(codes, WIDTH));
    expect(metrics?.ulpHistogram.slice(0, 5)).toEqual([10, 10, 10, 20, 10]);
  });

  test('ULP distance crosses zero without a jump', () => {
    const target = reference([2 ** -24, 5, 6, 7], 4, { exact: true });
    const codes = [0x8001, encodeHalf(5), encodeHalf(6), encodeHalf(7)];
    expect(judge(target, output(codes, 4)).metrics?.maxUlp).toEqual({ value: 2, index: 0 });
  });

  test('truncation shows in the outward error', () => {
    const values = Array.from(
      { length: 200 },
      (_, index) => (index % 2 === 0 ? 1 : -1) * (1.5 + index / 977),
    );
    const truncated = values.map((value) => {
      const code = encodeHalf(value);
      return Math.abs(decodeHalf(code)) > Math.abs(value) ? code - 1 : code;
    });
    const { metrics } = judge(reference(values, 10), output(truncated, 10));
    expect(metrics?.meanOutwardError).toBeLessThan(-(2 ** -13));
    expect(Math.abs(metrics?.meanSignedError ?? 1)).toBeLessThan(2 ** -14);
  });

  test('f32 and f8 outputs are judged in their own steps', () => {
    const base = reference([1, 2, 3, -4], 4, { exact: true });
    const floats = {
      name: 'c',
      dtype: 'f32' as const,
      shape: [1, 4],
      data: Float32Array.of(1, 2 + 2 ** -22, 3, -4),
    };
    const single = judge({ ...base, dtype: 'f32' }, { tensor: floats, covered: 4, padding: [] });
    expect(single.metrics?.maxUlp).toEqual({ value: 1, index: 1 });
    expect(single.mismatches[0]).toMatchObject({ observedCode: '0x40000001', expectedCode: '0x40000000' });
    // F143: 1.0 is 0x40, 2 is 0x48, 3 is 0x4c, -4 is 0xd0
    const bytes = {
      name: 'c',
      dtype: 'f8f143' as const,
      shape: [1, 4],
      data: Uint8Array.of(0x40, 0x48, 0x4c, 0xd1),
    };
    const small = judge({ ...base, dtype: 'f8f143' }, { tensor: bytes, covered: 4, padding: [] });
    expect(small.metrics?.mismatches).toBe(1);
    expect(small.mismatches[0]).toMatchObject({ observed: -4.5, expectedCode: '0xd0', ulps: 1 });
  });
});

describe('cases with several outputs', () => {
  const good = { target: reference(VALUES, WIDTH), result: output(CODES, WIDTH) };

  test('the worst verdict counts', () => {
    const other = { ...good.target, tensor: 'd' };
    const d = { ...good.result, tensor: { ...good.result.tensor, name: 'd' } };
    expect(judgeCase([good.target, other], [good.result, d]).verdict).toBe('passed');
    const bad = { ...d, tensor: { ...d.tensor, data: Uint16Array.from(changed(1, NAN)) } };
    const judged = judgeCase([good.target, other], [good.result, bad]);
    expect(judged.verdict).toBe('failed-contract');
    expect(judged.outputs.map((item) => item.verdict)).toEqual(['passed', 'failed-contract']);
  });

  test('outputs and references must match one to one', () => {
    const verdicts = [
      judgeCase([good.target], []),
      judgeCase([], [good.result]),
      judgeCase([good.target], [good.result, good.result]),
      judgeCase([good.target, good.target], [good.result]),
      judgeCase([], []),
    ];
    expect(verdicts.map((item) => item.verdict)).toEqual(new Array(5).fill('failed-contract'));
    expect(verdicts.map((item) => item.reasons[0])).toEqual([
      'output c was not read back',
      'output c has no reference',
      'output c was read twice',
      'two references name the same output',
      'the case has no outputs; nothing was compared',
    ]);
  });
});
