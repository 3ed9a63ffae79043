import { SchemaError } from '../record/errors.ts';
import {
  decodeRecord,
  isFailure,
  messageOf,
  RECORD_VERSION,
  type ResultRecord,
  type ResultsWriter,
  reproLine,
} from '../record/index.ts';
import type { PlannedCase } from './lane-job.ts';

/** Receives records from the lanes; the only writer of a run's results file. */
export class Collector {
  readonly #planned: readonly string[];
  readonly #run: string;
  readonly #writer: ResultsWriter;
  readonly #onRecord: (record: ResultRecord) => void;
  readonly #earlier: ResultRecord[] = [];
  readonly #records = new Map<number, ResultRecord>();
  #failures = 0;
  /** Why records can no longer be kept, e.g. a full disk. */
  broken: unknown;

  constructor(
    run: string,
    planned: readonly string[],
    writer: ResultsWriter,
    onRecord: (record: ResultRecord) => void,
  ) {
    this.#run = run;
    this.#planned = planned;
    this.#writer = writer;
    this.#onRecord = onRecord;
  }

  /** All records, in the order in which they came; the last one of a case counts. */
  get records(): readonly ResultRecord[] {
    return [...this.#earlier, ...this.#records.values()];
  }

  /** Cases that failed, infrastructure errors included. */
  get failures(): number {
    return this.#failures;
  }

  has(index: number): boolean {
    return this.#records.has(index);
  }

  /** Cases without a record, in planned order. */
  remaining(): readonly PlannedCase[] {
    return this.#planned.flatMap((line, index) => (this.#records.has(index) ? [] : [{ index, line }]));
  }

  /**
   * Takes what an earlier process of the same run already wrote. Cases that infrastructure kept from being judged
   * are tried again.
   */
  adopt(records: readonly ResultRecord[]): void {
    for (const record of records) {
      if (record.verdict === 'infra-error') this.#earlier.push(record);
      else this.#records.set(record.index, record);
    }
  }

  /** Takes a line of JSON from a lane. A malformed one becomes an infra-error of the case it names. */
  receive(json: string): void {
    let record: ResultRecord;
    try {
      record = decodeRecord(json);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      const { index } = JSON.parse(json) as { readonly index: number };
      this.fail(index, `the case's record is malformed: ${messageOf(error)}`, 'record', {});
      return;
    }
    this.#add(record);
  }

  /** Records an infra-error of a case that could not report for itself. */
  fail(index: number, reason: string, stage: string, facts: Readonly<Record<string, number | string>>): void {
    const line = this.#planned[index];
    this.#add({
      schemaVersion: RECORD_VERSION,
      run: this.#run,
      index,
      case: line,
      operation: line.split('/', 1)[0],
      verdict: 'infra-error',
      reason,
      reasons: [reason],
      failure: { name: 'WorkerError', stage, facts: { ...facts }, advice: 'Run the case alone with repro.' },
      inputs: [],
      outputs: [],
      repro: reproLine(line),
      artefacts: [],
      host: { lane: 0, startedAt: 0, stages: [], totalMilliseconds: 0 },
    });
  }

  #add(record: ResultRecord): void {
    if (this.broken !== undefined) return;
    try {
      this.#writer.append(record);
    } catch (error) {
      this.broken = error;
      return;
    }
    this.#records.set(record.index, record);
    if (isFailure(record.verdict)) this.#failures++;
    this.#onRecord(record);
  }
}
