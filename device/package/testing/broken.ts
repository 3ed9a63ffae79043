import { PackageError } from '../error.ts';
import type { Application } from '../model.ts';
import { sampleApplication } from './sample.ts';

type Mutable<T> = T extends Uint8Array ? T : { -readonly [K in keyof T]: Mutable<T[K]> };
/** One change of a package model. */
export type Break = (application: Mutable<Application>) => void;

/** The sample after one change. */
export function broken(change: Break): Application {
  const application = structuredClone(sampleApplication) as Mutable<Application>;
  change(application);
  return application;
}

/** The PackageError an action throws; anything else it does is a failure. */
export function errorOf(action: () => unknown): PackageError {
  try {
    action();
  } catch (error) {
    if (error instanceof PackageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
