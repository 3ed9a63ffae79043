// f16 <-> f64. Decoding by table, encoding with one rounding from the exact f64 value.

// Set by the host: statics would be shared, and cleared, by every thread's instance.
let table: usize = 0;

export function useHalfTable(address: usize): void {
  table = address;
}

export function buildHalfTable(): void {
  for (let code = 0; code < 65536; code++) {
    const sign: f64 = (code & 0x8000) != 0 ? -1 : 1;
    const exponent = (code >> 10) & 31;
    const fraction = code & 1023;
    let value: f64;
    if (exponent == 31) value = fraction != 0 ? NaN : sign * Infinity;
    else if (exponent == 0) value = sign * <f64>fraction * 5.9604644775390625e-8;
    else value = sign * <f64>(1024 + fraction) * reinterpret<f64>(<u64>(exponent - 25 + 1023) << 52);
    store<f64>(table + (<usize>code << 3), value);
  }
}

// @ts-ignore: decorator
@inline
export function decodeHalf(code: u32): f64 {
  return load<f64>(table + (<usize>(code & 0xffff) << 3));
}

/** Mode of a stochastic rounding, beside those of the control register. */
export const STOCHASTIC_MODE: u32 = 8;
/** Random bits that decide the next stochastic rounding. */
export let randomBits: u64 = 0;
/** True when a finite value did not fit since the last `watchOverflow`. */
export let overflowed: bool = false;

export function watchOverflow(random: u64): void {
  overflowed = false;
  randomBits = random;
}

/** Rounding modes: 0 nearest even, 1 up, 2 down, 3 toward zero, 4 nearest away, 8 stochastic. */
export function encodeHalf(value: f64, mode: u32, nanOnOverflow: bool): u32 {
  const bits = reinterpret<u64>(value);
  const sign: u32 = <u32>(bits >> 48) & 0x8000;
  const magnitude = bits & 0x7fffffffffffffff;
  if (magnitude > 0x7ff0000000000000) return 0x7e00;
  if (magnitude == 0x7ff0000000000000) return sign | 0x7c00;
  if (magnitude == 0) return sign;
  const exponent = <i32>(magnitude >> 52) - 1023;
  if (exponent < -40) return sign | (mode == STOCHASTIC_MODE ? 0 : roundsAway(0, 1, 2, sign, mode));
  let shift = 42;
  if (exponent < -14) shift += -14 - exponent;
  const significand = (magnitude & 0xfffffffffffff) | 0x10000000000000;
  const kept = shift < 64 ? significand >> <u64>shift : 0;
  const rest = shift < 64 ? significand & ((<u64>1 << <u64>shift) - 1) : significand;
  const half = shift < 64 ? <u64>1 << <u64>(shift - 1) : <u64>1 << 63;
  const rounded = <u32>kept + roundsAway(<u32>kept, rest, half, sign, mode);
  const code = exponent < -14 ? rounded : <u32>((exponent + 14) << 10) + rounded;
  if (code >= 0x7c00) overflowed = true;
  if (code >= 0x7c00) return nanOnOverflow ? 0x7e00 : sign | 0x7bff;
  return sign | code;
}

/** 1 when the magnitude is to be rounded up. `rest` is below, at or above `half`. */
export function roundsAway(kept: u32, rest: u64, half: u64, sign: u32, mode: u32): u32 {
  if (rest == 0) return 0;
  switch (mode) {
    case 0:
      return rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
    case 1:
      return sign == 0 ? 1 : 0;
    case 2:
      return sign != 0 ? 1 : 0;
    case 4:
      return rest >= half ? 1 : 0;
    case STOCHASTIC_MODE: {
      const unit = half + half;
      return rest + (randomBits & (unit - 1)) >= unit ? 1 : 0;
    }
    default:
      return 0;
  }
}

/** Fast path: nearest even, saturating. */
export function encodeHalfNearest(value: f64): u32 {
  const single = <f32>value;
  if (<f64>single != value) return encodeHalf(value, 0, false);
  const bits = reinterpret<u32>(single);
  const sign = (bits >> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude < 0x38800000 || magnitude >= 0x477ff000) return encodeHalf(value, 0, false);
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13);
}

/** True when some of eight f16 codes is infinite or NaN. */
// @ts-ignore: decorator
@inline
export function anySpecial(codes: v128): bool {
  return v128.any_true(i16x8.gt_s(v128.and(codes, i16x8.splat(0x7fff)), i16x8.splat(0x7bff)));
}

/** Four f16 codes in 32-bit lanes to f32, exactly; infinities and NaN only when `special`. */
// @ts-ignore: decorator
@inline
export function widen(codes: v128, special: bool): v128 {
  const magnitude = i32x4.shl(v128.and(codes, i32x4.splat(0x7fff)), 13);
  let value = f32x4.mul(magnitude, f32x4.splat(5.192296858534828e33)); // 2^112 moves the exponent bias
  if (special) {
    const infinite = v128.or(magnitude, i32x4.splat(0x7f800000));
    value = v128.bitselect(infinite, value, i32x4.gt_s(magnitude, i32x4.splat(0x0f7fffff)));
  }
  return v128.or(value, i32x4.shl(v128.and(codes, i32x4.splat(0x8000)), 16));
}

/** True when no lane overflows f16 or is infinite or NaN. */
// @ts-ignore: decorator
@inline
export function isOrdinary(values: v128): bool {
  const magnitude = v128.and(values, i32x4.splat(0x7fffffff));
  return !v128.any_true(i32x4.gt_s(magnitude, i32x4.splat(0x477fefff)));
}

/** Four ordinary f32 to f16 codes in the low half of each lane, nearest even. */
// @ts-ignore: decorator
@inline
export function encodeOrdinary(values: v128): v128 {
  const magnitude = v128.and(values, i32x4.splat(0x7fffffff));
  const sign = v128.and(i32x4.shr_u(values, 16), i32x4.splat(0x8000));
  const odd = v128.and(i32x4.shr_u(magnitude, 13), i32x4.splat(1));
  const normal = i32x4.shr_u(i32x4.add(i32x4.sub(magnitude, i32x4.splat(0x38000000 - 0xfff)), odd), 13);
  const small = i32x4.lt_s(magnitude, i32x4.splat(0x38800000));
  if (!v128.any_true(small)) return v128.or(normal, sign);
  // Adding 1/2 aligns subnormal results at the bottom of the significand, rounding them to nearest even.
  const subnormal = i32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), i32x4.splat(0x3f000000));
  return v128.or(v128.bitselect(subnormal, normal, small), sign);
}
