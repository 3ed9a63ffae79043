import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from './folders.ts';

const root = mkdtempSync(join(tmpdir(), 'folders-'));

it('makes missing parents and accepts what is there', () => {
  const deep = join(root, 'a/b/c');
  makeFolders(deep);
  makeFolders(deep);
  expect(statSync(deep).isDirectory()).toBe(true);
});

it('refuses a file in the place of a folder', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => makeFolders(join(root, 'file'))).toThrow(/ENOTDIR/);
  expect(() => makeFolders(join(root, 'file/below'))).toThrow();
});

it.runIf(existsSync('/proc/self'))('returns with an error where nothing can be made', () => {
  expect(() => makeFolders('/proc/nope/deeper')).toThrow(/ENOENT|EACCES|EPERM/);
});
