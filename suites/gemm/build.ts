import { compile, GraphBuilder } from '../../compiler/index.ts';
import type { CompiledCase } from '../../harness/ports.ts';
import type { GemmProblem } from './problem.ts';

/**
 * Package of C = A . B: inputs `a` [m, k] and `b` [k, n], output `c` [m, n]. Pure. Throws the compiler's
 * CompileError when the problem does not fit or asks for what the compiler cannot do.
 */
export function compileGemm(problem: GemmProblem): CompiledCase {
  const builder = new GraphBuilder();
  const a = builder.input('a', problem.in, [problem.m, problem.k]);
  const b = builder.input('b', problem.in, [problem.k, problem.n]);
  builder.output(builder.gemm('c', a, b, problem.out, problem.acc));
  return compile(builder.build(), {
    tiles: problem.tiles,
    ...(problem.plan === undefined ? {} : { plan: problem.plan }),
  });
}
