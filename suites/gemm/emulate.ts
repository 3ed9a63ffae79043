import type { GemmRounding } from '../../golden/gemm.ts';
import { decodeHalf, encodeHalf } from '../../harness/fill/index.ts';

/** Operands as f16 storage bits, row-major. */
export interface Operands {
  readonly m: number;
  readonly k: number;
  readonly n: number;
  readonly a: Uint16Array;
  readonly b: Uint16Array;
}

/** Ways to depart from the declared model, for planting defects. */
export interface Departures {
  /** Inner values per rounding of the partial, instead of `microK`. */
  readonly every?: number;
  /** Rounding of a partial or result to f16 storage bits, instead of nearest even with saturation. */
  readonly round?: (value: number) => number;
  /** How often the product of an inner index is counted, instead of once. */
  readonly times?: (inner: number) => number;
  /** Permutes the terms of one f32 addition chain in place; element and step number are given. */
  readonly shuffle?: (terms: Float64Array, element: number, step: number) => void;
}

/**
 * The f16 codes a device would return that obeys the declared rounding model, or departs from it in a stated
 * way. It shares no arithmetic with the oracle; the harness's own f16 conversion is used.
 */
export function emulateGemm(
  { m, k, n, a, b }: Operands,
  rounding: GemmRounding,
  departures: Departures = {},
): Uint16Array {
  const { every = rounding.microK, round = encodeHalf, times, shuffle } = departures;
  const left = Float64Array.from(a, decodeHalf);
  const right = Float64Array.from(b, decodeHalf);
  const chain = (terms: Float64Array) => {
    let sum = 0;
    for (const term of terms) sum = Math.fround(sum + term);
    return sum;
  };
  const terms = new Float64Array(every + 1);
  const result = new Uint16Array(m * n);
  for (let element = 0; element < m * n; element++) {
    const row = Math.floor(element / n);
    const column = element % n;
    let step = 0;
    const pieces = rounding.kPieces.map(([first, end]) => {
      let partial = 0;
      for (let start = first; start < end; start += every) {
        const length = Math.min(every, end - start);
        terms[0] = partial;
        for (let place = 0; place < length; place++) {
          const inner = start + place;
          const count = times === undefined ? 1 : times(inner);
          terms[place + 1] = count * left[row * k + inner] * right[inner * n + column];
        }
        const used = terms.subarray(0, length + 1);
        shuffle?.(used, element, step++);
        partial = round(chain(used));
        partial = decodeHalf(partial);
      }
      return partial;
    });
    result[element] = round(pieces.length === 1 ? pieces[0] : chain(Float64Array.from(pieces)));
  }
  return result;
}
