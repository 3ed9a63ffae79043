import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { messageOf, RunError } from './errors.ts';
import { makeFolders } from './folders.ts';

/** Files and folders of one run, `<out>/<run id>/`. */
export interface RunDirectory {
  readonly id: string;
  readonly path: string;
  readonly manifest: string;
  readonly results: string;
  /** Pictures and listings of failing cases, one folder per case. */
  readonly cases: string;
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const LATEST = 'latest';

/** Names inside a run directory. */
export function runDirectory(path: string): RunDirectory {
  const absolute = resolve(path);
  return {
    id: basename(absolute),
    path: absolute,
    manifest: join(absolute, 'run.json'),
    results: join(absolute, 'results.jsonl'),
    cases: join(absolute, 'cases'),
  };
}

/** UTC second and eight hexadecimal digits of a hash, e.g. `20260131T235959Z-0a1b2c3d`. */
export function makeRunId(startedAt: Date, hashed: readonly string[]): string {
  const stamp = startedAt
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:]/g, '');
  const hash = createHash('sha256').update(hashed.join('\0'), 'utf8').digest('hex');
  return `${stamp}-${hash.slice(0, 8)}`;
}

/** Makes the directory of a new run. Throws RunError when it exists or cannot be written. */
export function createRunDirectory(out: string, id: string): RunDirectory {
  if (!RUN_ID.test(id) || id === LATEST) {
    throw new RunError(
      `run id ${JSON.stringify(id.slice(0, 120))} is not usable`,
      'Use letters, digits, dots, dashes and underscores, at most 100 of them, and not "latest".',
      2,
    );
  }
  const directory = runDirectory(join(out, id));
  try {
    makeFolders(out);
  } catch (error) {
    throw new RunError(
      `output directory ${resolve(out)} cannot be made: ${messageOf(error)}`,
      'Choose a writable directory with --out.',
      4,
      error,
    );
  }
  try {
    mkdirSync(directory.path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new RunError(
        `run directory ${directory.path} exists already`,
        'Choose another --run-id, or continue that run with --resume.',
        2,
        error,
      );
    }
    throw new RunError(
      `run directory ${directory.path} cannot be made: ${messageOf(error)}`,
      'Choose a writable directory with --out.',
      4,
      error,
    );
  }
  return directory;
}

/** Points `<out>/latest` at a run, in one step. A file system without symbolic links is no error. */
export function pointLatestAt(out: string, id: string): void {
  const draft = join(out, `.latest.${process.pid}`);
  try {
    rmSync(draft, { force: true });
    symlinkSync(id, draft);
    renameSync(draft, join(out, LATEST));
  } catch {
    rmSync(draft, { force: true });
  }
}

/** A run by id, by directory, or `latest`. Throws RunError when there is none. */
export function findRun(out: string, name: string): RunDirectory {
  for (const path of [join(out, name), name]) {
    const directory = runDirectory(path);
    if (existsSync(directory.manifest)) return directory;
  }
  throw new RunError(
    `no run ${JSON.stringify(name.slice(0, 120))}: neither ${resolve(out, name)} nor ${resolve(name)} has a run.json`,
    'Name a run by its id, its directory, or latest, and its parent with --out.',
    2,
  );
}
