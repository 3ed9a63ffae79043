// Random numbers of a worker, and stochastic rounding. The generator is xoroshiro128aox, published for this
// family of chips; how instructions use its bits is a choice [GUESS].
import { stage, stage64 } from './aux';
import { OP } from './decode';
import { encodeHalf } from './half';
import { field, getA } from './registers';
import * as op from './opcodes.generated';
import { PRNG } from './state';

// @ts-ignore: decorator
@inline
function turn(x: u64, n: u64): u64 {
  return rotl<u64>(x, n);
}

/** Next 64 bits of a worker. */
export function draw(w: usize): u64 {
  const s0 = load<u64>(w, PRNG);
  const s1 = load<u64>(w, PRNG + 8);
  const mixed = s0 ^ s1;
  const both = s0 & s1;
  store<u64>(w, turn(s0, 55) ^ mixed ^ (mixed << 14), PRNG);
  store<u64>(w, turn(mixed, 36), PRNG + 8);
  return mixed ^ (turn(both, 1) | turn(both, 2));
}

/** Sum of the eight bytes of a draw, shifted and scaled to mean 0 and variance 1. */
function gaussian(w: usize): f64 {
  let bits = draw(w);
  let sum: f64 = 0;
  for (let i = 0; i < 8; i++) {
    sum += <f64>(bits & 0xff);
    bits >>= 8;
  }
  return (sum - 1020) / 209.02153;
}

/** 16 random bits decide about one element. */
function keeps(chance: u32, bits: u64): bool {
  return (chance & 0x10000) != 0 || <u32>(bits & 0xffff) < (chance & 0xffff);
}

/** Random instructions; false when the operation is none. */
export function executeRandom(w: usize, e: usize): bool {
  const d = field(e, 0);
  switch (load<u16>(e, OP)) {
    case op.URAND32:
      stage(d, <u32>draw(w));
      return true;
    case op.URAND64:
      stage64(d, draw(w));
      return true;
    case op.F16V2GRAND: {
      const low = encodeHalf(gaussian(w), 0, false);
      stage(d, low | (encodeHalf(gaussian(w), 0, false) << 16));
      return true;
    }
    case op.F32V2GRAND: {
      const low = reinterpret<u32>(<f32>gaussian(w));
      stage64(d, <u64>low | (<u64>reinterpret<u32>(<f32>gaussian(w)) << 32));
      return true;
    }
    case op.F16V4RMASK: {
      const source = field(e, 1);
      const chance = getA(w, field(e, 2));
      let bits = draw(w);
      let kept: u64 = 0;
      for (let i = 0; i < 4; i++) {
        const half = <u64>((getA(w, source + (i >> 1)) >> (16 * (i & 1))) & 0xffff);
        if (keeps(chance, bits)) kept |= half << (16 * i);
        bits >>= 16;
      }
      stage64(d, kept);
      return true;
    }
    case op.F32V2RMASK: {
      const source = field(e, 1);
      const chance = getA(w, field(e, 2));
      const bits = draw(w);
      const low: u64 = keeps(chance, bits) ? getA(w, source) : 0;
      const high: u64 = keeps(chance, bits >> 16) ? getA(w, source + 1) : 0;
      stage64(d, low | (high << 32));
      return true;
    }
    default:
      return false;
  }
}
