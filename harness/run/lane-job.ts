import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CycleBudgets, KnownFailure, KnownFailures } from '../budget/index.ts';
import { makeFolders } from '../record/folders.ts';
import type { DeviceRequest } from './composition.ts';

/** A planned case with its position. */
export interface PlannedCase {
  readonly index: number;
  readonly line: string;
}

/** What one worker process is to do. Written as a file, because a process argument should stay small. */
export interface LaneJob {
  /** 1 and up. */
  readonly lane: number;
  readonly run: string;
  readonly runPath: string;
  readonly compositionUrl: string;
  readonly device: DeviceRequest;
  readonly cases: readonly PlannedCase[];
  readonly budgets: readonly (readonly [string, number])[];
  readonly known: readonly (readonly [string, KnownFailure])[];
  /** Failing cases whose error maps are drawn; later failures keep figures only. */
  readonly mostPictures: number;
}

/** The case a lane is working on. Written before the case begins, so that it survives the process. */
export interface InFlight {
  readonly pid: number;
  readonly index: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Scratch files of a run's worker processes; removed when the run ends. */
export function lanesFolder(runPath: string): string {
  return join(runPath, 'lanes');
}

export function jobPath(runPath: string, lane: number): string {
  return join(lanesFolder(runPath), `lane-${lane}.json`);
}

function inFlightPath(runPath: string, lane: number): string {
  return join(lanesFolder(runPath), `lane-${lane}.now`);
}

export function writeJob(job: LaneJob): string {
  makeFolders(lanesFolder(job.runPath));
  const path = jobPath(job.runPath, job.lane);
  writeFileSync(path, JSON.stringify(job));
  rmSync(inFlightPath(job.runPath, job.lane), { force: true });
  return path;
}

export function readJob(path: string): LaneJob {
  return JSON.parse(readFileSync(path, 'utf8')) as LaneJob;
}

export function budgetsOf(job: LaneJob): CycleBudgets {
  return new Map(job.budgets);
}

export function knownOf(job: LaneJob): KnownFailures {
  return new Map(job.known);
}

/** Width of a mark; equal widths let a mark replace another in one write. */
const MARK_BYTES = 64;

/** Notes on disk which case a lane is working on. */
export class InFlightMark {
  readonly #path: string;
  readonly #file: number;

  constructor(runPath: string, lane: number) {
    this.#path = inFlightPath(runPath, lane);
    this.#file = openSync(this.#path, 'w');
  }

  /** Called before a case begins. */
  set(index: number): void {
    const mark: InFlight = { pid: process.pid, index, since: Date.now() };
    writeSync(this.#file, JSON.stringify(mark).padEnd(MARK_BYTES), 0);
  }

  /** Called when the last case has been handed over. */
  clear(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

/** What the lane was doing last; undefined between runs and while the mark is being written. */
export function readInFlight(runPath: string, lane: number): InFlight | undefined {
  try {
    return JSON.parse(readFileSync(inFlightPath(runPath, lane), 'utf8')) as InFlight;
  } catch {
    return undefined;
  }
}
