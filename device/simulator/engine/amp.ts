// Matrix unit, 16-channel f16 step: two sets of eight channels, an even (running sum) and an odd (staging)
// accumulator each. State and order follow the shift-chain model [GUESS], which reproduces every published
// instruction sequence.
import { rounded } from './aux';
import { INVALID, signal } from './floating';
import { decodeHalf, encodeHalfNearest } from './half';
import { getA } from './main';
import { COEFFICIENTS, EVEN, FP_CONTROL, ODD } from './state';

/**
 * One issue: phase 0 moves finished sums to the staging chain and starts new ones from it; every phase adds
 * four products to each sum, delivers the bottom pair of each chain and takes a new pair at its top.
 * Products are exact, they and the running sum are added in f64 in fixed order and rounded once to f32 [GUESS].
 * Returns four f16 codes.
 */
export function matrixStep(tile: usize, w: usize, input: i32, partial: i32, phase: u32): u64 {
  const x01 = getA(w, input);
  const x23 = getA(w, input + 1);
  const x0 = f64x2.splat(decodeHalf(x01));
  const x1 = f64x2.splat(decodeHalf(x01 >> 16));
  const x2 = f64x2.splat(decodeHalf(x23));
  const x3 = f64x2.splat(decodeHalf(x23 >> 16));
  const weights = tile + COEFFICIENTS + (<usize>phase << 9);
  const even = w + EVEN;
  const odd = w + ODD;
  if (phase == 0) {
    for (let c: usize = 0; c < 128; c += 16) {
      const start = v128.load(odd + c);
      v128.store(odd + c, v128.load(even + c));
      v128.store(even + c, accumulate(start, weights + c, x0, x1, x2, x3));
    }
  } else {
    for (let c: usize = 0; c < 128; c += 16) {
      v128.store(even + c, accumulate(v128.load(even + c), weights + c, x0, x1, x2, x3));
    }
  }
  const r0 = load<f64>(odd);
  const r1 = load<f64>(odd, 8);
  const r2 = load<f64>(odd, 64);
  const r3 = load<f64>(odd, 72);
  v128.store(odd, v128.load(odd, 16));
  v128.store(odd, v128.load(odd, 32), 16);
  v128.store(odd, v128.load(odd, 48), 32);
  v128.store(odd, v128.load(odd, 80), 64);
  v128.store(odd, v128.load(odd, 96), 80);
  v128.store(odd, v128.load(odd, 112), 96);
  const p01 = getA(w, partial);
  const p23 = getA(w, partial + 1);
  store<f64>(odd, decodeHalf(p01), 48);
  store<f64>(odd, decodeHalf(p01 >> 16), 56);
  store<f64>(odd, decodeHalf(p23), 112);
  store<f64>(odd, decodeHalf(p23 >> 16), 120);
  const largest = max(max(abs(r0), abs(r1)), max(abs(r2), abs(r3)));
  if ((load<u32>(w, FP_CONTROL) & 0x1f0000) == 0 && largest < 65520) {
    return (
      <u64>encodeHalfNearest(r0) |
      (<u64>encodeHalfNearest(r1) << 16) |
      (<u64>encodeHalfNearest(r2) << 32) |
      (<u64>encodeHalfNearest(r3) << 48)
    );
  }
  return deliver(w, r0) | (deliver(w, r1) << 16) | (deliver(w, r2) << 32) | (deliver(w, r3) << 48);
}

/** A matrix result as f16, with flags. */
export function deliver(w: usize, value: f64): u64 {
  if (isNaN(value)) signal(w, INVALID);
  return <u64>rounded(w, value);
}

// @ts-ignore: decorator
@inline
function accumulate(sum: v128, weights: usize, x0: v128, x1: v128, x2: v128, x3: v128): v128 {
  const products = f64x2.add(
    f64x2.add(f64x2.mul(x0, v128.load(weights)), f64x2.mul(x1, v128.load(weights, 128))),
    f64x2.add(f64x2.mul(x2, v128.load(weights, 256)), f64x2.mul(x3, v128.load(weights, 384))),
  );
  return f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(f64x2.add(sum, products)));
}
