import type { DeviceIdentity, Tensor } from '../ports.ts';

/** Peak floating-point operations per tile and cycle with f16 operands, 64 multiply-accumulates [SDK]. */
const F16_PEAK = 128;
/** The same with f8 operands [SDK]. */
const F8_PEAK = 256;

/** Time and rate of one call. */
export interface Speed {
  readonly microseconds: number;
  readonly tflops?: number;
  /** Why the figures cannot be true; undefined when they can. */
  readonly implausible?: string;
}

/**
 * Turns cycles into microseconds and, given the problem's operations, TFLOPS. Both come from the same interval. A
 * call without cycles or faster than the chip's peak is implausible: then it is the measurement that is broken.
 */
export function speedOf(
  identity: DeviceIdentity,
  inputs: readonly Tensor[],
  cycles: number,
  flops: number | undefined,
): Speed {
  const microseconds = (cycles / identity.clockHz) * 1e6;
  if (!Number.isSafeInteger(cycles) || cycles <= 0) {
    return { microseconds, implausible: `the device reports ${cycles} cycles for the call` };
  }
  if (flops === undefined) return { microseconds };
  const tflops = flops / microseconds / 1e6;
  const perCycle = inputs.some((tensor) => tensor.dtype === 'f8f143') ? F8_PEAK : F16_PEAK;
  const peak = (perCycle * identity.tiles * identity.clockHz) / 1e12;
  if (tflops <= peak) return { microseconds, tflops };
  return {
    microseconds,
    tflops,
    implausible: `${flops} operations in ${cycles} cycles are ${tflops.toFixed(1)} TFLOPS, above the chip's peak of ${peak.toFixed(1)}`,
  };
}
