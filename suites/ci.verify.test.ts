import { afterAll, describe, inject, test } from 'vitest';
import { isFailure } from '../harness/record/index.ts';
import { runCase } from '../harness/run/index.ts';
import { composition } from './composition.ts';

/**
 * The ci tier of every suite under the plain test runner. Each project of vitest.config.ts takes one slice, so
 * that `--shard` divides the cases and not only the files.
 */
const { index, count } = inject('slice');
const device = await composition.openDevice({ name: 'sim', threads: 1 });
afterAll(() => device.close());

for (const operation of composition.operations) {
  describe(operation.name, () => {
    const cases = operation.tier('ci').filter((_line, at) => at % count === index);
    for (const [at, line] of cases.entries()) {
      test(line, async () => {
        const record = await runCase(line, operation, device, {
          run: 'ci',
          index: at,
          lane: index + 1,
          canaries: composition.canaries,
          budgets: new Map(),
          known: new Map(),
        });
        if (isFailure(record.verdict)) {
          throw new Error(`${record.verdict}: ${record.reasons.join('; ')}\n${record.repro}`);
        }
      });
    }
  });
}
