import type { RunListener } from '../record/index.ts';

/** What the reports of one run need to know. */
export interface ReportOptions {
  /** Where runs are kept; history between runs lives here. */
  readonly out: string;
  readonly allure: boolean;
  /** Reports of a run that was reported before: trends must not count it twice. */
  readonly again?: boolean;
  /** Where people read along; undefined when a program reads. */
  readonly console?: Terminal;
}

/** Where text goes. */
export interface Terminal {
  readonly write: (text: string) => void;
  /** Whether lines may be redrawn and coloured. */
  readonly interactive: boolean;
}

/** What the command line is built of besides the harness. Parts load when they are first needed. */
export interface House {
  /** Module that exports a `composition`; worker processes load it too. */
  readonly compositionUrl: string;
  loadReports(options: ReportOptions): Promise<readonly RunListener[]>;
}
