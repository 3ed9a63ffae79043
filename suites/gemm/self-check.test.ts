import { describe, expect, test } from 'vitest';
import { MUTATIONS } from '../../harness/judge/index.ts';
import { checkJudge, SELF_CHECK_FILLS } from './self-check.ts';

describe('the judge of GEMM results', () => {
  const { sound, defects } = checkJudge();

  test('passes undamaged outputs without alarms', () => {
    expect(sound).toEqual(SELF_CHECK_FILLS.map((fill) => ({ fill, verdict: 'passed', alarms: 0 })));
  });

  test.each(defects)('$defect under $fill: $expected', ({ expected, seen }) => {
    expect(seen).toBe(expected);
  });

  test('every defect is caught under some fill, and its pattern is named under some fill', () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(20);
    for (const { name, pattern } of MUTATIONS) {
      const sights = defects.filter((sight) => sight.defect === name);
      expect(
        sights.some((sight) => sight.seen === 'caught'),
        name,
      ).toBe(true);
      if (pattern !== undefined)
        expect(
          sights.some((sight) => sight.localised),
          name,
        ).toBe(true);
    }
  });

  test('names the pattern of nearly every defect it catches', () => {
    const rated = defects.filter((sight) => sight.localised !== undefined);
    const unnamed = rated.filter((sight) => !sight.localised).map((sight) => `${sight.defect}/${sight.fill}`);
    expect(rated.length).toBeGreaterThan(60);
    // signatures reach from 2^-14 to 65504, where an offset of 1/8 is mostly below or within a rounding
    expect(unnamed).toEqual(['offset 1/8/onehot']);
  });
});
