import { VerifierError } from '../errors.ts';
import { type Graph, operandsOf, resultOf } from './graph.ts';

/** Rules every graph must meet before planning: known ids, one definition each, inputs defined first. */
export function verifyGraph(graph: Graph): void {
  const defined = new Set<number>(graph.inputs);
  const fail = (rule: string, value: number) => {
    throw new VerifierError('graph', rule, { value });
  };
  graph.values.forEach((value, index) => {
    if (value.id !== index) fail('value id differs from its position', index);
  });
  for (const operation of graph.operations) {
    for (const source of operandsOf(operation)) {
      if (!defined.has(source)) fail('operand used before its definition', source);
    }
    const result = resultOf(operation);
    if (defined.has(result)) fail('value defined twice', result);
    defined.add(result);
  }
  for (const output of graph.outputs) if (!defined.has(output)) fail('output never defined', output);
}
