/**
 * Totals and shapes of the IPU21 as data. Evidence: [ISA] public instruction descriptions, [HW] measured on a
 * C600 card, [SDK] output of the original tools, [SW] convention of known programs, [GUESS] inference.
 */

/** Tiles of a chip [SDK]. */
export const TILE_COUNT = 1472;
/** Worker contexts of a tile; the supervisor is one more context [ISA]. */
export const WORKER_COUNT = 6;
export const CONTEXT_COUNT = WORKER_COUNT + 1;
/** Default tile clock of a C600 in hertz, used for all conversions of cycles to time [SW]. */
export const CLOCK_HZ = 1_500_000_000;
/** Tile cycles between two issue slots of one worker, whatever number of workers runs [SDK]. */
export const CYCLES_PER_WORKER_ISSUE = 6;

/** Matrix unit. Channel c of set s finds its coefficients of phase n at entry 32 s + 4 c + n [SDK]/[HW]. */
export const MATRIX_UNIT = {
  /** Sets of output channels [SDK]. */
  sets: 2,
  /** Output channels of one set [SDK]. */
  channelsPerSet: 8,
  /** 64-bit coefficient entries, shared by the workers of a tile [ISA]. */
  coefficientEntries: 64,
  /** Accumulator registers of one worker, 16 to a set [ISA]. */
  accumulators: 32,
  /** Inner elements consumed by one issue [ISA]/[SDK]. */
  innerPerPhase: { f16: 4, f8: 8, f32: 1 },
  /** Issues that make one group, so that every coefficient is used once [ISA]/[SDK]. */
  phasesPerGroup: { f16: 4, f8: 4, f32: 8 },
  /** Bytes of coefficients of one panel of 16 channels, any format [SDK]. */
  panelBytes: 512,
} as const;

/**
 * Entries that hold the coefficients of output channels 0..15 (four entries each) so that results leave the
 * unit in channel order; natural order would interleave the two sets [SDK].
 */
export const COEFFICIENT_ORDER: readonly number[] = [
  0, 4, 32, 36, 8, 12, 40, 44, 16, 20, 48, 52, 24, 28, 56, 60,
];

/** Multiply-accumulates of one issue of the 16-channel matrix steps [SDK]. */
export const MACS_PER_ISSUE = { f16: 64, f8: 128, f32: 16 } as const;

/** Number formats. Exponents are of two; `maxFinite` is exact [SDK]/[HW]. */
export const NUMBER_FORMATS = {
  f32: {
    exponentBits: 8,
    fractionBits: 23,
    bias: 127,
    maxFinite: (2 - 2 ** -23) * 2 ** 127,
    infinities: true,
  },
  /** IEEE binary16 with denormals. */
  f16: { exponentBits: 5, fractionBits: 10, bias: 15, maxFinite: 65504, infinities: true },
  /** Code 0x80 is NaN; there is no infinity and no negative zero. */
  f8f143: { exponentBits: 4, fractionBits: 3, bias: 8, maxFinite: 240, infinities: false },
  f8f152: { exponentBits: 5, fractionBits: 2, bias: 16, maxFinite: 57344, infinities: false },
} as const;

/** The only f8 code that is no number, both formats [SDK]. */
export const F8_NAN = 0x80;
/** Signed scale exponents of f8 data: conversions hold 6 bits, matrix operands use this range [SDK]. */
export const F8_CONVERSION_SCALE = { min: -32, max: 31 } as const;
export const F8_MATRIX_SCALE = { min: -16, max: 15 } as const;
