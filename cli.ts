#!/usr/bin/env node
/** Composition root of the command line: joins harness, suites, device and reports. */
import { realpathSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type House, main } from './harness/command/index.ts';

/** The command line's parts around a composition module. */
export function houseOf(compositionUrl: string): House {
  return {
    compositionUrl,
    async loadReports(options) {
      const { reportsFor } = await import('./reports/index.ts');
      return reportsFor(options);
    },
    async loadWorkbench() {
      const { workbench } = await import('./suites/workbench/commands.ts');
      return workbench;
    },
  };
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === self) {
  const composition = new URL(`./suites/composition${extname(self)}`, import.meta.url);
  process.exitCode = await main(process.argv.slice(2), houseOf(composition.href));
}
