export { caseHash, writeErrorMaps } from './artefacts.ts';
export type { Written } from './audience.ts';
export { type Composition, type DeviceRequest, loadComposition } from './composition.ts';
export { type CaseTrace, executeCase, runCase } from './execute-case.ts';
export { isCaseFailure } from './failure.ts';
export { heatMap } from './heat-map.ts';
export type { CaseOptions } from './make-record.ts';
