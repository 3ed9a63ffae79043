import {
  defineGrammar,
  int,
  optionalText,
  type ProblemOf,
  UsageError,
  word,
} from '../../harness/case/index.ts';

/** Tiles of an IPU21 [HW]. */
const TILES = 1472;
const EXTENT = 65_536;
/** Most elements of one tensor; keeps the host's f64 arrays below 128 MiB each. */
const MOST_ELEMENTS = 2 ** 24;

export const FILLS = ['normal', 'heavy', 'range'] as const;

const extent = (description: string) => int({ min: 1, max: EXTENT, description });

const FIELDS = {
  tokens: extent('rows of the input, per batch entry'),
  width: extent('columns of input and output'),
  hidden: extent('columns between the two products of a block'),
  blocks: int({ min: 1, max: 4, default: 1, description: 'blocks in a row, each with weights of its own' }),
  batch: int({ min: 1, max: 4, default: 1, description: 'inputs that share the weights' }),
  in: word({
    words: ['f16', 'f8'],
    default: 'f16',
    description: 'storage of input, weights and hidden values',
  }),
  bias: int({ min: 0, max: 1, default: 1, description: 'whether both products have a bias' }),
  weights: word({
    words: ['single', 'replicated'],
    default: 'single',
    description: 'weights once on the chip, or on every tile that multiplies them',
  }),
  tiles: int({ min: 1, max: TILES, default: 8, description: 'tiles the program may use' }),
  fill: word({ words: FILLS, default: 'normal', description: 'distribution of the inputs' }),
  seed: int({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'varies the inputs of otherwise equal cases',
  }),
  plan: optionalText({
    pattern: /[1-9]\d{0,3}x[1-9]\d{0,3}x[1-9]\d{0,3}(\+[1-9]\d{0,3}x[1-9]\d{0,3}x[1-9]\d{0,3})*/,
    form: 'FEATURESxTOKENSxINNER for all layers, or one for each joined by +',
    description: 'pins the grids of tiles instead of letting the compiler choose',
  }),
  model: optionalText({
    pattern: /[a-z0-9-]{1,32}/,
    form: 'a name',
    description: 'where the shape comes from; no effect',
  }),
};

/** One MLP case: per block GeLU(x . w1 + b1) . w2 + b2. */
export type MlpCase = ProblemOf<typeof FIELDS>;
/** What the compiler needs of a case. */
export type MlpProblem = Omit<MlpCase, 'fill' | 'seed' | 'model'>;

/** Case lines `mlp/tokens=..,width=..,hidden=..,...`. */
export const mlpGrammar = defineGrammar('mlp', FIELDS, ({ tokens, width, hidden, batch }) => {
  const largest = Math.max(batch * tokens * width, batch * tokens * hidden, width * hidden);
  if (largest > MOST_ELEMENTS)
    throw new UsageError(
      `mlp: the largest tensor has ${largest} elements; allowed: at most ${MOST_ELEMENTS}`,
      'tokens, width, hidden',
      String(largest),
      `at most ${MOST_ELEMENTS} elements`,
    );
});

/** Powers of two by which f8 codes are multiplied, chosen so that codes of the normal fill have deviation 1 to 2. */
export function scalesOf({ width, hidden }: Pick<MlpCase, 'width' | 'hidden'>) {
  const fanIn = (inner: number) => -Math.ceil(Math.log2(Math.sqrt(inner))) - 1;
  return { x: 0, w1: Math.max(-16, fanIn(width)), hidden: -1, w2: Math.max(-16, fanIn(hidden)) } as const;
}
