import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildKernel } from './build.ts';
import { checkKernel } from './check.ts';
import { readSpec } from './spec.ts';

/**
 * Declares the tests of a kernel: one for the drawn sizes of its spec. A failure names the smallest sizes that
 * fail and what is wrong there. For test files of kernel authors.
 */
export function kernelSuite(specUrl: URL): void {
  const path = fileURLToPath(specUrl);
  const spec = readSpec(path);
  describe(`kernel ${spec.name}`, () => {
    it(`holds for ${spec.cases} drawn cases`, async () => {
      const { failure, seed } = await checkKernel(spec, buildKernel(spec));
      const sizes = JSON.stringify(failure?.sizes);
      const what = failure?.outcome?.failures.join('\n') ?? failure?.error?.message;
      expect(failure, `seed ${seed}, sizes ${sizes}\n${what}`).toBeUndefined();
    });
  });
}
