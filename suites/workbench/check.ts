import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { UsageError } from '../../harness/case/index.ts';
import type { BuiltKernel } from './build.ts';
import { type KernelOutcome, runKernelCase } from './runCase.ts';
import type { KernelSpec, SizeSpec } from './spec.ts';

/** Sizes drawn for one case. */
export type Sizes = Readonly<Record<string, number>>;

/** Result of a campaign over the sizes of a spec. */
export interface Campaign {
  readonly cases: number;
  readonly seed: number;
  /** The last passing case with the most cycles, for the figures. */
  readonly largest: KernelOutcome | undefined;
  /** The smallest failing case found. */
  readonly failure:
    | { readonly sizes: Sizes; readonly outcome?: KernelOutcome; readonly error?: Error }
    | undefined;
  readonly cyclesRange: readonly [least: number, most: number] | undefined;
}

function sizeArbitrary(name: string, size: SizeSpec): fc.Arbitrary<number> {
  if (typeof size === 'number') return fc.constant(size);
  if (Array.isArray(size)) return fc.constantFrom(...size);
  const { min, max, multipleOf } = size;
  const [first, last] = [Math.ceil(min / multipleOf), Math.floor(max / multipleOf)];
  if (first > last)
    throw new UsageError(
      `sizes.${name}: no multiple of ${multipleOf} from ${min} to ${max}`,
      name,
      `${min}..${max}`,
      'a range that holds one',
    );
  return fc.integer({ min: first, max: last }).map((count) => count * multipleOf);
}

/** Arbitrary sizes of a spec. */
export const sizesArbitrary = (spec: KernelSpec): fc.Arbitrary<Sizes> =>
  fc.record(
    Object.fromEntries(Object.entries(spec.sizes).map(([name, size]) => [name, sizeArbitrary(name, size)])),
  );

/** True when the sizes leave a choice. */
const isDrawn = ({ sizes }: KernelSpec): boolean =>
  Object.values(sizes).some((size) => typeof size !== 'number');

/** 31 bits of a hash of the name, so that runs repeat. */
export const seedOf = (spec: KernelSpec): number =>
  spec.seed ?? createHash('sha256').update(`kernel/${spec.name}`).digest().readUInt32BE(0) >>> 1;

/** A kernel that gave a wrong answer. */
class WrongAnswer extends Error {
  readonly outcome: KernelOutcome;

  constructor(outcome: KernelOutcome) {
    super(outcome.failures.join('\n'));
    this.outcome = outcome;
  }
}

/**
 * Runs a kernel over drawn sizes; a failure shrinks to the smallest sizes that fail. Mistakes in the spec itself
 * are thrown.
 */
export async function checkKernel(
  spec: KernelSpec,
  kernel: BuiltKernel,
  onCase: (done: number) => void = () => {},
): Promise<Campaign> {
  let largest: KernelOutcome | undefined;
  let range: [number, number] | undefined;
  let mistake: UsageError | undefined;
  let done = 0;
  const seed = seedOf(spec);
  const property = fc.asyncProperty(sizesArbitrary(spec), async (sizes) => {
    const outcome = await runKernelCase(spec, kernel, sizes).catch((error: unknown) => {
      // A mistake in the spec is no property of the kernel: shrinking it away would hide it.
      if (error instanceof UsageError) mistake ??= error;
      throw error;
    });
    onCase(++done);
    if (outcome.failures.length > 0) throw new WrongAnswer(outcome);
    const { cycles } = outcome.activity;
    range = [Math.min(range?.[0] ?? cycles, cycles), Math.max(range?.[1] ?? cycles, cycles)];
    if (largest === undefined || cycles > largest.activity.cycles) largest = outcome;
  });
  const report = await fc.check(property, { seed, numRuns: isDrawn(spec) ? spec.cases : 1 });
  if (mistake !== undefined) throw mistake;
  if (!report.failed) return { cases: done, seed, largest, failure: undefined, cyclesRange: range };
  const error = report.errorInstance;
  if (!(error instanceof Error)) throw error;
  const sizes = report.counterexample?.[0] ?? {};
  const failure = error instanceof WrongAnswer ? { sizes, outcome: error.outcome } : { sizes, error };
  return { cases: done, seed, largest, failure, cyclesRange: range };
}
