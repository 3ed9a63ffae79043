import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { measurePoints, type PointRow, pointsPage } from './points.ts';

const PAGE = new URL('../../docs/kernel-points.md', import.meta.url);
let rows: readonly PointRow[];

beforeAll(async () => {
  rows = await measurePoints();
  if (process.env.BLESS === '1') writeFileSync(PAGE, pointsPage(rows));
});

describe('kernel points', () => {
  it('are the exact cycles on the page', () => {
    expect(pointsPage(rows)).toBe(readFileSync(PAGE, 'utf8'));
  });

  it('explain every difference above 5 % and no other', () => {
    for (const { kernel, size, measured, described, why } of rows) {
      const far = described === undefined || Math.abs(described / measured - 1) > 0.05;
      expect(why !== '', `${kernel} ${size}`).toBe(far);
    }
  });

  it('of more than a few panels lie within 5 % of the card', () => {
    const large = rows.filter(({ described, measured }) => described !== undefined && measured > 5000);
    expect(large.length).toBeGreaterThan(15);
    for (const { kernel, size, measured, described = 0 } of large)
      expect(
        Math.abs(described / measured - 1),
        `${kernel} ${size}: ${described} for ${measured}`,
      ).toBeLessThan(0.05);
  });
});
