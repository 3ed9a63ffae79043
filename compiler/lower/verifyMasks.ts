import { VerifierError } from '../errors.ts';
import type { AttentionStage, Network } from '../graph/network.ts';
import type { LoweredProgram, SoftmaxStep } from './stages.ts';

/**
 * No key of padding, and none that the mask hides, may reach a softmax: over all tiles and steps of an attention the
 * keys that rows see must come to exactly those of the graph. Counts per tile are checked against the extents of its
 * scores, the total against the definition of the mask.
 */
export function verifyMasks(network: Network, program: LoweredProgram): void {
  for (const stage of network.stages) {
    if (stage.kind !== 'attention') continue;
    const steps = program.steps.filter(
      (step): step is SoftmaxStep => step.kind === 'softmax' && step.name.startsWith(`${stage.name}.`),
    );
    let seen = 0;
    let masked = 0;
    for (const step of steps)
      step.tiles.forEach((work, tile) => {
        if (work === undefined) return;
        if (work.keys < 1 || work.keys > work.panels * 16 || work.keys <= (work.panels - 1) * 16)
          fail('keys of a tile do not end in its last panel', { keys: work.keys, panels: work.panels }, tile);
        for (let row = 0; row < work.rows; row++) {
          const count = Math.min(work.keys, Math.max(0, work.first + work.step * row));
          seen += count;
          masked += work.keys - count;
        }
      });
    const expected = definition(stage, steps);
    if (seen !== expected.seen || masked !== expected.masked)
      fail('rows see other keys than the mask allows', {
        seen,
        expectedSeen: expected.seen,
        hidden: masked,
        expectedHidden: expected.masked,
      });
  }
}

/** Pairs of query and key that see each other, rows of padding continued as the mask continues them. */
function definition(stage: AttentionStage, steps: readonly SoftmaxStep[]): { seen: number; masked: number } {
  const { streams, queries, keys, causal } = stage;
  const shift = causal === 'bottom-right' ? keys - queries : 0;
  // Query blocks are whole panels, so all padding rows lie behind the last query.
  const rows = Math.ceil(queries / 16) * 16;
  if (steps.length === 0) fail('attention without softmax', { stage: stage.name });
  let seen = 0;
  for (let query = 0; query < rows; query++)
    seen += causal === 'none' ? keys : Math.min(keys, Math.max(0, query + 1 + shift));
  return { seen: streams * seen, masked: streams * (rows * keys - seen) };
}

function fail(rule: string, facts: Record<string, number | string>, tile?: number): never {
  throw new VerifierError('lower', rule, facts, tile);
}
