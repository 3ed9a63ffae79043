import { OracleError } from './errors.ts';

/** Extents of C[m x n] = A[m x k] . B[k x n]. */
export interface GemmShape {
  readonly m: number;
  readonly k: number;
  readonly n: number;
}

/**
 * How a package rounds a GEMM, as its compiler declares it. The inner axis is cut into pieces [k0, k1). Within a
 * piece the matrix unit adds `microK` products at a time to the running partial in f32 and stores the partial as
 * f16 after each such step; the pieces' results are then added in f32 and stored as f16 once. With one piece its
 * last partial is the result.
 */
export interface GemmRounding {
  readonly kind: 'gemm-f16-partials';
  readonly microK: number;
  readonly kPieces: readonly (readonly [number, number])[];
  readonly partial: 'f16';
  readonly reduce: 'f32-sum';
  readonly out: 'f16';
  readonly overflow: 'saturate';
}

const FIXED = {
  kind: 'gemm-f16-partials',
  partial: 'f16',
  reduce: 'f32-sum',
  out: 'f16',
  overflow: 'saturate',
} as const;

/** Largest number of inner values per step; far above what the matrix unit does. */
const LARGEST_MICRO_K = 1024;

/** Checks a declared rounding model against an inner extent. Throws OracleError naming the broken rule. */
export function parseGemmRounding(model: unknown, k: number): GemmRounding {
  const fail = (rule: string, found: unknown): never => {
    const text = String(JSON.stringify(found));
    throw new OracleError(
      `rounding model: ${rule}; found ${text}`,
      { found: text, k },
      'Declare a model golden knows.',
    );
  };
  if (typeof model !== 'object' || model === null) return fail('must be an object', model);
  const given = model as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(FIXED)) {
    if (given[key] !== value) return fail(`${key} must be ${value}`, given[key]);
  }
  const { microK, kPieces } = given;
  if (typeof microK !== 'number' || !Number.isInteger(microK) || microK < 1 || microK > LARGEST_MICRO_K) {
    return fail(`microK must be an integer from 1 to ${LARGEST_MICRO_K}`, microK);
  }
  if (!Array.isArray(kPieces) || kPieces.length === 0) return fail('kPieces must be a list', kPieces);
  let reached = 0;
  const pieces = kPieces.map((piece: unknown): readonly [number, number] => {
    const pair = Array.isArray(piece) && piece.length === 2 ? piece : fail('a piece must be [k0, k1]', piece);
    const [start, end] = pair as [unknown, unknown];
    if (start !== reached || typeof end !== 'number' || !Number.isInteger(end) || end <= reached) {
      return fail(`pieces must be in order, disjoint and without gaps; expected one from ${reached}`, piece);
    }
    reached = end;
    return [start, end];
  });
  if (reached !== k) return fail(`pieces must cover 0..${k}`, kPieces.at(-1));
  return { ...FIXED, microK, kPieces: pieces };
}
