import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf, RunError, SchemaError } from './errors.ts';
import { describeIssue } from './record.ts';

export const MANIFEST_VERSION = 1;

/** `run.json`: what was planned, by whom, with what. Written before the first case and again at the end. */
export const runManifest = z.object({
  schemaVersion: z.literal(MANIFEST_VERSION),
  run: z.string(),
  state: z.enum(['running', 'finished', 'interrupted']),
  /** UTC, ISO 8601. */
  startedAt: z.string(),
  endedAt: z.string().optional(),
  /** Canonical case lines in order; a case that left no record is not-run. */
  planned: z.array(z.string()),
  device: z.object({ kind: z.string(), tiles: z.number(), clockHz: z.number(), model: z.string() }),
  /** Effective options of the command, as words. */
  options: z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.string()),
  git: z.object({ commit: z.string(), dirty: z.boolean() }).optional(),
  host: z.object({
    platform: z.string(),
    cpu: z.string(),
    cores: z.number(),
    memoryBytes: z.number(),
  }),
});

export type RunManifest = z.infer<typeof runManifest>;

/** Replaces the file in one step, so that a reader sees the old or the new one. */
export function writeManifest(path: string, manifest: RunManifest): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(manifest, undefined, 2)}\n`);
  renameSync(draft, path);
}

/** Throws RunError when there is none, SchemaError when it is malformed. */
export function readManifest(path: string): RunManifest {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new RunError(
      `manifest ${path} cannot be read: ${messageOf(error)}`,
      'Name a run by its id, its directory, or latest.',
      2,
      error,
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new SchemaError(`${path}: not JSON: ${messageOf(error)}`);
  }
  const result = runManifest.safeParse(parsed);
  if (result.success) return result.data;
  throw new SchemaError(`${path}: ${describeIssue(result.error)}`);
}
