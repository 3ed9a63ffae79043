import { OracleError } from './errors.ts';
import { decodeF143, F143_MAX, roundF143 } from './f8.ts';
import { geluError, geluTanh } from './gelu.ts';
import {
  COLUMN_MULTIPLE,
  decodeAll,
  type Packed,
  pack,
  ROW_MULTIPLE,
  type Step,
  stepsOf,
} from './gemm-blocks.ts';
import { boundedProduct } from './gemm-error.ts';
import { HALF_MAX, halfSpacing } from './half.ts';
import type { LayerRounding } from './layers-rounding.ts';

/** A stored tensor: f16 codes, or F143 codes that stand for their value times two to `scale`. */
export type StoredTensor =
  | { readonly codes: Uint16Array }
  | { readonly codes: Uint8Array; readonly scale: number };

/** y = activation(x . weights + bias). */
export interface LayerTensors {
  readonly weights: StoredTensor;
  readonly bias?: Uint16Array;
  readonly inner: number;
  readonly features: number;
}

/** What the last layer must give; arrays are row-major tokens x features. */
export interface LayersReference {
  readonly values: Float64Array;
  /** Hard bound on |result - value|. */
  readonly bound: Float64Array;
  /** Probabilistic bound, at most `bound`. */
  readonly alarm: Float64Array;
  readonly model: string;
}

const valuesOf = (tensor: StoredTensor): Float64Array =>
  'scale' in tensor ? decodeF143(tensor.codes, tensor.scale) : decodeAll(tensor.codes);

const clamp = (value: number): number => Math.max(-HALF_MAX, Math.min(HALF_MAX, value));
const half = (magnitude: number): number => halfSpacing(Math.min(HALF_MAX, magnitude));

/**
 * Reference of a chain of layers under the rounding model that its compiler declares, layer by layer: f64 values,
 * a hard bound that carries the errors of one layer into the next (gemm-error.ts, gelu.ts), and an alarm. Where the
 * model stores f8 the reference stores f8 too: an element is off by a step only where its bound reaches the middle
 * between two codes. Throws OracleError when lengths and extents disagree.
 */
export function layersReference(
  tokens: number,
  x: StoredTensor,
  layers: readonly LayerTensors[],
  rounding: readonly LayerRounding[],
): LayersReference {
  let current: Layered = { values: valuesOf(x), bound: undefined, alarm: undefined };
  const likely = layers.length > RIGOROUS_LAYERS || rounding.some(({ out }) => out.type === 'f8f143');
  layers.forEach((layer, index) => {
    current = runLayer(tokens, current, layer, rounding[index]);
    if (likely) limit(current);
  });
  const { values, bound, alarm } = current;
  if (bound === undefined || alarm === undefined)
    throw new OracleError('a chain without layers', { layers: 0 }, 'Give at least one layer.');
  const pieces = rounding.map(({ kPieces }) => kPieces.length).join('+');
  return {
    values,
    bound,
    alarm,
    model:
      `${layers.length} layers, f16 partials, ${pieces} piece(s), errors carried from layer to layer` +
      (likely ? `; bound of ${CERTAIN * DEVIATIONS} deviations, errors taken as independent` : ''),
  };
}

/**
 * Each layer multiplies the hard bound of its input by about the root of its inner extent, while true errors grow
 * with their root mean square: beyond these layers, or behind the coarse steps of f8, the hard bound exceeds the
 * values and would prove nothing.
 */
const RIGOROUS_LAYERS = 2;
/** Alarms that make a bound in longer chains. */
const CERTAIN = 6;

function limit({ bound, alarm }: Layered): void {
  if (bound === undefined || alarm === undefined) return;
  for (let at = 0; at < bound.length; at++) bound[at] = Math.min(bound[at], CERTAIN * alarm[at]);
}

interface Layered {
  readonly values: Float64Array;
  readonly bound: Float64Array | undefined;
  readonly alarm: Float64Array | undefined;
}

function runLayer(tokens: number, input: Layered, layer: LayerTensors, rounding: LayerRounding): Layered {
  const { inner, features } = layer;
  const weights = valuesOf(layer.weights);
  for (const [what, length, wanted] of [
    ['input', input.values.length, tokens * inner],
    ['weights', weights.length, inner * features],
    ['bias', layer.bias?.length ?? features, features],
  ] as const)
    if (length !== wanted)
      throw new OracleError(
        `${what} has ${length} elements instead of ${wanted}`,
        { length, wanted },
        'Give row-major tensors.',
      );
  const steps = stepsOf(rounding);
  const shape = { m: tokens, k: inner, n: features };
  const packed = pack(input.values, tokens, inner, 1, steps, rounding.microK, ROW_MULTIPLE);
  const left: Packed = { ...packed, ...slackOf(packed, tokens, inner, steps, input) };
  const right = pack(weights, features, 1, features, steps, rounding.microK, COLUMN_MULTIPLE);
  const { values, bound, alarm } = boundedProduct(shape, left, right, steps, rounding.kPieces.length);
  if (input.alarm !== undefined) addLargest(alarm, input.alarm, weights, inner, features);
  if (layer.bias !== undefined) addBias(values, bound, alarm, decodeAll(layer.bias));
  if (rounding.activation !== 'none') activate(values, bound, alarm, rounding.tanhUlp);
  if (rounding.out.type === 'f8f143') store(values, bound, alarm, rounding.out.scale);
  return { values, bound, alarm };
}

/** Norms of the errors of every step of every row. */
function slackOf(
  { lines }: Packed,
  rows: number,
  inner: number,
  steps: readonly Step[],
  { bound, alarm }: Layered,
): Pick<Packed, 'slack'> {
  if (bound === undefined || alarm === undefined) return {};
  const norms = (errors: Float64Array): Float64Array => {
    const out = new Float64Array(steps.length * lines);
    steps.forEach(({ start, length }, step) => {
      for (let row = 0; row < rows; row++) {
        let sum = 0;
        for (let at = row * inner + start; at < row * inner + start + length; at++)
          sum += errors[at] * errors[at];
        out[step * lines + row] = Math.sqrt(sum) * (1 + 2 ** -40);
      }
    });
    return out;
  };
  // The alarm of an element is five deviations; one is typical.
  const typical = norms(alarm).map((norm) => norm / DEVIATIONS);
  return { slack: { bound: norms(bound), typical } };
}

const DEVIATIONS = 5;

/**
 * Steps of f8 that are off are few and large: a sum of a few of them that agree is no rarity, and deviations say
 * little about it. A share of the largest one, times the largest weight of the column, comes on top of the alarm.
 */
const SHARE_OF_LARGEST = 0.15;

function addLargest(
  alarm: Float64Array,
  inputAlarm: Float64Array,
  weights: Float64Array,
  inner: number,
  features: number,
): void {
  const largest = new Float64Array(features);
  weights.forEach((value, at) => {
    largest[at % features] = Math.max(largest[at % features], Math.abs(value));
  });
  for (let row = 0; row < alarm.length / features; row++) {
    let off = 0;
    for (let at = row * inner; at < (row + 1) * inner; at++) off = Math.max(off, inputAlarm[at]);
    for (let column = 0; column < features; column++)
      alarm[row * features + column] += SHARE_OF_LARGEST * off * largest[column];
  }
}

/** Both summands are f16 numbers on the device; their sum is rounded once. */
function addBias(values: Float64Array, bound: Float64Array, alarm: Float64Array, bias: Float64Array): void {
  for (let at = 0; at < values.length; at++) {
    const sum = values[at] + bias[at % bias.length];
    const step = half(Math.abs(sum) + bound[at]);
    values[at] = clamp(sum);
    alarm[at] = Math.min(bound[at] + step, Math.hypot(alarm[at], (DEVIATIONS / Math.sqrt(3)) * step));
    bound[at] += step;
  }
}

function activate(values: Float64Array, bound: Float64Array, alarm: Float64Array, tanhUlp: number): void {
  for (let at = 0; at < values.length; at++) {
    const hard = geluError(values[at], bound[at], tanhUlp);
    alarm[at] = Math.min(hard, geluError(values[at], alarm[at], tanhUlp));
    bound[at] = hard;
    values[at] = geluTanh(values[at]);
  }
}

/** The reference takes the nearest code; the device may take another only within reach of its own error. */
function store(values: Float64Array, bound: Float64Array, alarm: Float64Array, scale: number): void {
  const unit = 2 ** scale;
  const rounded = (value: number) => roundF143(value / unit) * unit;
  const reach = (value: number, nearest: number, error: number): number =>
    Math.max(Math.abs(rounded(value + error) - nearest), Math.abs(rounded(value - error) - nearest));
  for (let at = 0; at < values.length; at++) {
    const value = Math.max(-F143_MAX * unit, Math.min(F143_MAX * unit, values[at]));
    const nearest = rounded(value);
    alarm[at] = reach(value, nearest, alarm[at]);
    bound[at] = reach(value, nearest, bound[at]);
    values[at] = nearest;
  }
}
