/**
 * Control and status registers. Indices and fields [SDK], behaviour [ISA]. Indices 0..255 are reached with
 * get and put, 256..511 with uget and uput, whose operand is the index minus 256. SNOTIFY is missing: its
 * index is not known.
 */

/** Contexts that have the register. */
export type CsrContext = 'supervisor' | 'worker' | 'both';
/** Lowest and highest bit. */
export type CsrField = readonly [low: number, high: number];

export interface Csr {
  readonly name: string;
  /** 0..511. */
  readonly index: number;
  readonly context: CsrContext;
  readonly fields: Readonly<Record<string, CsrField>>;
  /** Reads give 0; writing has the effect. */
  readonly writeOnly: boolean;
}

/** First index of the upper half. */
export const UPPER_CSR = 0x100;

function csr<const Name extends string>(
  name: Name,
  index: number,
  context: CsrContext,
  fields: Readonly<Record<string, CsrField>> = {},
  writeOnly = false,
): Csr & { readonly name: Name } {
  return { name, index, context, fields, writeOnly };
}

const WORD: CsrField = [0, 31];
const FLOATING_CONTROL = {
  INV: [0, 0],
  DIV0: [1, 1],
  OFLO: [2, 2],
  RND: [16, 18],
  ESR: [19, 19],
  NANOO: [20, 20],
} as const;
const BREAK_CONTROL = { ENS: [0, 0], ENW: [1, 1], EVM: [2, 2] } as const;
/** 18-bit word address in bits 19:2, so that the register reads as a byte address. */
const EXCHANGE_ADDRESS = { ADDR: [2, 19] } as const;

const ROWS = [
  csr('PC', 0x00, 'both', { PC: [2, 20] }),

  csr('SSR', 0x01, 'supervisor', {
    LC: [0, 0],
    GC: [1, 1],
    ANS: [2, 2],
    RAERR: [3, 3],
    ETYPE: [4, 7],
    PERR: [9, 9],
  }),
  // Writing 1 to ZCWEI clears all matrix coefficients.
  csr('CR', 0x02, 'supervisor', { LC_CLR: [0, 0], LC_SET: [1, 1], ZCWEI: [2, 2] }),
  csr('TILE_ID', 0x03, 'supervisor', { TILE_ID: [0, 10] }),
  csr('FP_ICTL', 0x20, 'supervisor', FLOATING_CONTROL),
  csr('WORKER0_BASE', 0x21, 'supervisor', { ADDR: WORD }),
  csr('WORKER1_BASE', 0x22, 'supervisor', { ADDR: WORD }),
  csr('WORKER2_BASE', 0x23, 'supervisor', { ADDR: WORD }),
  csr('WORKER3_BASE', 0x24, 'supervisor', { ADDR: WORD }),
  csr('WORKER4_BASE', 0x25, 'supervisor', { ADDR: WORD }),
  csr('WORKER5_BASE', 0x26, 'supervisor', { ADDR: WORD }),
  // f8 format of coefficients and of inputs: 1 = F143, 0 = F152.
  csr('FP_INFMT', 0x31, 'supervisor', { CWEI_FMT: [0, 0], ARF_FMT: [1, 1] }),
  // Signed sum of the scale exponents of inputs and coefficients; six bits are presumed [GUESS].
  csr('FP_ISCL', 0x33, 'supervisor', { SCALE: [0, 5] }),
  // Address of the coefficient loads; advances by the size of each.
  csr('CCCSLOAD', 0x50, 'supervisor', { ADDR: [0, 20] }),
  csr('SCOUNT_L', 0x60, 'supervisor', { COUNT: WORD }),
  csr('SCOUNT_U', 0x61, 'supervisor', { COUNT: WORD }),
  csr('CTXT_STS', 0x72, 'supervisor', {
    SU: [0, 1],
    W0: [2, 3],
    W1: [4, 5],
    W2: [6, 7],
    W3: [8, 9],
    W4: [10, 11],
    W5: [12, 13],
    ERERR: [27, 29],
    EERR: [30, 30],
    MERR: [31, 31],
  }),
  csr('DBG_CTL', 0x73, 'supervisor', { CHAN_EN: [0, 1] }),
  csr('DBG_ECSR', 0x74, 'supervisor', { EPCM: [0, 0], CTXT: [1, 3], BOS: [5, 5] }),
  csr('DBG_ECLR', 0x75, 'supervisor', { CLR: [0, 6] }),
  csr('DBG_IBRK0_CTL', 0x80, 'supervisor', BREAK_CONTROL),
  csr('DBG_IBRK0_PC', 0x81, 'supervisor', { ADDR: WORD }),
  csr('DBG_IBRK0_VERT', 0x82, 'supervisor', { ADDR: WORD }),
  csr('DBG_DBRK0_CTL', 0x90, 'supervisor', {
    MLD: [0, 0],
    MSTNI: [1, 1],
    SIC: [2, 2],
    SIZE: [3, 5],
    MDNR: [6, 6],
    CTXT: [15, 21],
  }),
  csr('DBG_DBRK0_BASE', 0x91, 'supervisor', { ADDR: WORD }),
  csr('DBG_DBRK0_SIDA', 0x92, 'supervisor', { VALUE: WORD }),
  // Tile ids need 11 bits; exchange instructions write 13.
  csr('INCOMING_MUX', 0xa0, 'supervisor', { TILE_ID: [0, 12] }),
  csr('INCOMING_MUXPAIR', 0xa1, 'supervisor', { TILE_ID: [0, 12] }),
  csr('INCOMING_DELTA', 0xa2, 'supervisor', EXCHANGE_ADDRESS),
  csr('INCOMING_FORMAT', 0xa3, 'supervisor', { VALUE: [0, 1] }),
  csr('INCOMING_BASE', 0xa4, 'supervisor', EXCHANGE_ADDRESS),
  csr('INCOMING_SINIT', 0xa5, 'supervisor', EXCHANGE_ADDRESS),
  csr('INCOMING_DCOUNT', 0xa6, 'supervisor', { VALUE: [0, 16] }),
  csr('OUTGOING_BASE', 0xa7, 'supervisor', EXCHANGE_ADDRESS),
  csr('OUTGOING_DELTA', 0xa8, 'supervisor', EXCHANGE_ADDRESS),
  csr('EXCHANGE_CTL', 0xa9, 'supervisor', {
    ACTV: [0, 0],
    SEV: [1, 1],
    SWV: [2, 2],
    S64: [3, 3],
    ATMC: [4, 4],
  }),
  csr('ANS_DCOUNT', 0xaa, 'supervisor', { VALUE: [0, 16] }),
  csr('EXCHANGE_ADJ', 0xab, 'supervisor', { COFF: [0, 3], SEWS: [4, 4] }),

  csr('WSR', 0x01, 'worker', { CTXTID_M1: [0, 2], ETYPE: [4, 7], ERPT: [9, 9] }),
  csr('VERTEX_BASE', 0x02, 'worker', { ADDR: WORD }),
  csr('WORKER_BASE', 0x03, 'worker', { ADDR: WORD }),
  csr('REPEAT_COUNT', 0x04, 'worker', { COUNT: [0, 15] }),
  csr('REPEAT_FIRST', 0x05, 'worker', { ADDR: [3, 20] }),
  csr('REPEAT_END', 0x06, 'worker', { ADDR: [3, 20] }),
  csr('COUNT_L', 0x60, 'worker', { COUNT: WORD }),
  csr('COUNT_U', 0x61, 'worker', { COUNT: WORD }),

  csr('DBG_DATA', 0x70, 'both', { DATA: WORD }),
  csr('DBG_BRK_ID', 0x71, 'both', { ID: WORD }),

  csr('FP_STS', 0x100, 'worker', { INV: [0, 0], DIV0: [1, 1], OFLO: [2, 2] }),
  // Clears the sticky flags; ZAACC clears all accumulators of the worker.
  csr('FP_CLR', 0x101, 'worker', { INV: [0, 0], DIV0: [1, 1], OFLO: [2, 2], ZAACC: [3, 3] }, true),
  csr('FP_CTL', 0x102, 'worker', FLOATING_CONTROL),
  csr('PRNG_0_0', 0x103, 'worker', { VALUE: WORD }),
  csr('PRNG_0_1', 0x104, 'worker', { VALUE: WORD }),
  csr('PRNG_1_0', 0x105, 'worker', { VALUE: WORD }),
  csr('PRNG_1_1', 0x106, 'worker', { VALUE: WORD }),
  csr('PRNG_SEED', 0x107, 'worker', { VALUE: WORD }, true),
  // Two f16 scale factors, or one f32.
  csr('TAS', 0x108, 'worker', { F16_0: [0, 15], F16_16: [16, 31] }),
  // f8 format of conversions: 1 = F143, 0 = F152; the fields repeat those of FP_INFMT [GUESS].
  csr('FP_NFMT', 0x109, 'worker', { CWEI_FMT: [0, 0], ARF_FMT: [1, 1] }),
  // Signed scale exponent of conversions.
  csr('FP_SCL', 0x10a, 'worker', { SCALE: [0, 5] }),
] as const;

export type CsrName = (typeof ROWS)[number]['name'];

/** Every register but the coefficient window. */
export const CSRS: readonly Csr[] = ROWS;

/** Index 0..511 of a register by name. */
export const CSR = Object.fromEntries(ROWS.map((row) => [row.name, row.index])) as Readonly<
  Record<CsrName, number>
>;

/** Coefficient word of a channel 0..15 and phase 0..3, seen by the supervisor in the upper half [SDK]. */
export const coefficientCsr = (channel: number, phase: number): number => UPPER_CSR + 4 * channel + phase;

/** Operand of get, put, uget or uput for a register. */
export const csrOperand = (index: number): number => index & 0xff;

/** The register a context finds at an index; undefined when there is none. */
export const csrAt = (index: number, context: 'supervisor' | 'worker'): Csr | undefined =>
  CSRS.find((row) => row.index === index && (row.context === context || row.context === 'both'));

/** Value of a field of a register word. */
export const csrField = (word: number, [low, high]: CsrField): number =>
  Math.floor((word >>> 0) / 2 ** low) % 2 ** (high - low + 1);
