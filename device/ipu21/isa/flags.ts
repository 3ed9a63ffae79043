/**
 * Values of enumerated immediates. UNCONFIRMED: the names are those of public sources, but no source states
 * the numbers of the matrix, slim convolution and accumulator flags; recorded words only show 0 in a field of
 * six bits. The numbers are this project's own [GUESS]; correcting them here corrects every user.
 */

/** Flags of the matrix product steps: phase in bits 2:0, disabled engines in bits 4:3. */
export const AMP_FLAGS = {
  TAMP_F16V4_E4_P0: 0,
  TAMP_F16V4_E4_P1: 1,
  TAMP_F16V4_E4_P2: 2,
  TAMP_F16V4_E4_P3: 3,
  TAMP_F16V4_E2_P0: 8,
  TAMP_F16V4_E2_P1: 9,
  TAMP_F16V4_E1_P0: 16,
  // The f8 steps take the same values as the f16 steps [SDK].
  TAMP_F8V8_E4_P0: 0,
  TAMP_F8V8_E4_P1: 1,
  TAMP_F8V8_E4_P2: 2,
  TAMP_F8V8_E4_P3: 3,
  TAMP_F32_E4_P0: 0,
  TAMP_F32_E4_P1: 1,
  TAMP_F32_E4_P2: 2,
  TAMP_F32_E4_P3: 3,
  TAMP_F32_E4_P4: 4,
  TAMP_F32_E4_P5: 5,
  TAMP_F32_E4_P6: 6,
  TAMP_F32_E4_P7: 7,
  TAMP_F32_E2_P0: 8,
  TAMP_F32_E2_P1: 9,
  TAMP_F32_E2_P2: 10,
  TAMP_F32_E2_P3: 11,
  TAMP_F32_E1_P0: 16,
  TAMP_F32_E1_P1: 17,
} as const;

/** Weight set of the slim convolution steps. */
export const SLIC_FLAGS = { TSLIC_F16V4_1x4_W0: 0, TSLIC_F16V4_1x4_W1: 1 } as const;

/** Phase of the accumulator permutations. */
export const STACC_FLAGS = { TISTACC_P0: 0, TISTACC_P1: 1, TSTACC_P0: 0, TSTACC_P1: 1 } as const;

/** Accumulator chain of gina: even or odd accumulators of set 0; the values of set 1 are a guess. */
export const GINA_CHAIN = { EVEN_SET0: 0, ODD_SET0: 1, EVEN_SET1: 2, ODD_SET1: 3 } as const;

/** Rounding mode of f32int and of the RND field of FP_CTL [SDK]. */
export const ROUNDING = {
  NEAREST_EVEN: 0,
  TOWARD_PLUS_INFINITY: 1,
  TOWARD_MINUS_INFINITY: 2,
  TOWARD_ZERO: 3,
  NEAREST_AWAY: 4,
} as const;

/** All flag names an assembler line may use. */
export const FLAG_VALUES: ReadonlyMap<string, number> = new Map([
  ...Object.entries(AMP_FLAGS),
  ...Object.entries(SLIC_FLAGS),
  ...Object.entries(STACC_FLAGS),
]);
