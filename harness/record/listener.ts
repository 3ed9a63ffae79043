import type { RunView } from './load-run.ts';
import type { RunManifest } from './manifest.ts';
import type { ResultRecord } from './record.ts';
import type { RunDirectory } from './run-directory.ts';

/**
 * Somebody who listens to a run. Listeners are called in the main process, records in the order in which
 * cases end. What a listener throws is reported as a warning and never changes a verdict.
 */
export interface RunListener {
  readonly name: string;
  /** `settled` cases have a record from an earlier part of the run. */
  onStart?(manifest: RunManifest, directory: RunDirectory, settled: number): void;
  onResult?(record: ResultRecord): void;
  /** Something about the run itself, e.g. a process that died. */
  onNotice?(text: string): void;
  /** The run is over. Resolves to the path of what was written, if anything. */
  onEnd?(run: RunView): Promise<string | undefined>;
}
