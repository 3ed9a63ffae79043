// Matrix unit, 16-channel f16 step: two sets of eight channels, an even (running sum) and an odd (staging)
// accumulator each. State and order follow the shift-chain model [GUESS], which reproduces every published
// instruction sequence. The staging chain of four pairs is kept as a ring: the pair that leaves is the place
// of the pair that enters.
import { rounded } from './aux';
import { INVALID, signal } from './floating';
import { anySpecial, encodeOrdinary, isOrdinary, widen } from './half';
import { COEFFICIENTS, EVEN, FP_CONTROL, ODD, ODD_HEAD } from './state';

/** Bytes of one pair of accumulators, and of one set. */
const PAIR: usize = 16;
const SET: usize = 64;
/** Fields of the control word that leave the fast conversion: RND, ESR, NANOO. */
const NOT_PLAIN: u32 = 0x1f0000;

/**
 * One issue: phase 0 moves finished sums to the staging chain and starts new ones from it; every phase adds
 * four products to each sum, delivers the bottom pair of each chain and takes a new pair at its top.
 * Products are exact, they and the running sum are added in f64 in fixed order and rounded once to f32 [GUESS].
 * Returns four f16 codes.
 */
// @ts-ignore: decorator
@inline
export function matrixStep(tile: usize, w: usize, input: u64, partial: u64, phase: u32): u64 {
  const codes = i64x2.replace_lane(i64x2.splat(<i64>input), 1, <i64>partial);
  const special = anySpecial(codes);
  const x = widen(v128.extend_low<u16>(codes), special);
  const x0 = f64x2.splat(<f64>f32x4.extract_lane(x, 0));
  const x1 = f64x2.splat(<f64>f32x4.extract_lane(x, 1));
  const x2 = f64x2.splat(<f64>f32x4.extract_lane(x, 2));
  const x3 = f64x2.splat(<f64>f32x4.extract_lane(x, 3));
  const weights = tile + COEFFICIENTS + (<usize>phase << 9);
  const even = w + EVEN;
  const odd = w + ODD;
  let head = <usize>load<u32>(w, ODD_HEAD);
  if (phase == 0) {
    if (head != 0) {
      straighten(w);
      head = 0;
    }
    // Unrolled: both sets, four pairs each.
    swap(even, odd, weights, 0, x0, x1, x2, x3);
    swap(even, odd, weights, 16, x0, x1, x2, x3);
    swap(even, odd, weights, 32, x0, x1, x2, x3);
    swap(even, odd, weights, 48, x0, x1, x2, x3);
    swap(even, odd, weights, 64, x0, x1, x2, x3);
    swap(even, odd, weights, 80, x0, x1, x2, x3);
    swap(even, odd, weights, 96, x0, x1, x2, x3);
    swap(even, odd, weights, 112, x0, x1, x2, x3);
  } else {
    add(even, weights, 0, x0, x1, x2, x3);
    add(even, weights, 16, x0, x1, x2, x3);
    add(even, weights, 32, x0, x1, x2, x3);
    add(even, weights, 48, x0, x1, x2, x3);
    add(even, weights, 64, x0, x1, x2, x3);
    add(even, weights, 80, x0, x1, x2, x3);
    add(even, weights, 96, x0, x1, x2, x3);
    add(even, weights, 112, x0, x1, x2, x3);
  }
  const place = odd + head * PAIR;
  const low = v128.load(place);
  const high = v128.load(place, SET);
  const p = widen(v128.extend_high<u16>(codes), special);
  v128.store(place, f64x2.promote_low_f32x4(p));
  v128.store(place, f64x2.promote_low_f32x4(v128.shuffle<i64>(p, p, 1, 0)), SET);
  store<u32>(w, <u32>((head + 1) & 3), ODD_HEAD);
  return deliverFour(w, low, high);
}

/** Two pairs of sums as four f16 codes. */
// @ts-ignore: decorator
@inline
export function deliverFour(w: usize, low: v128, high: v128): u64 {
  // Sums are f32 values, so this narrowing is exact.
  const results = v128.shuffle<i64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
  if ((load<u32>(w, FP_CONTROL) & NOT_PLAIN) == 0 && isOrdinary(results)) {
    const codes16 = encodeOrdinary(results);
    return <u64>i64x2.extract_lane(i16x8.narrow_i32x4_u(codes16, codes16), 0);
  }
  return (
    deliver(w, f64x2.extract_lane(low, 0)) |
    (deliver(w, f64x2.extract_lane(low, 1)) << 16) |
    (deliver(w, f64x2.extract_lane(high, 0)) << 32) |
    (deliver(w, f64x2.extract_lane(high, 1)) << 48)
  );
}

/** A matrix result as f16, with flags. */
export function deliver(w: usize, value: f64): u64 {
  if (isNaN(value)) signal(w, INVALID);
  return <u64>rounded(w, value);
}

/** Puts the staging chain back in order, pair 0 first, for instructions that name its accumulators. */
export function straighten(w: usize): void {
  for (let turns = load<u32>(w, ODD_HEAD); turns != 0; turns--) {
    for (let base = w + ODD; base < w + ODD + 2 * SET; base += SET) {
      const first = v128.load(base);
      memory.copy(base, base + PAIR, 3 * PAIR);
      v128.store(base, first, 3 * PAIR);
    }
  }
  store<u32>(w, 0, ODD_HEAD);
}

// @ts-ignore: decorator
@inline
function add(even: usize, weights: usize, c: usize, x0: v128, x1: v128, x2: v128, x3: v128): void {
  v128.store(even + c, accumulate(v128.load(even + c), weights + c, x0, x1, x2, x3));
}

// @ts-ignore: decorator
@inline
function swap(even: usize, odd: usize, weights: usize, c: usize, x0: v128, x1: v128, x2: v128, x3: v128): void {
  const start = v128.load(odd + c);
  v128.store(odd + c, v128.load(even + c));
  v128.store(even + c, accumulate(start, weights + c, x0, x1, x2, x3));
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
