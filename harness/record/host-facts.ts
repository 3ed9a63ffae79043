import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunManifest } from './manifest.ts';

/** Processor, memory and system of this host. */
export function hostFacts(): RunManifest['host'] {
  const processors = cpus();
  return {
    platform: `${process.platform} ${process.arch}`,
    cpu: processors[0]?.model.trim() || 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
  };
}

/** Folder of the installed package: the nearest one above this file with a package.json. */
export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      readFileSync(join(directory, 'package.json'));
      return directory;
    } catch {
      const parent = dirname(directory);
      if (parent === directory) throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`);
      directory = parent;
    }
  }
}

/** Version in this package's package.json. */
export function packageVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Commit of the checkout and whether tracked files differ from it; undefined outside a checkout. */
export function gitFacts(root: string): RunManifest['git'] {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const commit = git('rev-parse', 'HEAD').trim();
    return { commit, dirty: git('status', '--porcelain', '--untracked-files=no').trim() !== '' };
  } catch {
    return undefined;
  }
}
