import { SRAM_BASE, SRAM_BYTES } from '../../device/ipu21/index.ts';
import { type Issue, SimulatedIpu21 } from '../../device/simulator/index.ts';
import { deriveSeed } from '../../harness/case/index.ts';
import { type Activity, activityOf } from './activity.ts';
import { type BenchProgram, type BuiltKernel, benchProgram } from './build.ts';
import { type Comparison, compareElements, strayWrites } from './compare.ts';
import { writeElements } from './elements.ts';
import { arrayOf, numberOf, type Scope, type ScopeValue } from './expectation.ts';
import { BENCH, type Layout, layoutOf, type PlacedArray } from './layout.ts';
import type { KernelSpec } from './spec.ts';
import { STUB_DONE, STUB_LAUNCH } from './stub.ts';
import { fillTensor } from './tensorFills.ts';

export interface KernelOutcome {
  /** One line names the case, e.g. `kernel/scale_f16,n=17`. */
  readonly line: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** What is wrong; empty when the case passed. */
  readonly failures: readonly string[];
  readonly comparisons: Readonly<Record<string, Comparison>>;
  readonly activity: Activity;
  readonly cycleLimit?: number;
}

/** Most tile cycles of one bench call. */
const HANG_CYCLES = 5_000_000;
const LISTED_STRAYS = 4;

/** The name of a case. */
export const kernelLine = (spec: KernelSpec, sizes: Readonly<Record<string, number>>): string =>
  `kernel/${[spec.name, ...Object.entries(sizes).map(([name, value]) => `${name}=${value}`)].join(',')}`;

/**
 * Runs a kernel once for given sizes on a simulated tile and judges it: values, bytes it should not have
 * touched, cycles. Throws DeviceError for a fault or a hang, LinkError, UsageError.
 */
export async function runKernelCase(
  spec: KernelSpec,
  kernel: BuiltKernel,
  sizes: Readonly<Record<string, number>>,
): Promise<KernelOutcome> {
  const line = kernelLine(spec, sizes);
  const layout = layoutOf(spec, new Map(Object.entries(sizes)));
  const program = benchProgram(spec, kernel, layout);
  const scope = scopeOf(line, sizes, layout);
  const inputs = new Map(
    layout.arrays
      .filter(({ spec: { kind } }) => kind !== 'output')
      .map(({ spec: { name, type } }) => [name, writeElements(type, arrayIn(scope, name))]),
  );
  const { device, issues, before } = await execute(program, layout, inputs);
  const after = device.readTile(0, SRAM_BASE, SRAM_BYTES);
  await device.close();
  const comparisons: Record<string, Comparison> = {};
  const failures: string[] = [];
  for (const array of layout.arrays) {
    const { kind, name, type } = array.spec;
    if (kind === 'input') continue;
    const expected = arrayOf(spec.expect[name], `expect.${name}`, array.shape, scope);
    const start = array.address - SRAM_BASE;
    const bytes = after.slice(start, start + array.bytes);
    const old = before.slice(start, start + array.bytes);
    const comparison = compareElements(type, array.shape, bytes, expected, spec.tolerance, old);
    comparisons[name] = comparison;
    failures.push(...comparisonText(array, comparison));
  }
  failures.push(...strayText(layout, before, after));
  const activity = activityOf(issues, symbol(program, STUB_LAUNCH), symbol(program, STUB_DONE), (pc) => {
    const view = new DataView(after.buffer, after.byteOffset, after.byteLength);
    const at = pc - SRAM_BASE;
    return [view.getUint32(at, true), view.getUint32(at + 4, true)];
  });
  if (activity.late > 0)
    failures.push(
      `workers issue ${activity.late} times after the kernel returned: it does not wait for them`,
    );
  const cycleLimit = spec.cycles === undefined ? undefined : numberOf(spec.cycles, 'cycles', scope);
  if (cycleLimit !== undefined && !(activity.cycles <= cycleLimit))
    failures.push(`${activity.cycles} tile cycles, ${cycleLimit} are allowed`);
  return {
    line,
    sizes,
    failures,
    comparisons,
    activity,
    ...(cycleLimit === undefined ? {} : { cycleLimit }),
  };
}

async function execute(program: BenchProgram, layout: Layout, inputs: ReadonlyMap<string, Uint8Array>) {
  const issues: Issue[] = [];
  const device = new SimulatedIpu21({
    cycleLimit: HANG_CYCLES,
    trace: { physicalTile: 0, onIssue: (issue) => issues.push(issue) },
  });
  await device.load(program.packageBytes);
  issues.length = 0;
  const before = device.readTile(0, SRAM_BASE, SRAM_BYTES);
  for (const { spec, address } of layout.arrays) {
    const bytes = inputs.get(spec.name);
    if (bytes !== undefined) before.set(bytes, address - SRAM_BASE);
  }
  await device.call('run', inputs);
  return { device, issues, before };
}

function symbol({ image }: BenchProgram, name: string): number {
  const address = image.symbols.get(name);
  if (address === undefined) throw new RangeError(`${name} is not linked`);
  return address;
}

/** Sizes, scalars as their type stores them, and the filled arrays. */
function scopeOf(line: string, sizes: Readonly<Record<string, number>>, layout: Layout): Scope {
  return new Map<string, ScopeValue>([
    ...Object.entries(sizes),
    ...layout.scalars.map(({ spec: { name }, value }) => [name, value] as const),
    ...layout.arrays
      .filter(({ spec: { kind } }) => kind !== 'output')
      .map(({ spec: { name, type, fill }, shape, count }) => {
        const values = fillTensor(fill, type, count, deriveSeed(line, name));
        return [name, { shape, values }] as const;
      }),
  ]);
}

function arrayIn(scope: Scope, name: string): Float64Array {
  const value = scope.get(name);
  if (typeof value !== 'object') throw new RangeError(`${name} is no array`);
  return value.values;
}

const valueText = (value: number): string => (Number.isInteger(value) ? String(value) : value.toPrecision(9));

function comparisonText({ spec: { name, type } }: PlacedArray, comparison: Comparison): string[] {
  const { wrong, elements, first, unwritten } = comparison;
  if (wrong === 0) return [];
  const lines = first.map(
    ({ index, expected, found, ulps }) =>
      `  ${name}[${index.join(', ')}] is ${valueText(found)}, expected ${valueText(expected)} (${ulps === Number.POSITIVE_INFINITY ? 'wrong class' : `${Number(ulps.toPrecision(4))} steps of ${type}`})`,
  );
  const never = unwritten === 0 ? '' : `, ${unwritten} of them never written`;
  return [[`${name}: ${wrong} of ${elements} elements wrong${never}`, ...lines].join('\n')];
}

function strayText(layout: Layout, before: Uint8Array, after: Uint8Array): string[] {
  const allowed = [
    ...layout.arrays
      .filter(({ spec: { kind } }) => kind !== 'input')
      .map(({ address, bytes, slackBytes }) => [address, address + bytes + slackBytes] as const),
    [BENCH.arguments, BENCH.standard.start] as const,
  ];
  const stray = strayWrites(before, after, SRAM_BASE, allowed);
  if (stray.length === 0) return [];
  const total = stray.reduce((sum, [start, end]) => sum + end - start, 0);
  const lines = stray
    .slice(0, LISTED_STRAYS)
    .map(
      ([start, end]) => `  0x${start.toString(16)}..0x${(end - 1).toString(16)}${nearText(layout, start)}`,
    );
  return [[`${total} bytes written outside the outputs`, ...lines].join('\n')];
}

/** The array an address lies in or close to. */
function nearText({ arrays }: Layout, address: number): string {
  const near = arrays.find(
    (array) => address >= array.address - 64 && address < array.address + array.bytes + array.slackBytes + 64,
  );
  if (near === undefined) return '';
  const distance = address - near.address;
  return `, ${distance} bytes from the start of ${near.spec.name} (${near.bytes} bytes)`;
}
