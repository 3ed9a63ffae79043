/** Proof that the suite can fail: defects planted from kernel words to the host's copy of the result. */
export { plantedDefects } from './catalogue.ts';
export type { DefectLayer, Location, PlantedDefect, Sighting, Trial } from './defect.ts';
export { type DefectOutcome, runPlantedDefect } from './run.ts';
export { defectTable } from './table.ts';
