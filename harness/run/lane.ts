import { afterAll, type RunnerTask, recordArtifact, test } from 'vitest';
import { findOperation } from '../case/index.ts';
import type { DevicePort } from '../ports.ts';
import { encodeRecord, isFailure, type ResultRecord } from '../record/index.ts';
import { writeErrorMaps } from './artefacts.ts';
import { type Composition, loadComposition } from './composition.ts';
import { executeCase } from './execute-case.ts';
import { budgetsOf, InFlightMark, knownOf, type LaneJob } from './lane-job.ts';
import { RECORD_ARTIFACT } from './lane-protocol.ts';

/**
 * Declares one test per case of a lane; runs in a worker process. The record is handed to the main process and
 * acknowledged before the next case begins, so a process that dies takes at most the case it was working on.
 */
export async function declareLane(job: LaneJob): Promise<void> {
  // Only the main process decides what an interrupt means; without it there is nobody to work for.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const lane = new Lane(job, await loadComposition(job.compositionUrl));
  for (const { index, line } of job.cases) {
    test(line, { timeout: 0 }, async ({ task }) => {
      const record = await lane.run(index, line);
      await recordArtifact(task as RunnerTask as Parameters<typeof recordArtifact>[0], {
        type: RECORD_ARTIFACT,
        json: encodeRecord(record),
      });
      if (isFailure(record.verdict)) throw new Error(`${record.verdict}: ${record.reason}`);
    });
  }
  afterAll(() => lane.close());
}

class Lane {
  readonly #job: LaneJob;
  readonly #composition: Composition;
  readonly #budgets;
  readonly #known;
  readonly #mark: InFlightMark;
  #device: DevicePort | undefined;
  #pictures = 0;

  constructor(job: LaneJob, composition: Composition) {
    this.#job = job;
    this.#composition = composition;
    this.#budgets = budgetsOf(job);
    this.#known = knownOf(job);
    this.#mark = new InFlightMark(job.runPath, job.lane);
  }

  async run(index: number, line: string): Promise<ResultRecord> {
    const { run, runPath, lane, mostPictures } = this.#job;
    this.#mark.set(index);
    const operation = findOperation(this.#composition.operations, line);
    this.#device ??= await this.#composition.openDevice(this.#job.device);
    const trace = await executeCase(line, operation, this.#device, {
      run,
      index,
      lane,
      canaries: this.#composition.canaries,
      budgets: this.#budgets,
      known: this.#known,
    });
    const { record } = trace;
    // A device that gave up may be in any state; the next case starts with a fresh one.
    if (record.verdict === 'device-fault' || record.verdict === 'infra-error') await this.#reset();
    if (!isFailure(record.verdict) || this.#pictures >= mostPictures) return record;
    const artefacts = writeErrorMaps(trace, runPath);
    if (artefacts.length > 0) this.#pictures++;
    return { ...record, artefacts };
  }

  async close(): Promise<void> {
    await this.#reset();
    this.#mark.clear();
  }

  async #reset(): Promise<void> {
    const device = this.#device;
    this.#device = undefined;
    await device?.close();
  }
}
