import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../record/index.ts';

/** What a finished command left behind. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command line around the toy operation, in a folder of its own. */
export class BuiltCommand {
  readonly folder: string;
  readonly #script: string;

  /** Compiles what changed since the last build; type errors are the type check's business. */
  constructor() {
    const root = packageRoot();
    try {
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'pipe' });
    } catch (error) {
      if ((error as { readonly status?: number | null }).status === null) throw error;
    }
    this.folder = mkdtempSync(join(tmpdir(), 'ipu-verify-command-'));
    this.#script = join(this.folder, 'toy.mjs');
    const built = (path: string) => pathToFileURL(join(root, 'build', path)).href;
    writeFileSync(
      this.#script,
      [
        `import { houseOf } from '${built('cli.js')}';`,
        `import { main } from '${built('harness/command/index.js')}';`,
        `const house = houseOf('${built('harness/run/fixture/composition.js')}');`,
        'process.exitCode = await main(process.argv.slice(2), house);',
      ].join('\n'),
    );
  }

  get runs(): string {
    return join(this.folder, 'runs');
  }

  /** Starts a command in the folder. */
  start(...args: readonly string[]): ChildProcess {
    const { CI: _ci, VITEST: _vitest, NODE_ENV: _env, ...env } = process.env;
    return spawn(process.execPath, [this.#script, ...args], { cwd: this.folder, env, stdio: 'pipe' });
  }

  /** Runs a command to its end. */
  async run(...args: readonly string[]): Promise<Finished> {
    return finished(this.start(...args));
  }
}

/** Collects the output of a process until it ends. */
export async function finished(child: ChildProcess): Promise<Finished> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...texts };
}

/** Resolves when a condition holds; the test's own time limit ends the wait. */
export async function until<T>(condition: () => T | undefined): Promise<T> {
  for (;;) {
    const value = condition();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
