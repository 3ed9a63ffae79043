import type { Comparison } from './compare.ts';
import type { PatternGuess } from './judgement.ts';

/** Wrong elements examined for a common inner block. */
const SAMPLES = 64;

/** Fewest samples that must fit closely: their block's contribution is several times what the bound hides. */
const CLOSE_SAMPLES = 3;
const CLOSE = 4;

/**
 * Recognises an error that is one inner block's contribution, left out or added twice. Needs
 * `reference.contributions`.
 */
export function guessBlocks(comparison: Comparison, wrong: readonly number[]): PatternGuess | undefined {
  const { codec, observed, reference } = comparison;
  const { contributions } = reference;
  if (contributions === undefined) return undefined;
  // a saturated result hides its error
  const largest = codec.decode(codec.encode(Number.MAX_VALUE));
  const open = wrong.filter((flat) => Math.abs(codec.decode(observed[flat])) < largest);
  if (open.length === 0) return undefined;
  const stride = Math.ceil(open.length / SAMPLES);
  const samples = open
    .filter((_, position) => position % stride === 0)
    .map((flat) => {
      const output = codec.decode(observed[flat]);
      // two results within their bounds differ by at most twice the bound; exact results not at all
      const slack = reference.exact ? 0 : 2 * reference.bound[flat];
      return { error: output - reference.values[flat], parts: contributions(flat), slack };
    });
  const blocks = samples[0].parts.length;
  if (blocks < 2) return undefined;
  for (const [sign, kind] of [
    [-1, 'missing-k-block'],
    [1, 'repeated-k-block'],
  ] as const) {
    const fitting: number[] = [];
    for (let block = 0; block < blocks; block++) {
      const fits = samples.every(({ error, parts, slack }) => Math.abs(error - sign * parts[block]) <= slack);
      const close = samples.filter(({ parts, slack }) => Math.abs(parts[block]) > CLOSE * slack).length;
      if (fits && close >= CLOSE_SAMPLES) fitting.push(block);
    }
    // several fitting blocks mean that the bound is too wide to tell
    if (fitting.length !== 1) continue;
    const what =
      kind === 'missing-k-block' ? 'the contribution is missing' : 'the contribution is counted twice';
    return {
      kind,
      detail: `inner block ${fitting[0]} of ${blocks}: ${what} in all ${samples.length} examined elements`,
      stage: 'plan or exchange: the inner block was not delivered or accumulated exactly once',
    };
  }
  return undefined;
}
