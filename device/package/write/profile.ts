import * as wire from '../generated/profile.capnp.ts';
import { type Profile, SCHEMA_VERSION } from '../model.ts';
import { checkProfileFields } from '../validate/fields.ts';
import { fillStructs, startMessage } from './message.ts';
import { writeStep } from './step.ts';

/**
 * Returns the bytes of a cycle profile (schema version 5); equal models give equal bytes. Throws PackageError
 * when a field cannot be encoded or the profile is larger than 2 GiB.
 */
export function writeProfile(profile: Profile): Uint8Array {
  const { message, root } = startMessage(wire.Profile, checkProfileFields(profile));
  root.setSchemaVersion(SCHEMA_VERSION);
  root.setClockHz(BigInt(profile.clockHz));
  fillStructs(
    profile.tiles,
    (length) => root.initTiles(length),
    (target, tile) => {
      target.setPhysicalTile(tile.physicalTile);
      fillStructs(
        tile.samples,
        (length) => target.initSamples(length),
        (entry, sample) => {
          entry.setStartCycle(sample.startCycle);
          entry.setEndCycle(sample.endCycle);
          writeStep(entry.initStep(), sample.step);
        },
      );
    },
  );
  return new Uint8Array(message.toArrayBuffer());
}
