import { compile, GraphBuilder } from '../../compiler/index.ts';
import type { CompiledCase } from '../../harness/ports.ts';
import { blockTensors } from './inputs.ts';
import { type MlpProblem, scalesOf } from './problem.ts';

/**
 * Package of an MLP: inputs as mlpInputs names them, output `y` [batch tokens, width] in f16. Pure. Throws the
 * compiler's CompileError when the problem does not fit.
 */
export function compileMlp(problem: MlpProblem): CompiledCase {
  const { tokens, width, hidden, blocks, batch, bias, weights, tiles, plan } = problem;
  const f8 = problem.in === 'f8';
  const type = f8 ? 'f8f143' : 'f16';
  const scales = scalesOf(problem);
  const scale = (value: number) => (f8 ? value : 0);
  const builder = new GraphBuilder();
  let x = builder.input('x', type, [batch * tokens, width], scale(scales.x));
  for (let block = 0; block < blocks; block++) {
    const names = blockTensors(block);
    const last = block === blocks - 1;
    const w1 = builder.input(names.w1, type, [width, hidden], scale(scales.w1));
    let up = builder.gemm(`up.${block}`, x, w1, 'f16', 'f16');
    if (bias === 1) up = builder.bias(`up.biased.${block}`, up, builder.input(names.b1, 'f16', [hidden]));
    let inner = builder.gelu(`hidden.${block}`, up);
    if (f8) inner = builder.cast(`hidden.f8.${block}`, inner, type, scales.hidden);
    const w2 = builder.input(names.w2, type, [hidden, width], scale(scales.w2));
    const named = (part: string) => (last ? 'y' : `${part}.${block}`);
    x = builder.gemm(bias === 1 ? `down.${block}` : named('down'), inner, w2, 'f16', 'f16');
    if (bias === 1) x = builder.bias(named('out'), x, builder.input(names.b2, 'f16', [width]));
    if (f8 && !last) x = builder.cast(`out.f8.${block}`, x, type, scales.x);
  }
  builder.output(x);
  return compile(builder.build(), { tiles, weights, ...(plan === undefined ? {} : { plan }) });
}
