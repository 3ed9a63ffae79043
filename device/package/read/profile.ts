import { PackageError } from '../error.ts';
import { type Profile, SCHEMA_VERSION } from '../model.ts';
import { StructReader } from '../wire/structReader.ts';
import { readStep } from './step.ts';

/**
 * Reads a cycle profile of schema version 1 to 5 [SW]. Throws PackageError, and nothing else, for every
 * file that is damaged or incompatible; time and memory are bounded by the file size.
 */
export function readProfile(bytes: Uint8Array): Profile {
  const root = StructReader.root(bytes);
  const schemaVersion = root.u32(0);
  if (schemaVersion < 1 || schemaVersion > SCHEMA_VERSION) {
    const detail = `unsupported profile schema version ${schemaVersion}; supported are 1 to ${SCHEMA_VERSION}`;
    throw new PackageError('invalid', detail, {
      verdict: 'infra-error',
      facts: { schemaVersion },
      advice: 'Measure the profile again with this version.',
    });
  }
  return {
    clockHz: root.u64(8, 'clockHz'),
    tiles: root.structs(0, 'tiles', (tile) => ({
      physicalTile: tile.u32(0),
      samples: tile.structs(0, 'samples', (sample) => ({
        step: readStep(sample.struct(0, 'step')),
        startCycle: sample.u32(0),
        endCycle: sample.u32(4),
      })),
    })),
  };
}
