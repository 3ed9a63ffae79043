/** Exception codes, receive errors and context states of a tile [SDK]. */

/** Code in SSR.ETYPE and WSR.ETYPE. */
export const EXCEPTION = {
  NONE: 0,
  /** Retirement break. */
  RBRK: 1,
  /** Trap with an even operand. */
  PBRK0: 2,
  /** Trap with an odd operand. */
  PBRK1: 3,
  /** Break on sync. */
  BOS: 4,
  /** Enabled floating point trap. */
  FP: 5,
  /** Two accesses of one instruction in one element. */
  CONFLICT: 6,
  /** Exchange and an instruction in one element. */
  EXCONF: 7,
  /** Misaligned, unmapped, or in the wrong region. */
  INVALID_ADDR: 8,
  /** Illegal operands, e.g. identical destination pairs, or an unknown CSR. */
  INVALID_OP: 9,
  INVALID_PC: 10,
  /** Data breakpoint. */
  DBRK: 11,
  /** Illegal instruction, or illegal in this context or in a repeat body. */
  INVALID_INSTR: 12,
  /** Exchange error; ERERR tells which. */
  EXERR: 13,
  /** Memory parity. */
  MEMERR: 14,
  /** Instruction breakpoint. */
  IBRK: 15,
} as const;

export type ExceptionName = keyof typeof EXCEPTION;

/** Field ERERR of CTXT_STS: why a receive failed. */
export const RECEIVE_ERROR = {
  NONE: 0,
  /** Clash with an instruction's memory access. */
  ACCESS: 1,
  /** Clash with instruction fetch. */
  FETCH: 2,
  ADDRESS: 3,
  /** Workers active while receiving. */
  WORKERS: 4,
  BREAKPOINT: 5,
  CONFLICT: 6,
  /** Format changed while data is arriving; reproduced on hardware [HW]. */
  MODI: 7,
} as const;

export type ReceiveErrorName = keyof typeof RECEIVE_ERROR;

/** Two bits per context in CTXT_STS. */
export const CONTEXT_STATE = { INACTIVE: 0, ACTIVE: 1, EXCEPTED_DEBUG: 2, EXCEPTED: 3 } as const;

const nameOf = (table: Readonly<Record<string, number>>, code: number): string | undefined =>
  Object.keys(table).find((name) => table[name] === code);

/** Name of a code 0..15; undefined outside. */
export const exceptionName = (code: number): ExceptionName | undefined =>
  nameOf(EXCEPTION, code) as ExceptionName | undefined;

/** Name of an ERERR value 0..7; undefined outside. */
export const receiveErrorName = (code: number): ReceiveErrorName | undefined =>
  nameOf(RECEIVE_ERROR, code) as ReceiveErrorName | undefined;
