import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PackageError } from './error.ts';
import type { Application, Profile } from './model.ts';
import { readPackage } from './read/package.ts';
import { readProfile } from './read/profile.ts';
import { writePackage } from './write/package.ts';
import { writeProfile } from './write/profile.ts';

/** Reads and validates a package file. Throws PackageError; kind `io` when the file cannot be read. */
export async function readPackageFile(path: string): Promise<Application> {
  return readPackage(await readBytes(path));
}

/** Reads a profile file. Throws PackageError; kind `io` when the file cannot be read. */
export async function readProfileFile(path: string): Promise<Profile> {
  return readProfile(await readBytes(path));
}

/**
 * Validates and writes a package file. The file appears complete or not at all: a temporary file in the same
 * folder is written, synchronised and renamed. Throws PackageError; kind `io` when the file system refuses.
 */
export async function writePackageFile(path: string, application: Application): Promise<void> {
  await writeBytes(path, writePackage(application));
}

/** Writes a profile file in the same way. */
export async function writeProfileFile(path: string, profile: Profile): Promise<void> {
  await writeBytes(path, writeProfile(profile));
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw ioError(`cannot read ${path}`, path, cause);
  }
}

let temporaryFiles = 0;

async function writeBytes(path: string, bytes: Uint8Array): Promise<void> {
  temporaryFiles += 1;
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${temporaryFiles}.tmp`);
  try {
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw ioError(`cannot write ${path}`, path, cause);
  }
}

function ioError(what: string, path: string, cause: unknown): PackageError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PackageError('io', `${what}: ${reason}`, {
    verdict: 'infra-error',
    facts: { path },
    advice: 'Check that the path exists, that you may use it and that the disk has space.',
    cause,
  });
}
