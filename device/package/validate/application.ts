import type { Application } from '../model.ts';
import { failWith } from './fail.ts';
import { checkFields } from './fields.ts';
import { checkHostExchange } from './host.ts';
import {
  checkBindings,
  checkDebugMap,
  checkDeviceConfigWrites,
  checkProfilePlans,
  checkTileImages,
} from './tiles.ts';

/**
 * Checks a package model: every number in its range, every text valid Unicode, then the rules of the format
 * in the order of the original stack [SW]. Throws PackageError at the first one that is broken.
 *
 * Not rules of the format, hence not checked: order and completeness of the tile list, entry points, segment
 * flags, phases against batches, completeness of the attach order, and the loader's own upper limit of
 * 0xe7bb0 (the loader checks it).
 */
export function validateApplication(application: Application): void {
  checkFields(application);
  checkRules(application, 'compile-error');
}

/** The rules alone, for models whose numbers are known to be in range. */
export function checkRules(application: Application, verdict: 'compile-error' | 'infra-error'): void {
  const fail = failWith(verdict);
  if (application.tiles.length === 0) fail('application has no tiles', { tiles: 0 }, 'Add a tile image.');
  checkDeviceConfigWrites(application.deviceConfigWrites, fail);
  const tiles = checkTileImages(application.tiles, fail);
  checkProfilePlans(application.profileTiles, tiles, fail);
  checkDebugMap(application.debugSymbols, application.debugRegions, tiles, fail);
  checkBindings([...application.inputs, ...application.outputs, ...application.weights], tiles, fail);
  checkHostExchange(application.hostExchange, fail);
}
