/** The test file that `ipu-verify run` gives to its worker processes. */
import { inject } from 'vitest';
import { declareLane } from './lane.ts';
import { readJob } from './lane-job.ts';

await declareLane(readJob(inject('laneJob')));
