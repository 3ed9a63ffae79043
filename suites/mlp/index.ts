import { corpusDirectory, deriveSeed, formatSeed, tierCorpus } from '../../harness/case/index.ts';
import type { CompiledCase, Operation, PreparedCase } from '../../harness/ports.ts';
import { mlpCheck } from './check.ts';
import { mlpInputs } from './inputs.ts';
import { type MlpProblem, mlpGrammar } from './problem.ts';

export type { MlpCase, MlpProblem } from './problem.ts';

/** Builds the package of a problem; inputs and output are named as in mlpInputs and mlpCheck. */
export type CompileMlp = (problem: MlpProblem) => CompiledCase;

/** The family of cases `mlp/...`. */
export function mlpOperation(compile: CompileMlp): Operation {
  const { canonical, parse } = mlpGrammar;
  const corpus = tierCorpus(corpusDirectory(import.meta.url, 'suites/mlp/cases'), canonical);
  return {
    name: mlpGrammar.operation,
    canonical,
    tier: corpus.tier,
    prepare(line): PreparedCase {
      const problem = parse(line);
      const { fill: _fill, seed: _seed, model: _model, ...request } = problem;
      const name = mlpGrammar.print(problem);
      const inputs = mlpInputs(name, problem);
      const { tokens, width, hidden, blocks, batch } = problem;
      const flops = 4 * batch * tokens * width * hidden * blocks;
      return {
        line: name,
        inputs,
        seeds: Object.fromEntries(
          inputs.map((tensor) => [tensor.name, formatSeed(deriveSeed(name, tensor.name))]),
        ),
        cost: flops,
        flops,
        compile: () => compile(request),
        reference: (compiled) => mlpCheck(problem, inputs, compiled.report.rounding),
      };
    },
  };
}

/** Help text: keys, ranges, defaults. */
export const mlpHelp = mlpGrammar.help;
