// Memory layout of one tile's state, in bytes from the tile's base pointer.

/** Status codes a run returns. */
export const RUNNING: i32 = 0;
export const AT_BARRIER: i32 = 1;
export const AT_NON_PARTICIPATION: i32 = 2;
export const AT_HOST: i32 = 3;
export const ROW_ENDED: i32 = 4;
export const TIMELINE_FULL: i32 = 5;
export const FAULTED: i32 = 6;
export const LIMIT: i32 = 7;
// 8 is the host's own.
export const WORDS_DUE: i32 = 9;
export const WORKERS_RECEIVING: i32 = 10;

// Tile header.
export const PHYSICAL: usize = 0;
export const SRAM: usize = 4;
export const TIME: usize = 8; // u64
export const STATUS: usize = 16;
export const FAULT_CODE: usize = 20;
export const FAULT_CONTEXT: usize = 24;
export const FAULT_PC: usize = 28;
export const PHASE_START: usize = 32; // u64
export const INSTRUCTIONS: usize = 40; // u64
export const ACTIVE: usize = 48; // bit per worker
export const WAIT_LOCAL: usize = 52; // 1 = at the local barrier; BARRIER_PENDING + status = at another one
/** The supervisor waits at a barrier while workers still run; the run ends when they have. */
export const BARRIER_PENDING: u32 = 16;
export const SUPERVISOR_READY: usize = 56; // u64
export const IN_ROW: usize = 64; // 1 between barrier release and the end of the row
export const SENDS: usize = 68;
export const CONTROLS: usize = 72;
export const SYNC_OPERAND: usize = 76;
export const FAULT_DETAIL: usize = 80;
export const SANS: usize = 84;
export const ROW_ELEMENTS: usize = 88; // bit per region-0 element that row code was fetched from
export const STREAM_ADDRESS: usize = 92; // next word of the outgoing stream
export const REGISTER_READY: usize = 96; // u64[16]
export const CSRS: usize = 224; // u32[256]
export const SUPERVISOR: usize = 1248; // context
export const WORKERS: usize = 1376; // six contexts
export const WORKER_BYTES: usize = 512;
export const COEFFICIENTS: usize = 4608; // f64[4 phases][4 inner][16 channels]
export const COEFFICIENT_BITS: usize = 6656; // u64[64]
export const ARRIVAL: usize = 7168; // u64: cycle in which the supervisor reached the barrier it waits at
export const STREAM_CONTROL: usize = 7176; // direction bits of the outgoing stream; 0 = no stream
export const HORIZON: usize = 7200; // u64: cycle in which the next word in flight arrives; 0 = none
export const SEND_LIST: usize = 8192; // {start, words, address, control} u32
export const SEND_LIMIT: u32 = 255;
export const CONTROL_LIST: usize = 12288; // {event, kind, value, 0} u32
export const CONTROL_LIMIT: u32 = 508;
export const F8_READY: usize = 7184; // 1 + format of the f8 coefficients expanded below; 0 = none
export const F8_COEFFICIENTS: usize = 20480; // f64[4 phases][16 channels][8 inner]
export const TILE_STATE_BYTES: usize = 24576;

// Context: supervisor and workers share the first 144 bytes.
export const PC: usize = 0;
export const CURRENT: usize = 4; // address of the instruction or bundle in progress
export const M: usize = 16;
export const A: usize = 80;
// Worker only.
export const EVEN: usize = 144; // f64[16]: running sums, set 0 then set 1
export const ODD: usize = 272; // f64[16]
export const REPEAT_COUNT: usize = 400;
export const REPEAT_FIRST: usize = 404;
export const REPEAT_END: usize = 408;
export const READY: usize = 416; // u64: first cycle at which the next bundle may issue
export const FP_CONTROL: usize = 424;
export const FP_STATUS: usize = 428;
export const SCALE: usize = 432; // TAS
export const PRNG: usize = 440; // u64[2]
export const F8_FORMAT: usize = 456;
export const F8_SCALE: usize = 460;
export const ODD_HEAD: usize = 464; // pair of the staging chain that leaves next, 0..3
export const DISCARD: usize = 472; // where fast paths write results for the zero registers

// Chip constants.
export const SRAM_BASE: u32 = 0x4c000;
export const SRAM_END: u32 = 0xe8000;
export const REGION1: u32 = 0x80000;

// Exception codes [SDK], and two of our own for what the model cannot do.
export const TRAP0: i32 = 2;
export const TRAP1: i32 = 3;
export const BOS: i32 = 4;
export const FP_TRAP: i32 = 5;
export const CONFLICT: i32 = 6;
export const INVALID_ADDR: i32 = 8;
export const INVALID_OP: i32 = 9;
export const INVALID_PC: i32 = 10;
export const INVALID_INSTR: i32 = 12;
export const IBRK: i32 = 15;
export const NOT_MODELLED: i32 = 100;
export const RUNALL_ERROR: i32 = 101;
export const WORKERS_AT_BARRIER: i32 = 102;

export {
  BRANCH_CYCLES,
  CCCSLOAD_CYCLES,
  LAUNCH_CYCLES,
  LOCAL_SYNC_CYCLES,
  RESULT_LATENCY,
} from './choices.generated';

// Debug registers of the supervisor, as offsets from the tile.
export const BREAK_ON_SYNC: usize = (0x74 << 2) + 224; // DBG_ECSR, bit 5
export const INSTRUCTION_BREAK: usize = (0x80 << 2) + 224; // DBG_IBRK0_CTL: bit 0 supervisor, bit 1 workers
export const INSTRUCTION_BREAK_PC: usize = (0x81 << 2) + 224;
