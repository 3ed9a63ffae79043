import { LOAD_ADDRESS, type LogicalTile, m, physicalTileOf } from '../../device/ipu21/index.ts';
import {
  ALL_TILES,
  type Application,
  type Binding,
  SEGMENT_EXECUTE,
  SEGMENT_READ,
  SEGMENT_WRITE,
  type Segment,
  type TileImage,
} from '../../device/package/index.ts';
import { Assembler, type MachineCode } from '../assembler/assembler.ts';
import { addTable } from '../kernels/add.ts';
import { castTable } from '../kernels/cast.ts';
import { epilogueTable } from '../kernels/epilogue.ts';
import { gemmTable } from '../kernels/gemm.ts';
import { normTable } from '../kernels/layerNorm.ts';
import { mergeTable } from '../kernels/merge.ts';
import { reduceTable } from '../kernels/reduce.ts';
import { softmaxTable } from '../kernels/softmax.ts';
import type { BindingLayout, BufferName, ExchangeStep, LoweredProgram, Step } from '../lower/stages.ts';
import {
  COMPLETION_ADDRESS,
  END_CYCLE_ADDRESS,
  RUNTIME_STATE,
  START_CYCLE_ADDRESS,
} from '../place/memoryMap.ts';
import type { Placement } from '../place/place.ts';

/** Version text written into every package. */
export const COMPILER_VERSION = 'ipu-verify 0.1.0';

const READ_EXECUTE = SEGMENT_READ | SEGMENT_EXECUTE;
const READ_WRITE = SEGMENT_READ | SEGMENT_WRITE;

/** Code of one tile: where it starts and what it holds. */
export interface TileCode {
  readonly tile: LogicalTile;
  readonly supervisor: MachineCode;
}

/** Puts tile images, bindings and the debug map into the package model. */
export function buildApplication(
  program: LoweredProgram,
  placement: Placement,
  kernels: MachineCode,
  codes: readonly TileCode[],
): Application {
  const tiles: TileImage[] = codes.map(({ tile, supervisor }) => ({
    physicalTile: physicalTileOf(tile),
    entryPoint: LOAD_ADDRESS,
    commandAddress: 0,
    diagnosticAddress: COMPLETION_ADDRESS,
    segments: [
      segment(LOAD_ADDRESS, entryStub(supervisor), READ_EXECUTE),
      {
        address: RUNTIME_STATE.start,
        memorySize: RUNTIME_STATE.end - RUNTIME_STATE.start,
        data: new Uint8Array(12),
        flags: READ_WRITE,
      },
      segment(kernels.address, kernels.words, READ_EXECUTE),
      segment(supervisor.address, supervisor.words, READ_EXECUTE),
      ...tables(program, placement, tile),
    ],
  }));
  const every = codes.map(({ tile }) => tile);
  return {
    compilerVersion: COMPILER_VERSION,
    tiles,
    inputs: program.bindings
      .filter((binding) => binding.direction === 'input')
      .map((binding) => bindingOf(binding, placement)),
    outputs: [
      ...program.bindings
        .filter((binding) => binding.direction === 'output')
        .map((binding) => bindingOf(binding, placement)),
      wordPerTile('profile.start-cycle', START_CYCLE_ADDRESS, every),
      wordPerTile('profile.end-cycle', END_CYCLE_ADDRESS, every),
      wordPerTile('completion', COMPLETION_ADDRESS, every),
    ],
    weights: [],
    hostExchange: { startupMark: 0, commandPage: 0, commandOffset: 0, pages: [], attachOrder: [], calls: [] },
    entryPoints: [{ name: 'run', command: 0, externalSyncs: 0 }],
    deviceConfigWrites: [],
    profileTiles: [],
    debugSymbols: [...kernels.symbols].map(([name, address]) => ({ name, address })),
    debugRegions: [
      {
        physicalTile: ALL_TILES,
        address: kernels.address,
        size: kernels.words.byteLength,
        name: 'linked executable',
      },
      ...codes.map(({ tile, supervisor }) => ({
        physicalTile: physicalTileOf(tile),
        address: supervisor.address,
        size: supervisor.words.byteLength,
        name: 'generated tile program',
      })),
    ],
  };
}

function segment(address: number, words: Uint32Array, flags: number): Segment {
  const data = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return { address, memorySize: data.byteLength, data, flags };
}

/** Two instructions at the load address: jump to the tile's program. */
function entryStub(supervisor: MachineCode): Uint32Array {
  const asm = new Assembler(LOAD_ADDRESS, supervisor.symbols);
  asm.op('setzi', m(0), asm.at('start'));
  asm.op('br', m(0));
  return asm.finish().words;
}

/** Worker argument tables of the tile's kernels. */
function tables(program: LoweredProgram, placement: Placement, tile: LogicalTile): Segment[] {
  const address = (name: BufferName) => placement.buffers.get(name)!.address;
  return program.steps.flatMap((step) => {
    if (step.kind === 'exchange') return [];
    const words = tableOf(step, address, tile);
    return words === undefined ? [] : [segment(address(step.table), words, SEGMENT_READ)];
  });
}

/** The argument table of a step on a tile; undefined where the tile is idle. */
function tableOf(
  step: Exclude<Step, ExchangeStep>,
  address: (name: BufferName) => number,
  tile: LogicalTile,
): Uint32Array | undefined {
  switch (step.kind) {
    case 'gemm': {
      const args = step.tiles[tile];
      return args && gemmTable(args.rows, address(step.left), address(step.out));
    }
    case 'reduce': {
      const args = step.tiles[tile];
      return (
        args &&
        reduceTable(args, address(step.own) + args.ownOffset, address(step.staging), address(step.out))
      );
    }
    case 'epilogue': {
      const args = step.tiles[tile];
      const bias = step.bias === undefined ? 0 : address(step.bias);
      return args && epilogueTable(step.work, args, address(step.from), address(step.out), bias);
    }
    case 'cast': {
      const args = step.tiles[tile];
      return args && castTable(args, address(step.from), address(step.out));
    }
    case 'softmax': {
      const args = step.tiles[tile];
      const [scores, statistics] = [address(step.scores), address(step.statistics)];
      return args && softmaxTable(args, step.scale, scores, statistics, address(step.table));
    }
    case 'merge': {
      const args = step.tiles[tile];
      if (args === undefined) return undefined;
      const { first, second, outStatistics } = step;
      const values = address(first.values);
      const statistics = address(first.statistics) + (first.statisticsOffset?.[tile] ?? 0);
      const apart = args.partialBytes ?? 0;
      return mergeTable(args, step.scale, {
        values,
        valuesStride: second === undefined ? apart : address(second.values) - values,
        statistics,
        statisticsStride: second === undefined ? apart : address(second.statistics) - statistics,
        out: address(step.out),
        ...(outStatistics === undefined ? {} : { outStatistics: address(outStatistics) }),
        weights: address(step.weights),
      });
    }
    case 'add': {
      const args = step.tiles[tile];
      return args && addTable(args, address(step.a), address(step.b), address(step.out));
    }
    case 'norm': {
      const args = step.tiles[tile];
      return (
        args &&
        normTable(args, step.epsilon, {
          x: address(step.from),
          y: address(step.out),
          gamma: address(step.gamma),
          beta: address(step.beta),
          scratch: address(step.scratch),
        })
      );
    }
  }
}

function bindingOf(layout: BindingLayout, placement: Placement): Binding {
  return {
    name: layout.name,
    dtype: layout.dtype,
    shape: [...layout.shape],
    slices: layout.slices.map((slice) => ({
      tile: physicalTileOf(slice.tile),
      tileAddress: placement.buffers.get(slice.buffer)!.address + slice.offset,
      fileOffset: slice.fileOffset,
      size: slice.bytes,
    })),
  };
}

function wordPerTile(name: string, address: number, tiles: readonly LogicalTile[]): Binding {
  return {
    name,
    dtype: 'u32',
    shape: [tiles.length],
    slices: tiles.map((tile, index) => ({
      tile: physicalTileOf(tile),
      tileAddress: address,
      fileOffset: index * 4,
      size: 4,
    })),
  };
}
