import { blockContributions, gemmReference, parseGemmRounding } from '../../golden/gemm.ts';
import { deriveSeed } from '../../harness/case/index.ts';
import { encodeHalf, signatures } from '../../harness/fill/index.ts';
import type { Reference, Tensor } from '../../harness/ports.ts';
import type { GemmCase } from './problem.ts';

/** Sources listed for one wrong value of a signature fill. */
const LISTED_SOURCES = 3;

/**
 * What output `c` [m, n] must be under the rounding model the compiler declares. Throws OracleError when
 * the model is malformed or does not cover k.
 */
export function gemmCheck(
  line: string,
  problem: GemmCase,
  [a, b]: readonly [Tensor, Tensor],
  declaredRounding: unknown,
): readonly Reference[] {
  const rounding = parseGemmRounding(declaredRounding, problem.k);
  const operands = [a.data as Uint16Array, b.data as Uint16Array] as const;
  const { expectedBits, ...reference } = gemmReference(problem, ...operands, rounding);
  return [
    {
      tensor: 'c',
      dtype: 'f16',
      shape: [problem.m, problem.n],
      ...reference,
      ...(expectedBits === undefined ? {} : { expectedBits }),
      contributions: blockContributions(problem, ...operands, rounding.microK),
      ...(problem.fill === 'onehot' ? { originOf: signatureOrigin(line, problem) } : {}),
    },
  ];
}

/** Names the elements of B that carry a value; rows beyond k carry them with the sign flipped. */
function signatureOrigin(line: string, { m, k, n }: GemmCase): (value: number) => string | undefined {
  const { sourcesOf } = signatures(deriveSeed(line, 'b'));
  return (value) => {
    const signs = m > k ? [1, -1] : [1];
    const places = signs.flatMap((sign) =>
      sourcesOf(encodeHalf(sign * value), k * n).map(
        (source) => `${sign < 0 ? '-' : ''}b[${Math.floor(source / n)},${source % n}]`,
      ),
    );
    if (places.length === 0) return undefined;
    const rest = places.length - LISTED_SOURCES;
    return places.slice(0, LISTED_SOURCES).join(' or ') + (rest > 0 ? ` or ${rest} more` : '');
  };
}
