/** Stages of a case's life, in order. */
export type CaseStage =
  | 'prepare'
  | 'compile'
  | 'package'
  | 'pack'
  | 'load'
  | 'call'
  | 'unpack'
  | 'reference'
  | 'judge';

/** Measures stages in host milliseconds and remembers which one is running. */
export class StageClock {
  readonly #begun = performance.now();
  /** Milliseconds since the epoch. */
  readonly startedAt = Date.now();
  readonly stages: { name: CaseStage; milliseconds: number }[] = [];
  /** The stage that is running, or was when something was thrown. */
  current: CaseStage = 'prepare';

  async run<T>(name: CaseStage, work: () => T | Promise<T>): Promise<T> {
    this.current = name;
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.stages.push({ name, milliseconds: round(performance.now() - begun) });
    }
  }

  total(): number {
    return round(performance.now() - this.#begun);
  }
}

/** Microseconds are as fine as a host clock is worth. */
const round = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000;
