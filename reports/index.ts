import type { ReportOptions } from '../harness/command/index.ts';
import type { RunListener } from '../harness/record/index.ts';
import { consoleReport } from './console.ts';

/** The listeners of a run, in the order in which they are told. */
export function reportsFor(options: ReportOptions): readonly RunListener[] {
  return [...(options.console === undefined ? [] : [consoleReport(options.console)])];
}
