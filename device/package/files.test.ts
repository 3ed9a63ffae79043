import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Application,
  PackageError,
  readPackageFile,
  readProfileFile,
  writePackage,
  writePackageFile,
  writeProfileFile,
} from './index.ts';
import { sampleApplication } from './testing/sample.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ipuexe-'));
});
afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

async function errorOf(action: Promise<unknown>): Promise<PackageError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PackageError);
  return error as PackageError;
}

describe('package files', () => {
  it('round trip and replace an older file, leaving nothing else behind', async () => {
    const path = join(folder, 'a.ipuexe');
    await writeFile(path, 'old');
    await writePackageFile(path, sampleApplication);
    expect(await readPackageFile(path)).toEqual(sampleApplication);
    expect(Buffer.compare(await readFile(path), writePackage(sampleApplication))).toBe(0);
    const profile = { clockHz: 1_500_000_000, tiles: [{ physicalTile: 1, samples: [] }] };
    await writeProfileFile(join(folder, 'a.profile'), profile);
    expect(await readProfileFile(join(folder, 'a.profile'))).toEqual(profile);
    expect((await readdir(folder)).sort()).toEqual(['a.ipuexe', 'a.profile']);
  });

  it('parallel writers leave one whole file', async () => {
    const path = join(folder, 'a.ipuexe');
    const versions = Array.from({ length: 8 }, (_, index) => ({
      ...sampleApplication,
      compilerVersion: `v${index}`,
    }));
    await Promise.all(versions.map((application) => writePackageFile(path, application)));
    expect(versions).toContainEqual(await readPackageFile(path));
    expect(await readdir(folder)).toEqual(['a.ipuexe']);
  });

  it('keep the old file when the model is invalid', async () => {
    const path = join(folder, 'a.ipuexe');
    await writePackageFile(path, sampleApplication);
    const invalid: Application = { ...sampleApplication, tiles: [] };
    expect((await errorOf(writePackageFile(path, invalid))).kind).toBe('invalid');
    expect(await readPackageFile(path)).toEqual(sampleApplication);
    expect(await readdir(folder)).toEqual(['a.ipuexe']);
  });

  it('missing, unreadable and unwritable paths are I/O errors that name the path', async () => {
    const missing = join(folder, 'none', 'a.ipuexe');
    const read = await errorOf(readPackageFile(missing));
    expect([read.kind, read.verdict, read.facts['path']]).toEqual(['io', 'infra-error', missing]);
    expect(read.message).toMatch(/^I\/O error: cannot read .*none.a\.ipuexe: ENOENT/);
    expect((await errorOf(readPackageFile(folder))).message).toMatch(/EISDIR/);
    expect((await errorOf(readProfileFile(missing))).kind).toBe('io');
    const write = await errorOf(writePackageFile(missing, sampleApplication));
    expect(write.message).toMatch(/^I\/O error: cannot write .*none.a\.ipuexe: ENOENT/);
  });

  it('a failed rename removes the temporary file', async () => {
    const path = join(folder, 'a.ipuexe');
    await mkdir(path);
    await writeFile(join(path, 'inhabitant'), '');
    const error = await errorOf(writePackageFile(path, sampleApplication));
    expect([error.kind, error.cause instanceof Error]).toEqual(['io', true]);
    expect(await readdir(folder)).toEqual(['a.ipuexe']);
  });

  it('a damaged file is a Cap’n Proto error', async () => {
    const path = join(folder, 'a.ipuexe');
    await writeFile(path, 'not a package, but sixteen bytes and more');
    expect((await errorOf(readPackageFile(path))).kind).toBe('capnp');
    await writeFile(path, '');
    expect((await errorOf(readPackageFile(path))).message).toMatch(/the file has 0 bytes/);
  });
});
