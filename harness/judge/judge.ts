import type { Reference, UnpackedOutput } from '../ports.ts';
import { codecOf } from './codec.ts';
import { type Comparison, compareElements } from './compare.ts';
import { buildErrorMap, listMismatches, wrongElements } from './error-map.ts';
import type { JudgeContext, Judgement, JudgeVerdict } from './judgement.ts';
import { guessPatterns } from './pattern.ts';
import { contractBreaches, mistrust, openOutput, oracleDefects } from './rules.ts';

const WORST_FIRST: readonly JudgeVerdict[] = ['failed-contract', 'failed-numerics', 'mistrusted', 'passed'];

/**
 * Judges one output tensor against its reference.
 *
 * - `failed-contract`: wrong shape or type, incomplete coverage, nothing compared, padding violated, elements
 *   never written, or NaN and infinities where they do not belong, in either direction.
 * - `failed-numerics`: some element violates `|output - reference| <= bound`, or differs in any bit from an
 *   exact reference (the sign of a zero counts, the payload of a NaN does not).
 * - `mistrusted`: all is right but would be for a meaningless output too: more than three quarters of the
 *   elements could be zero, or all of at least 8 elements one constant; or the oracle is malformed.
 * - `passed`: none of these.
 */
export function judge(reference: Reference, output: UnpackedOutput, context: JudgeContext = {}): Judgement {
  const identity = { tensor: reference.tensor, model: reference.model, exact: reference.exact };
  const defects = oracleDefects(reference);
  if (defects.length > 0)
    return { ...identity, verdict: 'mistrusted', reasons: defects, mismatches: [], patterns: [] };
  const codes = openOutput(reference, output);
  if (typeof codes === 'string') {
    return { ...identity, verdict: 'failed-contract', reasons: [codes], mismatches: [], patterns: [] };
  }
  const comparison = compareElements(reference, codecOf(reference.dtype), codes, context.canaries ?? []);
  const wrong = wrongElements(comparison);
  const map = buildErrorMap(comparison, context, wrong);
  const contract = [...contractBreaches(output, codes.length), ...contractErrors(comparison)];
  const numerics = numericErrors(comparison);
  const trust = mistrust(comparison);
  const [verdict, reasons] = decide(contract, numerics, trust);
  return {
    ...identity,
    verdict,
    reasons,
    metrics: comparison.metrics,
    mismatches: listMismatches(comparison, context, wrong),
    patterns: guessPatterns(comparison, wrong, map),
    map,
    severity: comparison.severity,
  };
}

function decide(
  contract: readonly string[],
  numerics: readonly string[],
  trust: readonly string[],
): [JudgeVerdict, readonly string[]] {
  if (contract.length > 0) return ['failed-contract', [...contract, ...numerics]];
  if (numerics.length > 0) return ['failed-numerics', numerics];
  return trust.length > 0 ? ['mistrusted', trust] : ['passed', []];
}

function contractErrors({ metrics, reference }: Comparison): readonly string[] {
  const { unwritten, classes } = metrics;
  const errors: string[] = [];
  if (unwritten > 0) errors.push(`${unwritten} elements of ${reference.tensor} were never written`);
  const kinds: [number, string][] = [
    [classes.nanForFinite, 'NaN instead of finite'],
    [classes.infinityForFinite, 'infinite instead of finite'],
    [classes.finiteForNonFinite, 'finite instead of NaN or infinite'],
    [classes.wrongNonFinite, 'NaN or infinite of the wrong kind'],
  ];
  for (const [count, text] of kinds) {
    if (count > 0) errors.push(`${count} elements of ${reference.tensor} are ${text}`);
  }
  return errors;
}

function numericErrors({ metrics, reference, codec }: Comparison): readonly string[] {
  const { classes } = metrics;
  const classErrors =
    classes.nanForFinite + classes.infinityForFinite + classes.finiteForNonFinite + classes.wrongNonFinite;
  const values = metrics.mismatches - classErrors;
  if (values <= 0) return [];
  const share = `${values} of ${metrics.elements} elements of ${reference.tensor}`;
  if (reference.exact) {
    return [`${share} are not bit-exact; largest distance ${metrics.maxUlp.value} f${codec.bits} steps`];
  }
  return [`${share} exceed the bound; worst ${metrics.maxBoundRatio.value.toPrecision(4)} times the bound`];
}

/** Judgements of all outputs of a case and the worst of their verdicts. */
export interface CaseJudgement {
  readonly verdict: JudgeVerdict;
  readonly reasons: readonly string[];
  readonly outputs: readonly Judgement[];
}

/**
 * Judges all outputs of a case. An output without a reference, a reference without an output, a tensor
 * given twice and a case without outputs are failures of the contract.
 */
export function judgeCase(
  references: readonly Reference[],
  outputs: readonly UnpackedOutput[],
  context: JudgeContext = {},
): CaseJudgement {
  const reasons: string[] = [];
  const byName = new Map<string, UnpackedOutput>();
  for (const output of outputs) {
    if (byName.has(output.tensor.name)) reasons.push(`output ${output.tensor.name} was read twice`);
    byName.set(output.tensor.name, output);
  }
  const wanted = new Set(references.map((reference) => reference.tensor));
  if (wanted.size < references.length) reasons.push('two references name the same output');
  for (const name of byName.keys()) if (!wanted.has(name)) reasons.push(`output ${name} has no reference`);
  const judgements: Judgement[] = [];
  for (const reference of references) {
    const output = byName.get(reference.tensor);
    if (output === undefined) reasons.push(`output ${reference.tensor} was not read back`);
    else judgements.push(judge(reference, output, context));
  }
  if (judgements.length === 0 && reasons.length === 0)
    reasons.push('the case has no outputs; nothing was compared');
  const verdicts = judgements.map((judgement) => judgement.verdict);
  const worst = WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'failed-contract';
  return {
    verdict: reasons.length > 0 ? 'failed-contract' : worst,
    reasons: [...reasons, ...judgements.flatMap((judgement) => judgement.reasons)],
    outputs: judgements,
  };
}
