import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findOperation } from '../case/index.ts';
import type { Tensor } from '../ports.ts';
import { makeFolders } from '../record/folders.ts';
import { countVerdicts, encodeJson, encodeRecord, exitCodeOf, messageOf, RunError } from '../record/index.ts';
import { type CaseTrace, caseHash, executeCase, loadComposition, writeErrorMaps } from '../run/index.ts';
import type { House } from './house.ts';
import { encodeNpy } from './npy.ts';
import { reproText } from './repro-text.ts';

export interface ReproFlags {
  readonly device: string;
  readonly threads: number;
  readonly out: string;
  readonly listing?: number;
  readonly json?: boolean;
}

/**
 * Runs one case in this process and keeps everything in `<out>/repro-<hash>/`: the package as the device loaded it,
 * inputs and outputs as NumPy files, error maps, the record. Returns the exit code of the verdict.
 */
export async function reproCommand(house: House, text: string, flags: ReproFlags): Promise<number> {
  const composition = await loadComposition(house.compositionUrl);
  const operation = findOperation(composition.operations, text);
  const line = operation.canonical(text);
  const device = await composition.openDevice({ name: flags.device, threads: flags.threads });
  const name = `repro-${caseHash(line)}`;
  const folder = makeFolder(flags.out, name);
  try {
    const trace = await executeCase(line, operation, device, {
      run: name,
      index: 0,
      lane: 0,
      canaries: composition.canaries,
      budgets: new Map(),
      known: new Map(),
      packageStage: (bytes) => {
        const path = join(folder, 'package.ipuexe');
        writeFileSync(path, bytes);
        return new Uint8Array(readFileSync(path));
      },
    });
    const record = { ...trace.record, artefacts: writeErrorMaps(trace, folder) };
    writeEvidence(folder, { ...trace, record });
    if (flags.json) process.stdout.write(`${encodeRecord(record)}\n`);
    else process.stdout.write(`${reproText({ ...trace, record })}\n`);
    if (flags.listing !== undefined && !flags.json) {
      process.stdout.write(`\n${listingOf(trace, flags.listing)}\n`);
    }
    if (!flags.json) process.stdout.write(`\nfiles: ${folder}\n`);
    return exitCodeOf(countVerdicts([record.verdict]), { strict: false, interrupted: false });
  } finally {
    await device.close();
  }
}

function makeFolder(out: string, name: string): string {
  const folder = resolve(out, name);
  try {
    makeFolders(folder);
  } catch (error) {
    throw new RunError(
      `folder ${folder} cannot be made: ${messageOf(error)}`,
      'Choose a writable directory with --out.',
      4,
      error,
    );
  }
  return folder;
}

function writeEvidence(folder: string, trace: CaseTrace): void {
  const write = (kind: string, tensor: Tensor) =>
    writeFileSync(join(folder, `${kind}-${fileName(tensor.name)}.npy`), encodeNpy(tensor));
  for (const tensor of trace.prepared?.inputs ?? []) write('input', tensor);
  for (const { tensor } of trace.outputs ?? []) write('output', tensor);
  writeFileSync(join(folder, 'record.json'), `${encodeJson(trace.record, 2)}\n`);
  writeFileSync(join(folder, 'repro.txt'), `${reproText(trace)}\n`);
}

function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_');
}

/** The listing, or why there is none. */
function listingOf({ compiled }: CaseTrace, tile: number): string {
  if (compiled === undefined) return `tile ${tile} has no listing: the case did not compile`;
  try {
    return `program of tile ${tile}\n${compiled.listing(tile)}`;
  } catch (error) {
    return `tile ${tile} has no listing: ${messageOf(error)}`;
  }
}
