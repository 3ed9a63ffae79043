import { type CycleBudgets, checkBudget, type KnownFailures } from '../budget/index.ts';
import type { CaseJudgement } from '../judge/index.ts';
import type {
  CallOutcome,
  CompiledCase,
  DeviceIdentity,
  PreparedCase,
  Reference,
  UnpackedOutput,
} from '../ports.ts';
import { RECORD_VERSION, type ResultRecord, reproLine, type Verdict } from '../record/index.ts';
import { recordOutputs, worstBoundRatio } from './record-outputs.ts';
import { speedOf } from './speed.ts';
import type { StageClock } from './stage-clock.ts';

/** What a case is run under. */
export interface CaseOptions {
  readonly run: string;
  /** Position among the planned cases. */
  readonly index: number;
  readonly lane: number;
  readonly canaries: readonly number[];
  readonly budgets: CycleBudgets;
  readonly known: KnownFailures;
  /** Hands the package over as the device will see it; may write it to a file and read it back. */
  readonly packageStage?: (packageBytes: Uint8Array) => Uint8Array;
}

/** What a case left behind, as far as it got. */
export interface Evidence {
  prepared?: PreparedCase;
  compiled?: CompiledCase;
  packed?: ReadonlyMap<string, Uint8Array>;
  outcome?: CallOutcome;
  outputs?: readonly UnpackedOutput[];
  references?: readonly Reference[];
  judgement?: CaseJudgement;
}

/** Verdict, reasons and the error behind them. */
export interface Finding {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
  readonly failure?: ResultRecord['failure'];
}

/** The record of a case; `ended` says why it was not judged. */
export function makeRecord(
  line: string,
  operation: string,
  identity: DeviceIdentity,
  options: CaseOptions,
  clock: StageClock,
  evidence: Evidence,
  ended?: Finding,
): ResultRecord {
  const { prepared, compiled, outcome, outputs = [], judgement } = evidence;
  const known = options.known.get(line);
  const speed =
    outcome === undefined || prepared === undefined
      ? undefined
      : speedOf(identity, prepared.inputs, outcome.cycles, prepared.flops);
  const budget = outcome === undefined ? undefined : checkBudget(options.budgets, line, outcome.cycles);
  const boundRatio = judgement === undefined ? undefined : worstBoundRatio(judgement);
  const found = ended ?? judged(judgement, speed?.implausible, budget?.reason);
  const { verdict, reasons, failure } = known === undefined ? found : expected(found, known);
  return {
    schemaVersion: RECORD_VERSION,
    run: options.run,
    index: options.index,
    case: line,
    operation,
    verdict,
    reason: reasons[0] ?? '',
    reasons: [...reasons],
    ...(failure === undefined ? {} : { failure }),
    device: { ...identity },
    inputs: (prepared?.inputs ?? []).map(({ name, dtype, shape }) => {
      const seed = prepared?.seeds?.[name];
      return { name, dtype, shape: [...shape], ...(seed === undefined ? {} : { seed }) };
    }),
    ...(compiled === undefined
      ? {}
      : {
          package: { sha256: compiled.digest, bytes: compiled.packageBytes.byteLength },
          compile: compiled.report as NonNullable<ResultRecord['compile']>,
        }),
    outputs: judgement === undefined ? [] : recordOutputs(judgement, outputs),
    ...(boundRatio === undefined ? {} : { boundRatio }),
    ...(isCount(outcome?.cycles) ? { cycles: outcome.cycles } : {}),
    ...(isCount(outcome?.instructions) ? { instructions: outcome.instructions } : {}),
    ...(speed === undefined ? {} : { microseconds: speed.microseconds }),
    ...(prepared?.flops === undefined ? {} : { flops: prepared.flops }),
    ...(speed?.tflops === undefined ? {} : { tflops: speed.tflops }),
    ...(budget === undefined ? {} : { budget: { limitCycles: budget.limitCycles, ratio: budget.ratio } }),
    ...(known === undefined ? {} : { known: { ...known } }),
    repro: reproLine(line),
    artefacts: [],
    host: {
      lane: options.lane,
      startedAt: clock.startedAt,
      stages: clock.stages,
      ...(compiled === undefined ? {} : { compileStages: { ...compiled.stageMilliseconds } }),
      totalMilliseconds: clock.total(),
    },
  };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}

/** Verdict of a case that was judged: the judge's word first, then the measurement's sense, then the budget. */
function judged(
  judgement: CaseJudgement | undefined,
  implausible: string | undefined,
  overBudget: string | undefined,
): Finding {
  if (judgement === undefined) return { verdict: 'not-run', reasons: ['the case was not judged'] };
  if (judgement.verdict !== 'passed') return judgement;
  if (implausible !== undefined) return { verdict: 'mistrusted', reasons: [implausible] };
  if (overBudget !== undefined) return { verdict: 'failed-budget', reasons: [overBudget] };
  return judgement;
}

/** A known failure that fails as expected is accepted, one that passes is told; any other verdict stands. */
function expected(found: Finding, known: NonNullable<ResultRecord['known']>): Finding {
  if (found.verdict === known.expect) {
    return {
      ...found,
      verdict: 'known-failure',
      reasons: [`${known.why} (${known.owner}, until ${known.expires})`, ...found.reasons],
    };
  }
  if (found.verdict !== 'passed') return found;
  return {
    verdict: 'unexpected-pass',
    reasons: [
      `passes, but is listed as ${known.expect}: ${known.why} (${known.owner}); take it off the list`,
    ],
  };
}
