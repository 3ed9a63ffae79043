import type { Job } from './bench.ts';
import { BEFORE, ELEMENT_BITS, type Golden, type Output, type Row, type Setting } from './row.ts';
import { settingText } from './setting.ts';

/** Elements of `bits` in words, `perRound` words a round, or 0 for the same words in every round. */
interface Stream {
  readonly words: Uint32Array;
  readonly perRound: number;
  readonly bits: 8 | 16 | 32;
}

function elementAt({ words, perRound, bits }: Stream, round: number, element: number): number {
  const base = round * perRound;
  if (bits === 32) return words[base + element];
  if (bits === 16) return (words[base + (element >> 1)] >>> (16 * (element & 1))) & 0xffff;
  return (words[base + (element >> 2)] >>> (8 * (element & 3))) & 0xff;
}

/** Operands of a job as the comparison sees them. */
export interface Operands extends Pick<Job, 'sources' | 'before' | 'rounds'> {
  readonly fixed?: number | undefined;
  /** Words of each source in a round. */
  readonly spans: readonly number[];
}

const ACCUMULATORS = 8;

function streamsOf(row: Row, { sources, before, fixed, spans }: Operands): Stream[] {
  const streams: Stream[] = [];
  sources.forEach((words, source) => {
    const bits = ELEMENT_BITS[row.sources[source]];
    streams[source] = { words, perRound: source === fixed ? 0 : spans[source], bits };
  });
  if (before !== undefined) streams[BEFORE] = { words: before, perRound: ACCUMULATORS, bits: 32 };
  return streams;
}

const hex = (value: number, bits: number): string => `0x${value.toString(16).padStart(bits / 4, '0')}`;

/** Result words of a round: those of the register, then those of the accumulators. */
const wordsOf = (outputs: readonly Output[]): number =>
  Math.ceil(outputs.reduce((bits, output) => bits + output.bits, 0) / 32);

/**
 * Compares result words with the golden meaning of the form, bit by bit, padding included. Gives the first few
 * differences as text.
 */
export function differences(
  form: string,
  row: Row,
  setting: Setting,
  operands: Operands,
  result: Uint32Array,
  { golden, limit = 5 }: { readonly golden?: Golden | undefined; readonly limit?: number } = {},
): string[] {
  const streams = streamsOf(row, operands);
  const groups = [row.result, row.after ?? []];
  const perRound = groups.reduce((words, outputs) => words + wordsOf(outputs), 0);
  if (result.length !== perRound * operands.rounds)
    return [`${form}: ${result.length} result words, expected ${perRound * operands.rounds}`];
  const wrong: string[] = [];
  const values = [0, 0, 0, 0, 0];
  for (let round = 0; round < operands.rounds && wrong.length < limit; round++) {
    let at = round * perRound;
    for (const outputs of groups) {
      let [word, filled] = [0, 0];
      outputs.forEach((output, element) => {
        for (let index = 0; index < output.operands.length; index++) {
          const [source, lane] = output.operands[index];
          values[index] = elementAt(streams[source], round, lane);
        }
        const [p, q, r, s, t] = values;
        const code = (golden ?? output.golden)(setting, p, q, r, s, t);
        word = filled === 0 ? code : (word | (code << filled)) >>> 0;
        filled += output.bits;
        if (filled < 32 && element < outputs.length - 1) return;
        if (result[at] !== word) {
          const seen = output.operands.map((_, index) => hex(values[index], 8)).join(', ');
          wrong.push(
            `${form} (${settingText(setting)}) element ${element} of ${seen}: ${hex(result[at], 32)}, golden ${hex(word, 32)}`,
          );
        }
        at++;
        [word, filled] = [0, 0];
      });
    }
  }
  return wrong;
}
