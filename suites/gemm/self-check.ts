import type { GemmRounding } from '../../golden/gemm.ts';
import { deriveSeed } from '../../harness/case/index.ts';
import { FILLS } from '../../harness/fill/index.ts';
import {
  type Judgement,
  type JudgeVerdict,
  judge,
  MUTATIONS,
  type MutationSubject,
  mutatedOutput,
  type Sight,
} from '../../harness/judge/index.ts';
import type { Reference, UnpackedOutput } from '../../harness/ports.ts';
import { gemmCheck } from './check.ts';
import { emulateGemm } from './emulate.ts';
import { gemmInputs } from './inputs.ts';
import { gemmGrammar } from './problem.ts';

/** Fills under which every defect is tried. */
export const SELF_CHECK_FILLS = ['int', 'normal', 'onehot'] as const;

/** More rows than inner values, so that one-hot rows reach every row of B; a last block of 8 inner values. */
const SHAPE = 'm=88,k=72,n=104';

/** What SRAM holds before a run; an f16 number of ordinary size, so that only the canary rule can tell. */
const CANARY = 0x3555;

/** How the judge saw one defect under one fill. */
export interface DefectSight {
  readonly defect: string;
  readonly fill: (typeof SELF_CHECK_FILLS)[number];
  readonly expected: Sight;
  readonly seen: Sight;
  readonly verdict: JudgeVerdict;
  /** Whether the judge named the defect's pattern; undefined when the defect has none or was not caught. */
  readonly localised?: boolean;
}

/** The judgement of the undamaged output of one fill. */
export interface SoundSight {
  readonly fill: (typeof SELF_CHECK_FILLS)[number];
  readonly verdict: JudgeVerdict;
  readonly alarms: number;
}

/** Plants every defect of the judge's table under every fill. Deterministic. */
export function checkJudge(): {
  readonly sound: readonly SoundSight[];
  readonly defects: readonly DefectSight[];
} {
  const sound: SoundSight[] = [];
  const defects: DefectSight[] = [];
  for (const fill of SELF_CHECK_FILLS) {
    const { subject, reference } = prepareSubject(fill);
    const look = (output: UnpackedOutput) => judge(reference, output, { canaries: [CANARY] });
    const right = look({
      tensor: { name: 'c', dtype: 'f16', shape: [subject.m, subject.n], data: subject.output },
      covered: subject.output.length,
      padding: [],
    });
    sound.push({ fill, verdict: right.verdict, alarms: right.metrics?.alarms ?? 0 });
    for (const mutation of MUTATIONS) {
      const judgement = look(mutatedOutput(mutation, subject));
      const seen = sightOf(judgement);
      const named = judgement.patterns.some((guess) => guess.kind === mutation.pattern);
      defects.push({
        defect: mutation.name,
        fill,
        expected: mutation[fill],
        seen,
        verdict: judgement.verdict,
        ...(mutation.pattern !== undefined && seen === 'caught' ? { localised: named } : {}),
      });
    }
  }
  return { sound, defects };
}

function sightOf({ verdict, metrics }: Judgement): Sight {
  if (verdict === 'failed-numerics' || verdict === 'failed-contract') return 'caught';
  return (metrics?.alarms ?? 0) > 0 ? 'alarm' : 'missed';
}

function prepareSubject(fill: (typeof SELF_CHECK_FILLS)[number]): {
  subject: MutationSubject;
  reference: Reference;
} {
  const problem = gemmGrammar.parse(`gemm/${SHAPE},fill=${fill}`);
  const { m, k, n } = problem;
  const line = gemmGrammar.print(problem);
  const rounding: GemmRounding = {
    kind: 'gemm-f16-partials',
    microK: 16,
    kPieces: [[0, k]],
    partial: 'f16',
    reduce: 'f32-sum',
    out: 'f16',
    overflow: 'saturate',
  };
  const inputs = gemmInputs(line, problem);
  const [a, b] = inputs.map((tensor) => tensor.data as Uint16Array);
  const product: MutationSubject['product'] = ({ a: otherA = a, b: otherB = b, ...departures }) =>
    emulateGemm({ m, k, n, a: otherA, b: otherB }, rounding, departures);
  const previous = product({ b: FILLS[fill].right(k, n, deriveSeed(line, 'previous b')) });
  const [reference] = gemmCheck(line, problem, inputs, rounding);
  return { subject: { m, k, n, a, b, output: product({}), previous, canary: CANARY, product }, reference };
}
