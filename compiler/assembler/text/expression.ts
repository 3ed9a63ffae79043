import type { Cursor } from './cursor.ts';
import { type Place, SourceError } from './source.ts';
import { integerValue, type Token } from './token.ts';

/** What a value is measured from: a section of this object, or a symbol that another object defines. */
export type Base =
  | { readonly kind: 'section'; readonly section: string }
  | { readonly kind: 'external'; readonly symbol: string };

/** Number, or a byte address that is known as a base and a distance from it. */
export interface Value {
  readonly base?: Base;
  readonly offset: bigint;
}

export type Expression =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'symbol'; readonly name: string; readonly place: Place }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression; readonly place: Place }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly place: Place;
    };

/** How names become expressions while a statement is read: numbered labels, `.`, symbols set so far. */
export type NameReader = (token: Token) => Expression | undefined;
/** Value of a symbol when an expression is worked out; undefined when there is none (yet). */
export type SymbolValues = (name: string) => Value | undefined;

/** Operators from the loosest to the tightest, as in C. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];
const UNARY = ['-', '+', '~', '!'];
const WIDTH = 64;

const OPERATIONS: Readonly<Record<string, (left: bigint, right: bigint) => bigint | boolean>> = {
  '||': (l, r) => l !== 0n || r !== 0n,
  '&&': (l, r) => l !== 0n && r !== 0n,
  '|': (l, r) => l | r,
  '^': (l, r) => l ^ r,
  '&': (l, r) => l & r,
  '==': (l, r) => l === r,
  '!=': (l, r) => l !== r,
  '<': (l, r) => l < r,
  '>': (l, r) => l > r,
  '<=': (l, r) => l <= r,
  '>=': (l, r) => l >= r,
  '<<': (l, r) => l << r,
  '>>': (l, r) => l >> r,
  '+': (l, r) => l + r,
  '-': (l, r) => l - r,
  '*': (l, r) => l * r,
  '/': (l, r) => l / r,
  '%': (l, r) => l % r,
};

export const constant = (value: number | bigint): Expression => ({
  kind: 'value',
  value: { offset: BigInt(value) },
});

/** Nesting that no person writes; a bound keeps hostile text from exhausting the stack. */
const DEEPEST = 200;

/** Reads an expression with the operators and the precedence of C. */
export function parseExpression(cursor: Cursor, names: NameReader, depth = 0): Expression {
  return level(cursor, names, 0, depth);
}

function level(cursor: Cursor, names: NameReader, index: number, depth: number): Expression {
  if (index === LEVELS.length) return unary(cursor, names, depth);
  let left = level(cursor, names, index + 1, depth);
  for (;;) {
    const token = cursor.next;
    if (token === undefined || token.kind !== 'mark' || !LEVELS[index].includes(token.text)) return left;
    cursor.take();
    const right = level(cursor, names, index + 1, depth);
    left = { kind: 'binary', operator: token.text, left, right, place: token.place };
  }
}

function unary(cursor: Cursor, names: NameReader, depth: number): Expression {
  if (depth > DEEPEST) throw cursor.error('the expression is nested too deeply', `at most ${DEEPEST} levels`);
  const token = cursor.next;
  if (token?.kind === 'mark' && UNARY.includes(token.text)) {
    cursor.take();
    const operand = unary(cursor, names, depth + 1);
    return { kind: 'unary', operator: token.text, operand, place: token.place };
  }
  if (cursor.accept('(') !== undefined) {
    const inner = parseExpression(cursor, names, depth + 1);
    cursor.expect(')');
    return inner;
  }
  if (token?.kind === 'name' || (token?.kind === 'number' && integerValue(token) === undefined)) {
    const known = names(token);
    if (known !== undefined) {
      cursor.take();
      return known;
    }
  }
  if (token?.kind === 'name') {
    cursor.take();
    return { kind: 'symbol', name: token.text, place: token.place };
  }
  const value = token?.kind === 'number' ? integerValue(token) : undefined;
  if (value === undefined || token === undefined)
    throw cursor.error(`${cursor.found} instead of a number or a name`, 'a number, a name, "-", "~" or "("');
  cursor.take();
  return constant(value);
}

/**
 * Works an expression out; the first symbol without a value is given in `missing`. Throws SourceError for
 * arithmetic on addresses that has no meaning.
 */
export function evaluate(
  expression: Expression,
  symbols: SymbolValues,
): { readonly value: Value } | { readonly missing: string; readonly place: Place } {
  switch (expression.kind) {
    case 'value':
      return { value: expression.value };
    case 'symbol': {
      const value = symbols(expression.name);
      return value === undefined ? { missing: expression.name, place: expression.place } : { value };
    }
    case 'unary': {
      const inner = evaluate(expression.operand, symbols);
      if ('missing' in inner) return inner;
      return { value: applyUnary(expression.operator, inner.value, expression.place) };
    }
    default: {
      const left = evaluate(expression.left, symbols);
      if ('missing' in left) return left;
      const right = evaluate(expression.right, symbols);
      if ('missing' in right) return right;
      return { value: applyBinary(expression.operator, left.value, right.value, expression.place) };
    }
  }
}

function applyUnary(operator: string, { base, offset }: Value, place: Place): Value {
  if (operator === '+') return base === undefined ? { offset } : { base, offset };
  if (base !== undefined) throw new SourceError(place, `"${operator}" of an address`, 'a number');
  if (operator === '!') return { offset: offset === 0n ? 1n : 0n };
  return { offset: BigInt.asIntN(WIDTH, operator === '-' ? -offset : ~offset) };
}

const sameBase = (left: Base | undefined, right: Base | undefined): boolean =>
  left?.kind === 'section'
    ? right?.kind === 'section' && left.section === right.section
    : left !== undefined && right?.kind === 'external' && left.symbol === right.symbol;

function applyBinary(operator: string, left: Value, right: Value, place: Place): Value {
  const { base } = left;
  if (sameBase(base, right.base) && ['-', '==', '!=', '<', '>', '<=', '>='].includes(operator))
    return { offset: BigInt(OPERATIONS[operator](left.offset, right.offset)) };
  if (base !== undefined && right.base === undefined && (operator === '+' || operator === '-'))
    return { base, offset: BigInt(OPERATIONS[operator](left.offset, right.offset)) };
  if (base === undefined && right.base !== undefined && operator === '+')
    return { base: right.base, offset: left.offset + right.offset };
  if (base !== undefined || right.base !== undefined)
    throw new SourceError(
      place,
      `"${operator}" between addresses is not known before the link`,
      'a number, an address plus or minus a number, or the difference of two labels of one section',
    );
  if ((operator === '/' || operator === '%') && right.offset === 0n)
    throw new SourceError(place, 'division by zero', 'a divisor that is not 0');
  if ((operator === '<<' || operator === '>>') && (right.offset < 0n || right.offset >= BigInt(WIDTH)))
    throw new SourceError(place, `shift by ${right.offset}`, `a shift of 0..${WIDTH - 1}`);
  return { offset: BigInt.asIntN(WIDTH, BigInt(OPERATIONS[operator](left.offset, right.offset))) };
}
