import type { CaseJudgement } from '../judge/index.ts';
import type { UnpackedOutput } from '../ports.ts';
import { isWorseRatio, type RecordOutput } from '../record/index.ts';

/** Mismatches one record keeps per output. */
const KEPT_MISMATCHES = 8;

/** The lasting part of a judgement. */
export function recordOutputs(judgement: CaseJudgement, outputs: readonly UnpackedOutput[]): RecordOutput[] {
  return judgement.outputs.map((judged) => {
    const tensor = outputs.find((output) => output.tensor.name === judged.tensor)?.tensor;
    const { metrics, map } = judged;
    return {
      tensor: judged.tensor,
      dtype: tensor?.dtype ?? 'unknown',
      shape: [...(tensor?.shape ?? [])],
      verdict: judged.verdict,
      model: judged.model,
      exact: judged.exact,
      ...(metrics === undefined ? {} : { metrics: metrics as RecordOutput['metrics'] }),
      mismatches: judged.mismatches.slice(0, KEPT_MISMATCHES) as RecordOutput['mismatches'],
      patterns: judged.patterns.map((pattern) => ({ ...pattern })),
      ...(map === undefined || judged.mismatches.length === 0 ? {} : { map: map as RecordOutput['map'] }),
    };
  });
}

/** Largest error over bound of all outputs; NaN beats every number. Undefined when nothing was compared. */
export function worstBoundRatio(judgement: CaseJudgement): number | undefined {
  let worst: number | undefined;
  for (const { metrics } of judgement.outputs) {
    if (metrics === undefined || metrics.compared === 0) continue;
    const { value } = metrics.maxBoundRatio;
    if (isWorseRatio(value, worst)) worst = value;
  }
  return worst;
}
