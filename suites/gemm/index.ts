import { corpusDirectory, deriveSeed, formatSeed, tierCorpus } from '../../harness/case/index.ts';
import type { CompiledCase, Operation, PreparedCase } from '../../harness/ports.ts';
import { gemmCheck } from './check.ts';
import { gemmInputs } from './inputs.ts';
import { type GemmProblem, gemmGrammar } from './problem.ts';
import { UnsupportedError } from './unsupported.ts';

export type { GemmCase, GemmProblem } from './problem.ts';

/** Builds the package of a problem; its inputs must be named `a` and `b`, its output `c`. */
export type CompileGemm = (problem: GemmProblem) => CompiledCase;

/** The family of cases `gemm/...`: C = A . B in f16 with f16 partials. */
export function gemmOperation(compile: CompileGemm): Operation {
  const { canonical, parse } = gemmGrammar;
  const corpus = tierCorpus(corpusDirectory(import.meta.url, 'suites/gemm/cases'), canonical);
  return {
    name: gemmGrammar.operation,
    canonical,
    tier: corpus.tier,
    prepare(line): PreparedCase {
      const problem = parse(line);
      const { fill: _fill, seed: _seed, ...request } = problem;
      const name = gemmGrammar.print(problem);
      const inputs = gemmInputs(name, problem);
      return {
        line: name,
        inputs,
        seeds: Object.fromEntries(
          inputs.map((tensor) => [tensor.name, formatSeed(deriveSeed(name, tensor.name))]),
        ),
        cost: 2 * problem.m * problem.k * problem.n,
        flops: 2 * problem.m * problem.k * problem.n,
        compile() {
          if (problem.acc === 'f32') {
            throw new UnsupportedError(
              'acc=f32: the matrix unit kernel keeps its partials in f16 between blocks of 16 inner values',
              { acc: 'f32', m: problem.m, k: problem.k, n: problem.n },
              'Use acc=f16.',
            );
          }
          return compile(request);
        },
        reference: (compiled) => gemmCheck(name, problem, inputs, compiled.report.rounding),
      };
    },
  };
}

/** Help text: keys, ranges, defaults. */
export const gemmHelp = gemmGrammar.help;
