/**
 * The machine as the rest of the suite sees it. The simulator and the card's driver both satisfy this
 * interface and nothing else of them is visible outside.
 */

/** Who ran the program. */
export interface DeviceIdentity {
  readonly kind: 'simulator' | 'c600';
  /** Tiles the device has, 1472 on an IPU21. */
  readonly tiles: number;
  /** Tile clock used to turn cycles into time; 1.5 GHz is the C600 default [SW]. */
  readonly clockHz: number;
  /** Simulator model version or card serial. */
  readonly model: string;
}

/** Outcome of one call. */
export interface CallOutcome {
  readonly outputs: ReadonlyMap<string, Uint8Array>;
  /** Tile cycles from the first start sample to the last end sample. */
  readonly cycles: number;
  /** Instructions retired over all tiles, workers and supervisors. */
  readonly instructions: number;
  readonly tiles: readonly TileTimes[];
}

/** Cycle account of one tile for one call. */
export interface TileTimes {
  readonly physicalTile: number;
  readonly startCycle: number;
  readonly endCycle: number;
  /** Cycles spent waiting at internal barriers. */
  readonly syncCycles: number;
  /** Cycles spent between barrier release and the end of the exchange row. */
  readonly exchangeCycles: number;
}

/** Open, load, call, look, close. */
export interface Device {
  identity(): DeviceIdentity;
  /** Validates the package, places its segments, poisons everything else. Throws DeviceError. */
  load(packageBytes: Uint8Array): Promise<void>;
  /** Writes the inputs, runs the program once, reads the outputs. Throws DeviceError. */
  call(name: string, inputs: ReadonlyMap<string, Uint8Array>): Promise<CallOutcome>;
  readTile(physicalTile: number, address: number, bytes: number): Uint8Array;
  /** Plants bytes in SRAM; used by fault injection and debuggers. */
  writeTile(physicalTile: number, address: number, data: Uint8Array): void;
  close(): Promise<void>;
}

/** Why a device gave up. */
export class DeviceError extends Error {
  readonly verdict: 'device-fault' | 'infra-error';
  readonly stage: string;
  readonly tile?: number;
  readonly facts: Readonly<Record<string, number | string>>;
  readonly advice: string;

  constructor(
    verdict: 'device-fault' | 'infra-error',
    stage: string,
    message: string,
    facts: Readonly<Record<string, number | string>>,
    advice: string,
    tile?: number,
  ) {
    super(message);
    this.name = 'DeviceError';
    this.verdict = verdict;
    this.stage = stage;
    this.facts = facts;
    this.advice = advice;
    if (tile !== undefined) this.tile = tile;
  }
}
