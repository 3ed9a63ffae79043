import { type BenchCode, type Job, MOST_ROUNDS, spansOf, TileBench } from './bench.ts';
import { differences } from './compare.ts';
import { elements, packed } from './operands.ts';
import { ELEMENT_BITS, type Golden, type Row, type Setting } from './row.ts';
import type { ArithmeticForm } from './rows.ts';
import { controlOf, registersOf } from './setting.ts';

/** Operands of one job without its control word. */
export interface Batch {
  readonly sources: readonly Uint32Array[];
  readonly before?: Uint32Array;
  readonly rounds: number;
}

/** Pairs of the accumulator chain that a form with accumulators is given and leaves. */
export const accumulatorsOf = (row: Row): number => (row.after === undefined ? 0 : row.after.length / 2);

/** What runs on the tile for a row. */
export const codeOf = (form: ArithmeticForm, row: Row, fixed?: number, immediate?: number): BenchCode => ({
  form,
  accumulators: accumulatorsOf(row),
  ...(fixed === undefined ? {} : { fixed }),
  ...(immediate === undefined ? {} : { immediate }),
});

/** Rounds of one job, small enough that many fit a tile. */
const ROUNDS = 3000;

/** Seeded operands for at least `count` result elements, cut into jobs. */
export function sampled(form: ArithmeticForm, row: Row, count: number): Batch[] {
  const spans = spansOf(form).sources;
  const perRound = Math.max(row.result.length, (row.after?.length ?? 0) / 2, 1);
  const total = Math.ceil(count / perRound);
  const mnemonic = form.split('.')[0];
  let first: Uint32Array | undefined;
  const whole = row.sources.map((kind, source) => {
    const bits = ELEMENT_BITS[kind];
    const list = elements(kind, (total * spans[source] * 32) / bits, `${mnemonic}/${source}`, first);
    first ??= list;
    return packed(list, bits);
  });
  const before = row.after === undefined ? undefined : elements('f32', 8 * total, `${mnemonic}/before`);
  const batches: Batch[] = [];
  for (let from = 0; from < total; from += ROUNDS) {
    const rounds = Math.min(ROUNDS, total - from);
    const sources = whole.map((words, source) =>
      words.subarray(from * spans[source], (from + rounds) * spans[source]),
    );
    batches.push({
      sources,
      rounds,
      ...(before && { before: before.subarray(8 * from, 8 * (from + rounds)) }),
    });
  }
  return batches;
}

/** Runs every batch under every setting and gives the first differences from the golden meaning. */
export async function counterexamples(
  form: ArithmeticForm,
  row: Row,
  settings: readonly Setting[],
  batches: readonly Batch[],
  { immediate, golden, limit = 5 }: { immediate?: number; golden?: Golden; limit?: number } = {},
): Promise<string[]> {
  const bench = await TileBench.open(codeOf(form, row, undefined, immediate));
  const cases = settings.flatMap((setting) => batches.map((batch) => ({ setting, batch })));
  const jobs = cases.map(({ setting, batch }): Job => {
    if (batch.rounds > MOST_ROUNDS) throw new RangeError(`${batch.rounds} rounds in one job`);
    return { ...batch, control: controlOf(setting), registers: registersOf(setting) };
  });
  const results = await bench.run(jobs);
  await bench.close();
  const spans = spansOf(form).sources;
  const wrong: string[] = [];
  for (const [index, { setting, batch }] of cases.entries()) {
    wrong.push(...differences(form, row, setting, { ...batch, spans }, results[index], { golden, limit }));
    if (wrong.length >= limit) return wrong.slice(0, limit);
  }
  return wrong;
}
