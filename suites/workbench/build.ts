import { readFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { type Assembled, assemble, type Includes } from '../../compiler/assembler/text/index.ts';
import { type LinkedImage, link, type ObjectFile, readElf } from '../../compiler/object/index.ts';
import { type Application, writePackage } from '../../device/package/index.ts';
import { UsageError } from '../../harness/case/index.ts';
import { BENCH, type Layout, type PlacedArray } from './layout.ts';
import type { KernelSpec } from './spec.ts';
import { mostArguments, STUB_ENTRY, stubObject } from './stub.ts';

const PERMISSIONS = 7;

/** The kernel's objects, built once for all cases. */
export interface BuiltKernel {
  readonly objects: readonly ObjectFile[];
  readonly assembled: readonly Assembled[];
}

/** A file for a person who named it. Throws UsageError. */
export function readNamed(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(
      `${path} cannot be read: ${(error as Error).message}`,
      'file',
      path,
      'a readable file',
    );
  }
}

/** Includes beside the including file, then in the folders. */
export const includesIn =
  (folders: readonly string[]): Includes =>
  (name, from) => {
    for (const folder of [dirname(from), ...folders]) {
      const file = resolve(folder, name);
      try {
        return { file, text: readFileSync(file, 'utf8') };
      } catch {
        // The next folder may have it.
      }
    }
    return undefined;
  };

/** Assembles or reads the sources of a spec. Throws AssemblyError, ObjectError, UsageError. */
export function buildKernel(spec: KernelSpec): BuiltKernel {
  const assembled: Assembled[] = [];
  const objects = spec.sources.map((source) => {
    const path = resolve(spec.folder, source);
    const bytes = readNamed(path);
    if (extname(source) === '.o') return readElf(bytes, source);
    const result = assemble(bytes.toString('utf8'), {
      file: path,
      defines: new Map(Object.entries(spec.defines).map(([name, value]) => [name, String(value)])),
      include: includesIn(spec.include.map((folder) => resolve(spec.folder, folder))),
    });
    assembled.push(result);
    return result.object;
  });
  const count = spec.arguments.length;
  if (count > mostArguments(spec.context))
    throw new UsageError(
      `${count} arguments`,
      'arguments',
      String(count),
      `at most ${mostArguments(spec.context)} for ${spec.context} code`,
    );
  return { objects, assembled };
}

export interface BenchProgram {
  readonly packageBytes: Uint8Array;
  readonly image: LinkedImage;
}

/** Links bench and kernel for one case and writes the package. */
export function benchProgram(spec: KernelSpec, kernel: BuiltKernel, layout: Layout): BenchProgram {
  const image = link([stubObject(spec.entry, spec.context, layout.words), ...kernel.objects], {
    regions: [BENCH.stub, BENCH.code],
    entry: STUB_ENTRY,
  });
  const bound = (kinds: readonly string[]) =>
    layout.arrays.filter(({ spec: { kind } }) => kinds.includes(kind));
  const application: Application = {
    compilerVersion: 'workbench',
    tiles: [
      {
        physicalTile: 0,
        entryPoint: image.entry ?? BENCH.stub.start,
        segments: [
          ...image.segments.map(({ address, bytes, memorySize }) => ({
            address,
            memorySize,
            data: bytes,
            flags: PERMISSIONS,
          })),
          words(BENCH.arguments, layout.words),
        ],
        commandAddress: 0,
        diagnosticAddress: BENCH.arguments,
      },
    ],
    inputs: bound(['input', 'inout']).map(bindingOf),
    outputs: bound(['output', 'inout']).map(bindingOf),
    weights: [],
    hostExchange: { startupMark: 0, commandPage: 0, commandOffset: 0, pages: [], attachOrder: [], calls: [] },
    entryPoints: [{ name: 'run', command: 0, externalSyncs: 0 }],
    deviceConfigWrites: [],
    profileTiles: [],
    debugSymbols: [...image.symbols].map(([name, address]) => ({ name, address })),
    debugRegions: [],
  };
  return { packageBytes: writePackage(application), image };
}

function words(address: number, values: readonly number[]) {
  const data = new Uint8Array(Uint32Array.from(values.length === 0 ? [0] : values).buffer);
  return { address, memorySize: data.length, data, flags: PERMISSIONS };
}

const bindingOf = ({ spec, shape, address, bytes }: PlacedArray) => ({
  name: spec.name,
  dtype: spec.type,
  shape,
  slices: [{ tile: 0, tileAddress: address, fileOffset: 0, size: bytes }],
});
