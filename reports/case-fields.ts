/** Keys and values of a case line, in its order. */
export function caseFields(line: string): readonly (readonly [key: string, value: string])[] {
  return line
    .slice(line.indexOf('/') + 1)
    .split(',')
    .filter((part) => part.includes('='))
    .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const);
}
