/**
 * The `capnp` tool of the Cap'n Proto project as an independent reader and writer of our files: field names
 * and values as it sees them, and messages as it lays them out. Skipped where the tool is not installed
 * (Debian package capnproto).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPackage, readProfile, writePackage, writeProfile } from './index.ts';
import { arbitraryApplication, arbitraryProfile } from './testing/arbitrary.ts';
import { sampleApplication } from './testing/sample.ts';

const schemas = fileURLToPath(new URL('schema', import.meta.url));
const installed = spawnSync('capnp', ['--version']).status === 0;

function convert(formats: string, schema: string, type: string, input: Uint8Array): Buffer {
  const run = spawnSync('capnp', ['convert', formats, `${schemas}/${schema}`, type], {
    input,
    maxBuffer: 2 ** 28,
  });
  if (run.status !== 0) throw new Error(`capnp convert ${formats}: ${run.stderr}`);
  return run.stdout;
}

/** JSON for the tool, which (version 0.9.2) misreads letters among the digits of a `\u` escape. */
function toolJson(value: unknown): Buffer {
  const json = JSON.stringify(value).replace(/\\(?:\\|u(00[01][a-f]))/g, (found, digits?: string) =>
    digits === undefined ? found : String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(json);
}

const WIDE = new Set(['fileOffset', 'size', 'pageOffset', 'commandOffset', 'clockHz']);

/**
 * The model as the tool's JSON: 64-bit numbers as strings, bytes as numbers, empty lists left out (we write
 * them as null pointers). `size` has 32 bits in debug regions only.
 */
function asJson(value: unknown, key = '', parent = ''): unknown {
  if (value instanceof Uint8Array) return value.length === 0 ? undefined : [...value];
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => asJson(item, '', key));
  if (typeof value === 'number') return WIDE.has(key) && parent !== 'debugRegions' ? `${value}` : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const json = asJson(field, name, parent);
      return json === undefined ? [] : [[name, json]];
    }),
  );
}

const packageHeader = { schemaVersion: 5, target: 'ipu21', tileMemoryBase: 0x4c000, tileMemorySize: 0x9c000 };

describe.skipIf(!installed)('capnp as a witness (needs the capnp tool)', () => {
  const applications = [sampleApplication, ...fc.sample(arbitraryApplication, { numRuns: 25, seed: 5 })];

  it('reads our packages and sees the same fields', () => {
    for (const application of applications) {
      const json = convert('binary:json', 'application.capnp', 'Application', writePackage(application));
      expect(JSON.parse(json.toString())).toEqual({ ...packageHeader, ...(asJson(application) as object) });
    }
  });

  it('writes packages that we read', () => {
    for (const application of applications) {
      const json = toolJson({ ...packageHeader, ...(asJson(application) as object) });
      const bytes = convert('json:binary', 'application.capnp', 'Application', json);
      expect(readPackage(bytes)).toEqual(application);
    }
  });

  it('writes large packages in several segments with far pointers, which we read', () => {
    const tiles = Array.from({ length: 24 }, (_, physicalTile) => ({
      ...sampleApplication.tiles[0]!,
      physicalTile,
      segments: Array.from({ length: 12 }, (_, part) => ({
        address: 0x80000 + 4096 * part,
        memorySize: 4096,
        data: new Uint8Array(97 * (part + 1)).fill(physicalTile),
        flags: 3,
      })),
    }));
    const application = { ...sampleApplication, tiles };
    const json = toolJson({ ...packageHeader, ...(asJson(application) as object) });
    const bytes = convert('json:binary', 'application.capnp', 'Application', json);
    expect(bytes.readUInt32LE(0) + 1).toBeGreaterThan(3);
    expect(readPackage(bytes)).toEqual(application);
  });

  it('agrees on profiles in both directions', () => {
    for (const profile of fc.sample(arbitraryProfile, { numRuns: 15, seed: 6 })) {
      const expected = { schemaVersion: 5, ...(asJson(profile) as object) };
      const json = convert('binary:json', 'profile.capnp', 'Profile', writeProfile(profile));
      expect(JSON.parse(json.toString())).toEqual(expected);
      const bytes = convert('json:binary', 'profile.capnp', 'Profile', toolJson(expected));
      expect(readProfile(bytes)).toEqual(profile);
    }
  });

  it('regenerates the committed code', () => {
    const folder = mkdtempSync(join(tmpdir(), 'capnp-'));
    try {
      const names = ['profile-common.capnp', 'profile.capnp', 'application.capnp'];
      const paths = names.map((name) => join(schemas, name));
      const plugin = join(schemas, 'generator.mjs');
      const run = spawnSync('capnp', ['compile', `--src-prefix=${schemas}`, `-o${plugin}`, ...paths], {
        cwd: folder,
      });
      expect(run.status, `${run.stderr}`).toBe(0);
      for (const name of names) {
        const committed = readFileSync(join(schemas, '..', 'generated', `${name}.ts`), 'utf8');
        expect(readFileSync(join(folder, `${name}.ts`), 'utf8')).toBe(committed);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
