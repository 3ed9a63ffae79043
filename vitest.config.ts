import { defineConfig } from 'vitest/config';

/**
 * `npm test`: the unit tests beside their sources and the ci tier of every suite. The tier is cut into
 * slices, one project each, so that `--shard` and the worker processes can share it.
 */
const SLICES = 8;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['*.test.ts', '{harness,compiler,device,golden,suites,reports}/**/*.test.ts'],
          exclude: ['**/*.verify.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      ...Array.from({ length: SLICES }, (_, index) => ({
        test: {
          name: `ci-${index + 1}`,
          include: ['suites/**/*.verify.test.ts'],
          testTimeout: 120_000,
          provide: { slice: { index, count: SLICES } },
        },
      })),
    ],
  },
});
