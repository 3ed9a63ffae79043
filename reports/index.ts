import type { ReportOptions } from '../harness/command/index.ts';
import type { RunListener } from '../harness/record/index.ts';
import { consoleReport } from './console.ts';
import { csvReport } from './csv.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';

/** The listeners of a run, in the order in which they are told. */
export async function reportsFor(options: ReportOptions): Promise<readonly RunListener[]> {
  const listeners = [
    ...(options.console === undefined ? [] : [consoleReport(options.console)]),
    junitReport(),
    csvReport(),
    markdownReport(),
  ];
  if (options.allure) {
    // Loads only when wanted: it is the largest part of the start-up.
    const { allureReport } = await import('./allure.ts');
    listeners.push(allureReport(options.out, options.again === true));
  }
  return listeners;
}
