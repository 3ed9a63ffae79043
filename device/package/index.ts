/** The file formats of packages (`.ipuexe`) and cycle profiles. */

export { PackageError, type PackageErrorFacts, type PackageErrorKind } from './error.ts';
export { readPackageFile, readProfileFile, writePackageFile, writeProfileFile } from './files.ts';
export * from './model.ts';
export { readPackage } from './read/package.ts';
export { readProfile } from './read/profile.ts';
export { validateApplication } from './validate/application.ts';
export { writePackage } from './write/package.ts';
export { writeProfile } from './write/profile.ts';
