import { defineConfig } from 'vitest/config';

/**
 * `npm test`: the unit tests beside their sources and the ci tier of every suite. The tier is cut into
 * slices, one project each, so that `--shard` and the worker processes can share it.
 */
const SLICES = 8;

/** Refuses to test an engine that was built from other sources. */
const CURRENT_ENGINE = ['device/simulator/engine/requireCurrent.mjs'];

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
          globalSetup: CURRENT_ENGINE,
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
          globalSetup: CURRENT_ENGINE,
          include: ['suites/**/*.verify.test.ts'],
          testTimeout: 120_000,
          provide: { slice: { index, count: SLICES } },
        },
      })),
    ],
  },
});
