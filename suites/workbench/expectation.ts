import { all, create, type MathJsInstance, type MathNode } from 'mathjs';
import { UsageError } from '../../harness/case/index.ts';

const math: MathJsInstance = create(all, { matrix: 'Matrix', number: 'number' });
// Taken before the names below are blocked: it keeps working, and what it compiles meets the blocks.
const { parse } = math;
// What a spec has no business with: changing the evaluator or its limits.
const BLOCKED = ['import', 'createUnit', 'config', 'evaluate', 'parse', 'simplify', 'derivative', 'random'];
math.import(
  Object.fromEntries(
    BLOCKED.map((name) => [
      name,
      () => {
        throw new Error(`${name} is not available in a spec`);
      },
    ]),
  ),
  { override: true },
);

/** Numbers and arrays that an expression may name. */
export type ScopeValue = number | { readonly shape: readonly number[]; readonly values: Float64Array };
export type Scope = ReadonlyMap<string, ScopeValue>;

interface MatrixLike {
  size(): number[];
  valueOf(): unknown;
}

const isMatrix = (value: unknown): value is MatrixLike =>
  typeof value === 'object' && value !== null && 'size' in value && 'valueOf' in value;

function nested(shape: readonly number[], values: Float64Array): unknown {
  if (shape.length === 0) return values[0];
  const [rows, ...rest] = shape;
  const step = rest.reduce((product, size) => product * size, 1);
  return Array.from({ length: rows }, (_, row) =>
    rest.length === 0 ? values[row] : nested(rest, values.subarray(row * step, (row + 1) * step)),
  );
}

function scopeOf(scope: Scope): Record<string, unknown> {
  return Object.fromEntries(
    [...scope].map(([name, value]) => [
      name,
      typeof value === 'number' ? value : math.matrix(nested(value.shape, value.values) as number[]),
    ]),
  );
}

/** Constants of mathjs that mean in a spec what they mean everywhere; its physical ones and units do not. */
const CONSTANTS = ['pi', 'e', 'Infinity', 'NaN', 'true', 'false'];

/** The first name that is neither in the scope, nor a constant, nor a function that is called. */
function unknownName(node: MathNode, scope: Scope): string | undefined {
  let unknown: string | undefined;
  node.traverse((inner, path, parent) => {
    if (unknown !== undefined || !('name' in inner) || inner.type !== 'SymbolNode') return;
    const name = String(inner.name);
    const called = parent?.type === 'FunctionNode' && path === 'fn';
    if (!called && !scope.has(name) && !CONSTANTS.includes(name)) unknown = name;
  });
  return unknown;
}

function run(text: string, what: string, scope: Scope): unknown {
  const names = [...scope.keys()].join(', ');
  const allowed = `a mathjs expression of ${names}`;
  try {
    const node = parse(text);
    const unknown = unknownName(node, scope);
    if (unknown !== undefined) throw new Error(`${unknown} is unknown`);
    return node.compile().evaluate(scopeOf(scope));
  } catch (error) {
    throw new UsageError(`${what} "${text}": ${(error as Error).message}`, what, text, allowed);
  }
}

/** One number: a size, a bound, a scalar. */
export function numberOf(expression: string | number, what: string, scope: Scope): number {
  if (typeof expression === 'number') return expression;
  const value = run(expression, what, scope);
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  throw new UsageError(
    `${what} "${expression}" is no number`,
    what,
    expression,
    'an expression worth one number',
  );
}

/**
 * What an array must hold, in f64, not rounded to its type. A number stands for the only element of an array of one.
 */
export function arrayOf(
  expression: string,
  what: string,
  shape: readonly number[],
  scope: Scope,
): Float64Array {
  const value = run(expression, what, scope);
  const count = shape.reduce((product, size) => product * size, 1);
  if (typeof value === 'number' && count === 1) return Float64Array.of(value);
  const wanted = shape.join(' x ') || 'one number';
  if (!isMatrix(value))
    throw new UsageError(
      `${what} "${expression}" is no array of ${wanted}`,
      what,
      expression,
      'an expression of that shape',
    );
  if (String(value.size()) !== String(shape))
    throw new UsageError(
      `${what} "${expression}" has the shape ${value.size().join(' x ')}, the output ${wanted}`,
      what,
      expression,
      'an expression of the shape of the output',
    );
  return Float64Array.from((value.valueOf() as unknown[]).flat(shape.length) as number[]);
}
