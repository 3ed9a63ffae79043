import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../harness/case/index.ts';
import { ELEMENT_TYPES } from './elements.ts';
import { TENSOR_FILLS } from './tensorFills.ts';

const NAME = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name: letters, digits, _');
const EXPRESSION = z.union([z.number(), z.string().min(1).max(2000)]);
const LARGEST_SIZE = 100_000;

const SIZE = z.union([
  z.int().min(0).max(LARGEST_SIZE),
  z.array(z.int().min(0).max(LARGEST_SIZE)).min(1),
  z.strictObject({
    min: z.int().min(0).max(LARGEST_SIZE),
    max: z.int().min(0).max(LARGEST_SIZE),
    multipleOf: z.int().min(1).default(1),
  }),
]);

const ARRAY = z.strictObject({
  name: NAME,
  kind: z.enum(['input', 'output', 'inout']),
  type: z.enum(ELEMENT_TYPES),
  /** Each dimension is a number or an expression of the sizes. */
  shape: z.array(EXPRESSION).max(4),
  fill: z.enum(TENSOR_FILLS).default('normal'),
  /** Interleaved memory serves 128-bit loads, standard memory everything else. */
  memory: z.enum(['standard', 'interleaved']).default('standard'),
  /** Elements behind the end that the kernel may read and, for outputs, write. */
  slack: EXPRESSION.default(0),
});

const SCALAR = z.strictObject({
  name: NAME,
  kind: z.literal('scalar'),
  type: z.enum(ELEMENT_TYPES).default('u32'),
  value: EXPRESSION,
});

const SPEC = z.strictObject({
  name: NAME.optional(),
  /** Assembly sources (.S) or ELF objects, beside the spec. */
  source: z.union([z.string(), z.array(z.string()).min(1)]),
  include: z.array(z.string()).default([]),
  defines: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  entry: z.string().min(1),
  /** Worker code is launched on all six workers; supervisor code is called with its arguments in registers. */
  context: z.enum(['worker', 'supervisor']),
  sizes: z.record(NAME, SIZE).default({}),
  arguments: z.array(z.discriminatedUnion('kind', [ARRAY, SCALAR])).max(64),
  /** What each output must hold: a mathjs expression of inputs, scalars and sizes, worked out in f64. */
  expect: z.record(NAME, z.string().min(1).max(2000)),
  tolerance: z
    .strictObject({ ulp: z.number().min(0).default(0), absolute: z.number().min(0).default(0) })
    .default({ ulp: 0, absolute: 0 }),
  /** Most tile cycles of a call, an expression of the sizes. */
  cycles: EXPRESSION.optional(),
  /** Cases drawn when sizes leave a choice. */
  cases: z.int().min(1).max(100_000).default(25),
  seed: z.int().min(0).max(0x7fffffff).optional(),
});

export type ArraySpec = z.infer<typeof ARRAY>;
export type ScalarSpec = z.infer<typeof SCALAR>;
export type SizeSpec = z.infer<typeof SIZE>;

/** A kernel, what it is called with, and what must come out. */
export interface KernelSpec extends Omit<z.infer<typeof SPEC>, 'name' | 'source'> {
  readonly name: string;
  readonly sources: readonly string[];
  /** Folder of the spec; sources are found from here. */
  readonly folder: string;
}

/** Reads and checks a spec file. Throws UsageError with the first thing that is wrong. */
export function readSpec(path: string): KernelSpec {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${path} cannot be read: ${(error as Error).message}`,
      'spec',
      path,
      'a readable spec file',
    );
  }
  return parseSpec(text, path);
}

/** Like readSpec, for text that stands in a file called `path`. */
export function parseSpec(text: string, path: string): KernelSpec {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is no JSON: ${(error as Error).message}`, 'spec', path, 'a JSON object');
  }
  const result = SPEC.safeParse(json);
  if (!result.success) {
    const [issue] = result.error.issues;
    const where = issue.path.map(String).join('.') || 'the top';
    throw new UsageError(`${path}: ${where}: ${issue.message}`, where, '', 'see docs/workbench.md');
  }
  const { source, name, ...rest } = result.data;
  const spec: KernelSpec = {
    ...rest,
    name: name ?? rest.entry.replaceAll(/[^A-Za-z0-9_]/g, '_'),
    sources: typeof source === 'string' ? [source] : source,
    folder: dirname(resolve(path)),
  };
  checkNames(spec, path);
  return spec;
}

function checkNames(spec: KernelSpec, path: string): void {
  // A scalar may carry the name of the size it hands over.
  const arrays = spec.arguments.filter(({ kind }) => kind !== 'scalar').map(({ name }) => name);
  const scalars = spec.arguments.filter(({ kind }) => kind === 'scalar').map(({ name }) => name);
  const names = [...new Set([...Object.keys(spec.sizes), ...scalars]), ...arrays];
  if (new Set(scalars).size < scalars.length) names.push(...scalars);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(
      `${path}: ${twice} is named twice`,
      'arguments',
      twice,
      'sizes and arguments with names of their own',
    );
  const outputs = spec.arguments
    .filter(({ kind }) => kind === 'output' || kind === 'inout')
    .map(({ name }) => name);
  if (outputs.length === 0)
    throw new UsageError(
      `${path}: the kernel has no output`,
      'arguments',
      '',
      'an argument of kind output or inout',
    );
  for (const name of outputs)
    if (!Object.hasOwn(spec.expect, name))
      throw new UsageError(`${path}: nothing is expected of ${name}`, 'expect', name, `expect.${name}`);
  for (const name of Object.keys(spec.expect))
    if (!outputs.includes(name))
      throw new UsageError(`${path}: ${name} is no output`, 'expect', name, outputs.join(' | '));
}
