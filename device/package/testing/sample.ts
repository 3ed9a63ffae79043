import {
  ALL_TILES,
  type Application,
  SEGMENT_EXECUTE,
  SEGMENT_READ,
  SEGMENT_WRITE,
  type Step,
} from '../model.ts';

const step = (localIndex: number, kind: Step['kind']): Step => ({
  localIndex,
  phase: localIndex,
  epoch: 0,
  operation: 'operation.7',
  kind,
  kernel: kind === 'compute' ? 'gemm_f16' : 'exchange',
  metadata: [{ name: 'bytes', value: '4096' }],
  exchangeActivities: kind === 'exchange' ? [{ kind: 'partnerBusy', startCycle: 3, endCycle: 19 }] : [],
  exchangeEventCycles: kind === 'exchange' ? 40 : 0,
});

/** A small valid package that uses every record of the format; tests break one rule of it at a time. */
export const sampleApplication: Application = {
  compilerVersion: 'sample 1',
  tiles: [0, 2].map((physicalTile) => ({
    physicalTile,
    entryPoint: 0x4c010,
    segments: [
      {
        address: 0x58000,
        memorySize: 0x6e0,
        data: Uint8Array.of(1, 0, 0, 0),
        flags: SEGMENT_READ | SEGMENT_WRITE,
      },
      {
        address: 0x4c010,
        memorySize: 8,
        data: new Uint8Array(8).fill(7),
        flags: SEGMENT_READ | SEGMENT_EXECUTE,
      },
    ],
    commandAddress: 0,
    diagnosticAddress: 0x58000,
  })),
  inputs: [
    {
      name: 'left',
      dtype: 'f16',
      shape: [2, 8],
      slices: [{ tile: 0, tileAddress: 0x80000, fileOffset: 0, size: 32 }],
    },
  ],
  outputs: [
    {
      name: 'product',
      dtype: 'f32',
      shape: [4],
      slices: [{ tile: 2, tileAddress: 0xe7ff0, fileOffset: 0, size: 16 }],
    },
  ],
  weights: [
    {
      name: 'right',
      dtype: 'f16',
      shape: [4],
      slices: [{ tile: 2, tileAddress: 0x4c000, fileOffset: 8, size: 8 }],
    },
  ],
  hostExchange: {
    startupMark: 23,
    commandPage: 0,
    commandOffset: 4092,
    pages: [
      { index: 0, size: 4096 },
      { index: 1, size: 8192 },
    ],
    attachOrder: [0, 1],
    calls: [
      {
        name: 'run',
        command: 0,
        phases: 3,
        inputs: [
          { page: 1, pageOffset: 0, fileOffset: 0, size: 32 },
          { page: 1, pageOffset: 4096, fileOffset: 32, size: 4096 },
        ],
        outputs: [{ page: 1, pageOffset: 4096, fileOffset: 0, size: 16 }],
        invocations: 1,
        inputBatchEnds: [1, 2],
        outputBatchEnds: [1],
      },
    ],
  },
  entryPoints: [{ name: 'run', command: 0, externalSyncs: 0 }],
  deviceConfigWrites: [{ offset: 0x1234, value: 5 }],
  profileTiles: [
    { physicalTile: 2, steps: [step(0, 'exchange'), step(1, 'compute'), step(2, 'synchronization')] },
  ],
  debugSymbols: [{ name: 'gemm_f16', address: 0x4c018 }],
  debugRegions: [
    { physicalTile: ALL_TILES, address: 0x4c018, size: 0x100, name: 'linked executable' },
    { physicalTile: 2, address: 0x5c000, size: 0x40, name: 'exchange row' },
  ],
};
