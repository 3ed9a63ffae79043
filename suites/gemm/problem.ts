import {
  defineGrammar,
  int,
  optionalText,
  type ProblemOf,
  UsageError,
  word,
} from '../../harness/case/index.ts';
import { FILL_NAMES } from '../../harness/fill/index.ts';

/** Tiles of an IPU21 [HW]. */
const TILES = 1472;

/** Largest extent of one dimension. */
const EXTENT = 65_536;

/** Most elements of one operand or of the result; keeps the host's f64 arrays below 128 MiB each. */
const MOST_ELEMENTS = 2 ** 24;

const extent = (description: string) => int({ min: 1, max: EXTENT, description });

const FIELDS = {
  m: extent('rows of A and C'),
  k: extent('columns of A, rows of B'),
  n: extent('columns of B and C'),
  in: word({ words: ['f16'], default: 'f16', description: 'storage of A and B' }),
  acc: word({
    words: ['f16', 'f32'],
    default: 'f16',
    description: 'type of the partials between blocks of inner values',
  }),
  out: word({ words: ['f16'], default: 'f16', description: 'storage of C' }),
  tiles: int({ min: 1, max: TILES, default: 1, description: 'tiles the program may use' }),
  fill: word({ words: FILL_NAMES, default: 'normal', description: 'distribution of A and B' }),
  seed: int({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'varies the inputs of otherwise equal cases',
  }),
  plan: optionalText({
    pattern: /[1-9]\d{0,3}x[1-9]\d{0,3}x[1-9]\d{0,3}/,
    form: 'ROWSxCOLUMNSxINNER',
    description: 'pins the grid of tiles instead of letting the compiler choose',
  }),
};

/** One GEMM case: C[m x n] = A[m x k] . B[k x n] with its inputs. */
export type GemmCase = ProblemOf<typeof FIELDS>;

/** What the compiler needs of a case. */
export type GemmProblem = Omit<GemmCase, 'fill' | 'seed'>;

/** Case lines `gemm/m=..,k=..,n=..,...`. */
export const gemmGrammar = defineGrammar('gemm', FIELDS, (problem) => {
  const { m, k, n, tiles, plan } = problem;
  for (const [name, rows, columns] of [
    ['A', m, k],
    ['B', k, n],
    ['C', m, n],
  ] as const) {
    if (rows * columns > MOST_ELEMENTS) {
      throw new UsageError(
        `gemm: ${name} has ${rows * columns} elements (${rows} x ${columns}); allowed: at most ${MOST_ELEMENTS}`,
        name,
        `${rows}x${columns}`,
        `at most ${MOST_ELEMENTS} elements`,
      );
    }
  }
  const demand = plan?.split('x').reduce((product, parts) => product * Number(parts), 1) ?? 1;
  if (demand > tiles) {
    throw new UsageError(
      `gemm: plan=${plan} needs ${demand} tiles, tiles=${tiles} allows fewer; raise tiles or pin a smaller grid`,
      'plan',
      String(plan),
      `a grid of at most ${tiles} tiles`,
    );
  }
});
