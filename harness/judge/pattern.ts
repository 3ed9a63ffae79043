import type { Comparison } from './compare.ts';
import { STATUS } from './compare.ts';
import { planeOf } from './error-map.ts';
import type { ErrorMap, PatternGuess } from './judgement.ts';
import { guessBlocks } from './pattern-blocks.ts';
import { guessMoves } from './pattern-moves.ts';
import { guessPlaces } from './pattern-places.ts';

/** A gain or an offset must explain this share of the error's energy. */
const EXPLAINED = 0.9375;

/** Median and largest severity still read as a rounding difference. */
const ROUNDING_MEDIAN = 4;
const ROUNDING_WORST = 64;

/**
 * Guesses what the mismatches are, causes first, then where they sit. A guess is a hint for the reader and
 * never changes a verdict.
 */
export function guessPatterns(
  comparison: Comparison,
  wrong: readonly number[],
  map: ErrorMap,
): readonly PatternGuess[] {
  if (wrong.length === 0) return [];
  const causes = [
    guessZeroSign(comparison, wrong) ??
      guessEmptiness(comparison, wrong) ??
      guessNonFinite(comparison, wrong, map),
    guessMoves(comparison, wrong),
    guessBlocks(comparison, wrong),
  ].filter((guess) => guess !== undefined);
  const places = guessPlaces(comparison, wrong, map);
  if (causes.length > 0) return [...causes, ...places];
  const arithmetic = guessScale(comparison, wrong) ?? guessRounding(comparison, wrong);
  return arithmetic === undefined ? places : [arithmetic, ...places];
}

function guessEmptiness(comparison: Comparison, wrong: readonly number[]): PatternGuess | undefined {
  const { status, observed, codec } = comparison;
  if (wrong.every((flat) => status[flat] === STATUS.unwritten)) {
    return {
      kind: 'unwritten',
      detail: `all ${wrong.length} wrong elements still hold what the buffer held before the run`,
      stage: 'kernel stores or output copy: these elements were never written',
    };
  }
  if (wrong.every((flat) => codec.decode(observed[flat]) === 0)) {
    return {
      kind: 'zeroed',
      detail: `all ${wrong.length} wrong elements are zero`,
      stage: 'kernel loop bounds or a missing receive: nothing was accumulated here',
    };
  }
  return undefined;
}

function guessNonFinite(
  comparison: Comparison,
  wrong: readonly number[],
  map: ErrorMap,
): PatternGuess | undefined {
  const { codec, observed } = comparison;
  if (wrong.some((flat) => Number.isFinite(codec.decode(observed[flat])))) return undefined;
  const nan = wrong.filter((flat) => Number.isNaN(codec.decode(observed[flat]))).length;
  const whole = (count: number, extent: number) => count % extent === 0;
  let spread = 'in no whole row or column: a poisoned partial or padding lane';
  if (whole(wrong.length, map.columns) && map.mismatchedRows * map.columns === wrong.length) {
    spread = `filling ${map.mismatchedRows} whole rows: a poisoned left operand row`;
  } else if (whole(wrong.length, map.rows) && map.mismatchedColumns * map.rows === wrong.length) {
    spread = `filling ${map.mismatchedColumns} whole columns: a poisoned right operand column`;
  }
  return {
    kind: 'nan-spread',
    detail: `${nan} NaN and ${wrong.length - nan} infinities, ${spread}`,
    stage: 'padding of the inner axis or unwritten operand memory (0 x NaN is NaN in the matrix unit)',
  };
}

function guessZeroSign(comparison: Comparison, wrong: readonly number[]): PatternGuess | undefined {
  const { codec, observed, expected } = comparison;
  const signs = wrong.every(
    (flat) => codec.decode(observed[flat]) === 0 && codec.decode(expected[flat]) === 0,
  );
  if (!signs) return undefined;
  return {
    kind: 'sign-of-zero',
    detail: `${wrong.length} zeros have the wrong sign`,
    stage: 'kernel: accumulators not cleared to +0',
  };
}

/** Least-squares gain and mean offset over all finite elements. */
function guessScale(comparison: Comparison, wrong: readonly number[]): PatternGuess | undefined {
  const { codec, observed, reference, severity } = comparison;
  const { rows, columns } = planeOf(reference.shape);
  if (wrong.length < 4 || wrong.length * 8 < rows * columns) return undefined;
  let [count, outputs, values, cross, squares, outputSquares] = [0, 0, 0, 0, 0, 0];
  for (let flat = 0; flat < observed.length; flat++) {
    const [output, value] = [codec.decode(observed[flat]), reference.values[flat]];
    if (!Number.isFinite(output) || !Number.isFinite(value) || Number.isNaN(severity[flat])) continue;
    count++;
    outputs += output;
    values += value;
    cross += output * value;
    squares += value * value;
    outputSquares += output * output;
  }
  const error = outputSquares - 2 * cross + squares;
  if (!(error > 0) || count < 4) return undefined;
  const gain = cross / squares;
  const offset = (outputs - values) / count;
  const afterGain = outputSquares - gain * cross;
  const afterOffset = error - count * offset * offset;
  if (!(Math.min(afterGain, afterOffset) <= (1 - EXPLAINED) * error)) return undefined;
  const byGain = afterGain <= afterOffset;
  return {
    kind: byGain ? 'gain' : 'offset',
    detail: byGain
      ? `output = ${gain.toPrecision(6)} x reference`
      : `output = reference + ${offset.toPrecision(6)}`,
    stage: byGain
      ? 'kernel: scale, repeated accumulation or a wrong format scale'
      : 'kernel: bias or start value',
  };
}

function guessRounding(comparison: Comparison, wrong: readonly number[]): PatternGuess | undefined {
  const { severity, metrics } = comparison;
  if (wrong.some((flat) => Number.isNaN(severity[flat]))) return undefined;
  const severities = wrong.map((flat) => severity[flat]).sort((a, b) => a - b);
  const worst = severities[severities.length - 1];
  const median = severities[severities.length >> 1];
  if (!(median <= ROUNDING_MEDIAN && worst <= ROUNDING_WORST)) return undefined;
  return {
    kind: 'precision',
    detail:
      `small errors only: median ${median.toPrecision(3)}, worst ${worst.toPrecision(3)} bounds; mean signed error ` +
      `${metrics.meanSignedError.toExponential(2)}, mean outward error ${metrics.meanOutwardError.toExponential(2)}`,
    stage:
      'kernel: precision of the partials, rounding mode, or a rounding model that is not the declared one',
  };
}
