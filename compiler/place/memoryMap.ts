/**
 * Where a program's parts live in a tile's SRAM. Addresses are byte addresses; the split is a software
 * convention [SW] on top of the memory facts of device/ipu21.
 */

/** Two-word entry stub the loader jumps to [SW]. */
export const ENTRY_ADDRESS = 0x4c010;
/** Window reserved for host packets [SW]. */
export const HOST_WINDOW = { start: 0x50000, end: 0x58000 } as const;
/** Completion word, then profile start and end cycle [SW]. */
export const COMPLETION_ADDRESS = 0x58000;
export const START_CYCLE_ADDRESS = 0x58004;
export const END_CYCLE_ADDRESS = 0x58008;
/** Bytes of runtime state: completion, profile words, stack head room, six worker stacks of 0x100. */
export const RUNTIME_STATE = { start: 0x58000, end: 0x586e0 } as const;
/** First worker stack; the others follow every 0x100 bytes [SW]. */
export const WORKER_STACK_ADDRESS = 0x580e0;
export const WORKER_STACK_BYTES = 0x100;
/** Generated program: supervisor code, exchange rows, worker code. Never shares an element with data. */
export const CODE_ADDRESS = 0x5c000;
/** Instruction fetch runs at most this many bytes ahead of the supervisor [SW]. */
export const FETCH_GUARD_BYTES = 64;
/** Highest byte the boot loader can fill [HW]. */
export const DATA_END = 0xe7bb0;
/** Bytes of data memory beside one element of code. */
export const DATA_CAPACITY = DATA_END - (CODE_ADDRESS + 0x4000);
