export {
  type CorpusFile,
  corpusDirectory,
  parseTier,
  readCorpus,
  TIERS,
  type Tier,
  type TierCorpus,
  tierCorpus,
} from './corpus.ts';
export { expandLine } from './expand.ts';
export { type FieldTable, int, optionalText, type ProblemOf, word } from './fields.ts';
export { type CaseGrammar, defineGrammar } from './grammar.ts';
export { entryOf, joinLine, type RawCase, splitLine, withEntry } from './line.ts';
export { didYouMean, nearest } from './nearest.ts';
export { deriveSeed, formatSeed } from './seed.ts';
export { type CaseSource, findOperation, type SelectionOptions, selectCases } from './selection.ts';
export { UsageError } from './usage-error.ts';
