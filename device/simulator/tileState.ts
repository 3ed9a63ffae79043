/** Byte offsets of a tile's state that the host reads and writes; the engine's state.ts is the layout. */
export const STATE = {
  physical: 0,
  sram: 4,
  time: 8,
  status: 16,
  faultCode: 20,
  faultContext: 24,
  faultPc: 28,
  phaseStart: 32,
  instructions: 40,
  active: 48,
  supervisorReady: 56,
  inRow: 64,
  sends: 68,
  controls: 72,
  syncOperand: 76,
  faultDetail: 80,
  sans: 84,
  rowElements: 88,
  csrs: 224,
  supervisor: 1248,
  workers: 1376,
  workerBytes: 512,
  arrival: 7168,
  horizon: 7200,
  sendList: 8192,
  controlList: 12_288,
} as const;

/** Status codes of a run. */
export const STATUS = {
  running: 0,
  barrier: 1,
  nonParticipation: 2,
  host: 3,
  rowEnded: 4,
  timelineFull: 5,
  faulted: 6,
  limit: 7,
  /** A word in flight is due before the next instruction. */
  wordsDue: 9,
  /** A word in flight arrived while workers were active. */
  workersReceiving: 10,
  /** The engine itself failed; never expected. */
  crashed: 8,
} as const;
