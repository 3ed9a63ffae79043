/** Proof that the suite can fail: defects planted from kernel words to results. */
export type { DefectLayer, PlantedDefect } from './defect.ts';
export { plantedDefects } from './defects.ts';
export { type Finding, runPlantedDefect } from './run.ts';
