export { codecOf } from './codec.ts';
export { ulpBucketLabel } from './compare.ts';
export { type CaseJudgement, judge, judgeCase } from './judge.ts';
export type {
  ClassMismatches,
  ErrorMap,
  Extreme,
  JudgeContext,
  Judgement,
  JudgeVerdict,
  Metrics,
  Mismatch,
  PatternGuess,
  Tally,
} from './judgement.ts';
export {
  type Mutation,
  type MutationSubject,
  mutatedOutput,
  type ProductChange,
  type Sight,
} from './mutation.ts';
export { MUTATIONS } from './mutations.ts';
export { errorPicture } from './picture.ts';
