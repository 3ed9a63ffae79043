import type { PlantedDefect } from './defect.ts';
import { kernelDefects } from './kernelDefects.ts';
import { memoryDefects } from './memoryDefects.ts';
import { resultDefects } from './resultDefects.ts';
import { scheduleDefects } from './scheduleDefects.ts';
import { tableDefects } from './tableDefects.ts';

/** Every defect the suite must catch, from kernel words to the host's copy of the result. */
export const plantedDefects: readonly PlantedDefect[] = [
  ...kernelDefects,
  ...tableDefects,
  ...scheduleDefects,
  ...memoryDefects,
  ...resultDefects,
];
