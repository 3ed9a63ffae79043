import { defineConfig } from 'vitest/config';

/**
 * `npm test`: the unit tests beside their sources and the ci tier of every suite. The tier is cut into
 * slices, one project each, so that `--shard` and the worker processes can share it.
 */
const SLICES = 8;

/** `ALLURE=1 npm test` also leaves Allure results of every test in runs/tests/allure-results. */
const allure = process.env.ALLURE === '1';

export default defineConfig({
  test: {
    reporters: allure
      ? ['default', ['allure-vitest/reporter', { resultsDir: 'runs/tests/allure-results' }]]
      : ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['*.test.ts', '{harness,compiler,device,golden,suites,reports}/**/*.test.ts'],
          exclude: ['**/*.verify.test.ts'],
          setupFiles: allure ? ['allure-vitest/setup'] : [],
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
