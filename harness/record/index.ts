export { messageOf, RunError, SchemaError } from './errors.ts';
export { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
export { makeFolders } from './folders.ts';
export { gitFacts, hostFacts, packageRoot, packageVersion } from './host-facts.ts';
export type { RunListener } from './listener.ts';
export { type LoadedRun, loadRun, type RunView, reproLine, viewRun } from './load-run.ts';
export { MANIFEST_VERSION, type RunManifest, readManifest, writeManifest } from './manifest.ts';
export {
  decodeRecord,
  encodeJson,
  encodeRecord,
  RECORD_VERSION,
  type RecordArtefact,
  type RecordFailure,
  type RecordOutput,
  type ResultRecord,
} from './record.ts';
export { dropTornLine, type ResultsFile, ResultsWriter, readResults } from './results-file.ts';
export {
  createRunDirectory,
  findRun,
  makeRunId,
  pointLatestAt,
  type RunDirectory,
  runDirectory,
} from './run-directory.ts';
export {
  failedCases,
  formatRatio,
  isWorseRatio,
  type RunSummary,
  summarize,
  summaryLine,
} from './summary.ts';
export {
  countClass,
  countVerdicts,
  isFailure,
  VERDICT_CLASS,
  VERDICTS,
  type Verdict,
  type VerdictClass,
  type VerdictCounts,
} from './verdicts.ts';
