// What the engine binary was built from, so that an old one is noticed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
/** Written beside the binary. */
export const FINGERPRINT_FILE = join(here, '../../../build/engine/sources.sha256');

/** Digest of every source of the engine, generated ones included. */
export function sourcesFingerprint() {
  const hash = createHash('sha256');
  const names = readdirSync(here).filter((name) => /\.(ts|mjs)$/.test(name));
  for (const name of names.sort()) hash.update(`${name}\0`).update(readFileSync(join(here, name)));
  return hash.digest('hex');
}

/** True when the binary was built from the sources as they are. */
export const isCurrent = () =>
  existsSync(FINGERPRINT_FILE) && readFileSync(FINGERPRINT_FILE, 'utf8') === sourcesFingerprint();
