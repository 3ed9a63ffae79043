import type { BufferName, Step } from './stages.ts';

/** Buffers a step reads or writes. */
export function touchedBuffers(step: Step): ReadonlySet<BufferName> {
  const names = new Set<BufferName>();
  switch (step.kind) {
    case 'exchange':
      for (const { source, receivers } of step.transfers) {
        names.add(source.buffer);
        for (const { buffer } of receivers) names.add(buffer);
      }
      return names;
    case 'gemm':
      return names.add(step.left).add(step.right).add(step.out).add(step.table);
    case 'reduce':
      return names.add(step.own).add(step.staging).add(step.out).add(step.table);
    case 'cast':
      return names.add(step.from).add(step.out).add(step.table);
    case 'epilogue':
      names.add(step.from).add(step.out).add(step.table);
      return step.bias === undefined ? names : names.add(step.bias);
    case 'softmax':
      return names.add(step.scores).add(step.statistics).add(step.table);
    case 'merge':
      for (const source of [step.first, step.second])
        if (source !== undefined) names.add(source.values).add(source.statistics);
      names.add(step.out).add(step.table).add(step.weights);
      return step.outStatistics === undefined ? names : names.add(step.outStatistics);
    case 'add':
      return names.add(step.a).add(step.b).add(step.out).add(step.table);
    case 'norm':
      return names
        .add(step.from)
        .add(step.out)
        .add(step.gamma)
        .add(step.beta)
        .add(step.scratch)
        .add(step.table);
  }
}
