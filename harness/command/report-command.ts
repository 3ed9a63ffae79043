import { findRun, loadRun, messageOf, RunError, summaryLine } from '../record/index.ts';
import type { House } from './house.ts';

export interface ReportFlags {
  readonly out: string;
  readonly allure: boolean;
}

/**
 * Writes the reports of a run again from `results.jsonl`. A torn last line is told and left out; cases without a
 * record show as not-run.
 */
export async function reportCommand(house: House, name: string, flags: ReportFlags): Promise<void> {
  const run = loadRun(findRun(flags.out, name).path);
  if (run.file.tornBytes > 0) {
    process.stderr.write(
      `ipu-verify: the last line of ${run.directory.results} is torn; its ${run.file.tornBytes} bytes are left out\n`,
    );
  }
  const listeners = await house.loadReports({ out: flags.out, allure: flags.allure, again: true });
  for (const listener of listeners) {
    let path: string | undefined;
    try {
      path = await listener.onEnd?.(run);
    } catch (error) {
      throw new RunError(
        `report ${listener.name} of ${run.directory.path} cannot be written: ${messageOf(error)}`,
        'Make the run directory writable, or leave the report out.',
        4,
        error,
      );
    }
    if (path !== undefined) process.stdout.write(`${listener.name}: ${path}\n`);
  }
  process.stdout.write(`run ${run.manifest.run}: ${summaryLine(run.summary)}\n`);
}
