import { ELEMENT_BYTES, LOADER_END } from '../../device/ipu21/index.ts';

/**
 * Where a program's parts live in a tile's SRAM. Addresses are byte addresses; the split is a software
 * convention [SW] on top of the memory facts of device/ipu21.
 */

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
/** Bytes of data memory beside one element of code. */
export const DATA_CAPACITY = LOADER_END - (CODE_ADDRESS + ELEMENT_BYTES);
