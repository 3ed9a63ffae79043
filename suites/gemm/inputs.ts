import { deriveSeed } from '../../harness/case/index.ts';
import { FILLS } from '../../harness/fill/index.ts';
import type { Tensor } from '../../harness/ports.ts';
import type { GemmCase } from './problem.ts';

/** The operands `a` [m, k] and `b` [k, n] of a case; each has a stream of its own, seeded by the case line. */
export function gemmInputs(line: string, { m, k, n, fill }: GemmCase): readonly [a: Tensor, b: Tensor] {
  const { left, right } = FILLS[fill];
  return [
    { name: 'a', dtype: 'f16', shape: [m, k], data: left(m, k, deriveSeed(line, 'a')) },
    { name: 'b', dtype: 'f16', shape: [k, n], data: right(k, n, deriveSeed(line, 'b')) },
  ];
}
