import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and its missing parents, one plain call each. Node's recursive mkdir never returns where the
 * file system refuses new entries with ENOENT (below /proc). Throws the file system's error.
 */
export function makeFolders(folder: string): void {
  const missing: string[] = [];
  let path = resolve(folder);
  while (!existsSync(path) && dirname(path) !== path) {
    missing.push(path);
    path = dirname(path);
  }
  for (const next of missing.reverse()) {
    try {
      mkdirSync(next);
    } catch (error) {
      // Another process may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  if (!statSync(folder).isDirectory()) {
    throw Object.assign(new Error(`ENOTDIR: ${folder} is not a directory`), { code: 'ENOTDIR' });
  }
}
