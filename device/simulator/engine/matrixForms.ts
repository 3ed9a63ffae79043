// The other matrix steps and the slim convolution. State and order as in amp.ts.
import { deliver, deliverFour } from './amp';
import { stage, stage64 } from './aux';
import { scaleOf } from './convert';
import { OP } from './decode';
import { codeOf } from './floating';
import { decodeHalf } from './half';
import { field, getA } from './registers';
import { raise } from './memory';
import * as op from './opcodes.generated';
import { COEFFICIENT_BITS, COEFFICIENTS, CSRS, EVEN, F8_COEFFICIENTS, F8_READY, NOT_MODELLED, ODD } from './state';

/** Bytes of one set's accumulators of one kind. */
const SET: usize = 64;
const INPUT_FORMATS: usize = 0x31 << 2;
const INPUT_SCALE: usize = 0x33 << 2;

// @ts-ignore: decorator
@inline
function toSingle(value: f64): f64 {
  return <f64>(<f32>value);
}

// @ts-ignore: decorator
@inline
function singleAt(w: usize, register: i32): f64 {
  return <f64>reinterpret<f32>(getA(w, register));
}

/** Pair read from the bottom of a set's staging chain by the last call of `turnChain`. */
let bottom0: f64 = 0;
let bottom1: f64 = 0;

/** Delivers the bottom pair of a set's staging chain and takes a new pair at its top. */
function turnChain(w: usize, set: usize, first: f64, second: f64): void {
  const odd = w + ODD + set * SET;
  bottom0 = load<f64>(odd);
  bottom1 = load<f64>(odd, 8);
  v128.store(odd, v128.load(odd, 16));
  v128.store(odd, v128.load(odd, 32), 16);
  v128.store(odd, v128.load(odd, 48), 32);
  store<f64>(odd, first, 48);
  store<f64>(odd, second, 56);
}

/** The last delivered pair as two f16. */
function bottomHalves(w: usize): u32 {
  return <u32>(deliver(w, bottom0) | (deliver(w, bottom1) << 16));
}

/** Finished sums go to the staging chain, what was staged becomes the start of the new sums. */
function exchangeSums(w: usize, sets: usize): void {
  for (let place: usize = 0; place < sets * SET; place += 16) {
    const even = v128.load(w + EVEN + place);
    v128.store(w + EVEN + place, v128.load(w + ODD + place));
    v128.store(w + ODD + place, even);
  }
}

/** Sum of the products of channel c, four f16 inputs x0..x3 with the coefficients of a phase. */
// @ts-ignore: decorator
@inline
function fourProducts(tile: usize, phase: u32, c: usize, x0: f64, x1: f64, x2: f64, x3: f64): f64 {
  const weights = tile + COEFFICIENTS + (<usize>phase << 9) + (c << 3);
  return (
    x0 * load<f64>(weights) +
    x1 * load<f64>(weights, 128) +
    (x2 * load<f64>(weights, 256) + x3 * load<f64>(weights, 384))
  );
}

/** Sums of set 0 after one phase of f16 inputs. */
function halfPhase(tile: usize, w: usize, input: i32, phase: u32): void {
  const low = getA(w, input);
  const high = getA(w, input + 1);
  const x0 = decodeHalf(low);
  const x1 = decodeHalf(low >> 16);
  const x2 = decodeHalf(high);
  const x3 = decodeHalf(high >> 16);
  if (phase == 0) exchangeSums(w, 1);
  for (let c: usize = 0; c < 8; c++) {
    const place = w + EVEN + (c << 3);
    store<f64>(place, toSingle(load<f64>(place) + fourProducts(tile, phase, c, x0, x1, x2, x3)));
  }
}

/**
 * Value of the low byte of `code`. A code of F143 is an f16 code with fewer fraction bits and another bias, so the
 * table of f16 serves. F152 has more exponents than f16: its bits become an f64 of the least exponents, which
 * a power of two scales exactly, denormal codes included.
 */
// @ts-ignore: decorator
@inline
function f8Value(code: u32, format: u32): f64 {
  if ((code & 0xff) == 0x80) return NaN;
  if (format != 0) return decodeHalf(((code & 0x7f) << 7) | ((code & 0x80) << 8)) * 128;
  const magnitude = reinterpret<f64>(<u64>(code & 0x7f) << 50) * reinterpret<f64>(<u64>(2046 - 16) << 52);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

/** Coefficients as f64 for the format in force: [phase][inner][channel]. */
function expandF8(tile: usize, format: u32): void {
  for (let entry: usize = 0; entry < 64; entry++) {
    const channel = (entry >> 5) * 8 + ((entry >> 2) & 7);
    const place = tile + F8_COEFFICIENTS + ((entry & 3) << 10) + (channel << 3);
    const bits = load<u64>(tile + (entry << 3), COEFFICIENT_BITS);
    for (let i: usize = 0; i < 8; i++)
      store<f64>(place + (i << 7), f8Value(<u32>(bits >> (8 * i)), format));
  }
  store<u32>(tile, format + 1, F8_READY);
}

/** Adds the eight products of a phase to all sums: products and their sum in f64, pairs of pairs. */
function f8Phase(tile: usize, w: usize, input: i32, phase: u32): void {
  const formats = load<u32>(tile + INPUT_FORMATS, CSRS);
  if (load<u32>(tile, F8_READY) != (formats & 1) + 1) expandF8(tile, formats & 1);
  const format = (formats >> 1) & 1;
  const low = getA(w, input);
  const high = getA(w, input + 1);
  const x0 = f64x2.splat(f8Value(low, format));
  const x1 = f64x2.splat(f8Value(low >> 8, format));
  const x2 = f64x2.splat(f8Value(low >> 16, format));
  const x3 = f64x2.splat(f8Value(low >> 24, format));
  const x4 = f64x2.splat(f8Value(high, format));
  const x5 = f64x2.splat(f8Value(high >> 8, format));
  const x6 = f64x2.splat(f8Value(high >> 16, format));
  const x7 = f64x2.splat(f8Value(high >> 24, format));
  const scale = f64x2.splat(scaleOf(load<u32>(tile + INPUT_SCALE, CSRS)));
  const weights = tile + F8_COEFFICIENTS + (<usize>phase << 10);
  for (let c: usize = 0; c < 128; c += 16) {
    const place = weights + c;
    const first = f64x2.add(
      f64x2.add(f64x2.mul(x0, v128.load(place)), f64x2.mul(x1, v128.load(place, 128))),
      f64x2.add(f64x2.mul(x2, v128.load(place, 256)), f64x2.mul(x3, v128.load(place, 384))),
    );
    const second = f64x2.add(
      f64x2.add(f64x2.mul(x4, v128.load(place, 512)), f64x2.mul(x5, v128.load(place, 640))),
      f64x2.add(f64x2.mul(x6, v128.load(place, 768)), f64x2.mul(x7, v128.load(place, 896))),
    );
    const sum = f64x2.add(v128.load(w + EVEN + c), f64x2.mul(scale, f64x2.add(first, second)));
    v128.store(w + EVEN + c, f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(sum)));
  }
}

/** Both sets deliver a pair of f16 and take one. */
function deliverHalfPairs(w: usize, d: i32, partial: i32): void {
  const odd = w + ODD;
  const low = v128.load(odd);
  const high = v128.load(odd, 64);
  v128.store(odd, v128.load(odd, 16));
  v128.store(odd, v128.load(odd, 32), 16);
  v128.store(odd, v128.load(odd, 48), 32);
  v128.store(odd, v128.load(odd, 80), 64);
  v128.store(odd, v128.load(odd, 96), 80);
  v128.store(odd, v128.load(odd, 112), 96);
  const first = getA(w, partial);
  const second = getA(w, partial + 1);
  store<f64>(odd, decodeHalf(first), 48);
  store<f64>(odd, decodeHalf(first >> 16), 56);
  store<f64>(odd, decodeHalf(second), 112);
  store<f64>(odd, decodeHalf(second >> 16), 120);
  stage64(d, deliverFour(w, low, high));
}

function singlePhase(tile: usize, w: usize, input: i32, phase: u32, sets: usize): void {
  if (phase == 0) exchangeSums(w, sets);
  singleProducts(tile, w, input, phase, sets);
}

/** One f32 input against `sets` sets of eight channels: low coefficient word in even phases, high in odd. */
function singleProducts(tile: usize, w: usize, input: i32, phase: u32, sets: usize): void {
  const x = singleAt(w, input);
  const weights = tile + COEFFICIENT_BITS + (<usize>(phase >> 1) << 3) + (<usize>(phase & 1) << 2);
  const input2 = f64x2.splat(x);
  for (let c: usize = 0; c < 8 * sets; c += 2) {
    const place = w + EVEN + (c << 3);
    const from = weights + ((c >> 3) << 8) + ((c & 7) << 5);
    const pair = f64x2.replace_lane(f64x2.splat(<f64>load<f32>(from)), 1, <f64>load<f32>(from, 32));
    const sum = f64x2.add(v128.load(place), f64x2.mul(input2, pair));
    v128.store(place, f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(sum)));
  }
}

function stageSinglePair(d: i32): void {
  stage64(d, <u64>codeOf(bottom0) | (<u64>codeOf(bottom1) << 32));
}

/**
 * Slim convolution of a set: each even accumulator takes the sum of its upper neighbour (two places up) and
 * adds its own products; partials enter at the top, results leave at the bottom.
 */
function slimSet(w: usize, set: usize, first: f64, second: f64): void {
  const even = w + EVEN + set * SET;
  bottom0 = load<f64>(even);
  bottom1 = load<f64>(even, 8);
  v128.store(even, v128.load(even, 16));
  v128.store(even, v128.load(even, 32), 16);
  v128.store(even, v128.load(even, 48), 32);
  store<f64>(even, first, 48);
  store<f64>(even, second, 56);
}

function slimHalf(tile: usize, w: usize, input: i32, weightSet: u32, sets: usize): void {
  const low = getA(w, input);
  const high = getA(w, input + 1);
  const x0 = decodeHalf(low);
  const x1 = decodeHalf(low >> 16);
  const x2 = decodeHalf(high);
  const x3 = decodeHalf(high >> 16);
  for (let c: usize = 0; c < 8 * sets; c++) {
    const place = w + EVEN + (c << 3);
    store<f64>(place, toSingle(load<f64>(place) + fourProducts(tile, weightSet, c, x0, x1, x2, x3)));
  }
}

/** Partials of two sets enter, their results leave. */
function slimPairs(w: usize, d: i32, partial: i32): void {
  const low = getA(w, partial);
  const high = getA(w, partial + 1);
  slimSet(w, 0, decodeHalf(low), decodeHalf(low >> 16));
  const first = bottomHalves(w);
  slimSet(w, 1, decodeHalf(high), decodeHalf(high >> 16));
  const second = bottomHalves(w);
  stage64(d, <u64>first | (<u64>second << 32));
}

/**
 * Largest flags value with known behaviour: the last phase, or weight set. Steps with part of the engines have
 * chains that no source describes.
 */
function phases(code: u16): u32 {
  switch (code) {
    case op.F16V4HIHOAMP:
    case op.F16V4SISOAMP:
    case op.F8V8HIHOV4AMP:
      return 3;
    case op.F32SISOAMP:
    case op.F32SISOV2AMP:
      return 7;
    case op.F16V4HIHOSLIC:
    case op.F16V4SISOSLIC:
    case op.F16V4HIHOV4SLIC:
    case op.F8V8HIHOV4SLIC:
      return 1;
    // Weight set in bit 1, half of the 64-bit weight in bit 0.
    case op.F32SISOSLIC:
      return 3;
    default:
      return 0xffffffff;
  }
}

/** Matrix and slim convolution steps; false when the operation is none. */
export function executeMatrix(tile: usize, w: usize, e: usize): bool {
  const code = load<u16>(e, OP);
  const d = field(e, 0);
  const input = field(e, 1);
  const partial = field(e, 2);
  const flags = <u32>field(e, 3);
  if (flags > phases(code)) {
    raise(NOT_MODELLED, code);
    return true;
  }
  switch (code) {
    case op.F16V4HIHOAMP: {
      halfPhase(tile, w, input, flags);
      const word = getA(w, partial);
      turnChain(w, 0, decodeHalf(word), decodeHalf(word >> 16));
      stage(d, bottomHalves(w));
      return true;
    }
    case op.F16V4SISOAMP:
      halfPhase(tile, w, input, flags);
      turnChain(w, 0, singleAt(w, partial), singleAt(w, partial + 1));
      stageSinglePair(d);
      return true;
    case op.F8V8HIHOV4AMP:
      if (flags == 0) exchangeSums(w, 2);
      f8Phase(tile, w, input, flags);
      deliverHalfPairs(w, d, partial);
      return true;
    case op.F32SISOAMP:
      singlePhase(tile, w, input, flags, 1);
      // Odd phases show the bottom pair and leave the chain alone.
      if ((flags & 1) == 0) turnChain(w, 0, singleAt(w, partial), singleAt(w, partial + 1));
      else {
        bottom0 = load<f64>(w, ODD);
        bottom1 = load<f64>(w, ODD + 8);
      }
      stageSinglePair(d);
      return true;
    case op.F32SISOV2AMP:
      singlePhase(tile, w, input, flags, 2);
      turnChain(w, flags & 1, singleAt(w, partial), singleAt(w, partial + 1));
      stageSinglePair(d);
      return true;
    case op.F16V4HIHOSLIC: {
      const word = getA(w, partial);
      slimSet(w, 0, decodeHalf(word), decodeHalf(word >> 16));
      slimHalf(tile, w, input, flags, 1);
      stage(d, bottomHalves(w));
      return true;
    }
    case op.F16V4SISOSLIC:
      slimSet(w, 0, singleAt(w, partial), singleAt(w, partial + 1));
      slimHalf(tile, w, input, flags, 1);
      stageSinglePair(d);
      return true;
    case op.F32SISOSLIC:
      // Two issues a step: the first moves the chain, the second adds the upper half and shows what leaves next.
      if ((flags & 1) == 0) slimSet(w, 0, singleAt(w, partial), singleAt(w, partial + 1));
      else {
        bottom0 = load<f64>(w, EVEN);
        bottom1 = load<f64>(w, EVEN + 8);
      }
      singleProducts(tile, w, input, flags, 1);
      stageSinglePair(d);
      return true;
    case op.F16V4HIHOV4SLIC:
      slimPairs(w, d, partial);
      slimHalf(tile, w, input, flags, 2);
      return true;
    case op.F8V8HIHOV4SLIC:
      slimPairs(w, d, partial);
      f8Phase(tile, w, input, flags);
      return true;
    default:
      return false;
  }
}
