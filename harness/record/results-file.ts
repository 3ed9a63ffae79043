import { closeSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { messageOf, RunError, SchemaError } from './errors.ts';
import { decodeRecord, encodeRecord, type ResultRecord } from './record.ts';

/**
 * Appends records to a results file, one line each, by one `write` per record: a record is in the file's
 * pages before the next case begins, so it survives the death of any process. `fsync` comes at most every
 * `syncEvery` records and on close: it costs milliseconds, and only a crash of the whole machine can take the
 * records since.
 */
export class ResultsWriter {
  readonly #file: number;
  readonly #syncEvery: number;
  #unsynced = 0;

  constructor(path: string, options: { readonly syncEvery?: number } = {}) {
    this.#syncEvery = options.syncEvery ?? 64;
    try {
      this.#file = openSync(path, 'a');
    } catch (error) {
      throw new RunError(
        `results file ${path} cannot be opened: ${messageOf(error)}`,
        'Choose a writable directory with --out.',
        4,
        error,
      );
    }
  }

  append(record: ResultRecord): void {
    const bytes = Buffer.from(`${encodeRecord(record)}\n`, 'utf8');
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#file, bytes, written);
    this.#unsynced++;
    if (this.#unsynced >= this.#syncEvery) this.#sync();
  }

  close(): void {
    this.#sync();
    closeSync(this.#file);
  }

  #sync(): void {
    if (this.#unsynced > 0) fsyncSync(this.#file);
    this.#unsynced = 0;
  }
}

/** What a results file holds. */
export interface ResultsFile {
  readonly records: readonly ResultRecord[];
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number;
  /** Bytes of a last line without a line end: the write a crash interrupted. Reported and dropped. */
  readonly tornBytes: number;
}

/**
 * Reads a results file. A torn last line is dropped and counted; a damaged line anywhere else means that
 * somebody edited the file, and throws SchemaError with the line number.
 */
export function readResults(path: string): ResultsFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new RunError(
      `results file ${path} cannot be read: ${messageOf(error)}`,
      'Name a run directory that holds a results.jsonl.',
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 2 : 4,
      error,
    );
  }
  const records: ResultRecord[] = [];
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  let from = 0;
  for (let number = 1; from < wholeBytes; number++) {
    const end = bytes.indexOf(0x0a, from);
    try {
      records.push(decodeRecord(bytes.toString('utf8', from, end)));
    } catch (error) {
      throw new SchemaError(`${path}:${number}: ${messageOf(error)}`);
    }
    from = end + 1;
  }
  return { records, wholeBytes, tornBytes: bytes.length - wholeBytes };
}

/** Cuts a torn last line off, so that a resumed run appends to whole lines. */
export function dropTornLine(path: string, file: ResultsFile): void {
  if (file.tornBytes > 0) truncateSync(path, file.wholeBytes);
}
