import {
  ELEMENT_BYTES,
  elementsOf,
  FETCH_AHEAD_BYTES,
  LOADER_END,
  REGION1_BASE,
  REGION1_CONTENTION_BYTES,
} from '../../device/ipu21/index.ts';
import { CompileError } from '../errors.ts';
import type { Buffer, BufferName, LoweredProgram } from '../lower/stages.ts';
import { CODE_ADDRESS } from './memoryMap.ts';

/** A buffer with its byte address, the same on every tile. */
export interface PlacedBuffer extends Buffer {
  readonly address: number;
}

/** All buffers of a program, placed. */
export interface Placement {
  readonly buffers: ReadonlyMap<BufferName, PlacedBuffer>;
  /** First byte after the elements reserved for code. */
  readonly dataStart: number;
  /** Bytes in use at the busiest step, code included. */
  readonly peakBytes: number;
  readonly capacity: number;
}

const ALIGNMENT = 32;
const alignUp = (value: number, unit: number) => Math.ceil(value / unit) * unit;

/**
 * Places buffers first-fit, interleaved class and larger ones first, each at the lowest address where it
 * neither overlaps a buffer alive at the same time nor shares an SRAM element with one it is separated
 * from. Throws CompileError with demand and capacity when nothing fits.
 */
export function placeBuffers(program: LoweredProgram, codeBytes: number): Placement {
  const dataStart = alignUp(CODE_ADDRESS + codeBytes + FETCH_AHEAD_BYTES, ELEMENT_BYTES);
  if (dataStart > REGION1_BASE) {
    throw new CompileError(
      'place',
      `generated code of ${codeBytes} bytes does not fit the executable memory`,
      { demand: codeBytes, capacity: REGION1_BASE - CODE_ADDRESS - FETCH_AHEAD_BYTES },
      'Use fewer exchange partners per tile: pin a plan with smaller row and column groups.',
    );
  }
  const order = [...program.buffers].sort(
    (x, y) =>
      Number(y.memory === 'interleaved') - Number(x.memory === 'interleaved') ||
      sizeOf(y) - sizeOf(x) ||
      (x.name < y.name ? -1 : 1),
  );
  const placed = new Map<BufferName, PlacedBuffer>();
  for (const buffer of order) {
    const address = lowestFit(buffer, [...placed.values()], program, dataStart);
    if (address === undefined) {
      const demand = sizeOf(buffer);
      const capacity = LOADER_END - (buffer.memory === 'interleaved' ? REGION1_BASE : dataStart);
      const others = program.buffers
        .filter((other) => other !== buffer && liveTogether(other, buffer))
        .reduce((sum, other) => sum + sizeOf(other), 0);
      throw new CompileError(
        'place',
        `buffer ${buffer.name} of ${demand} bytes does not fit: ${others} bytes live beside it, ` +
          `${capacity} are there, and some buffers must lie in memory elements of their own`,
        { buffer: buffer.name, demand, others, capacity },
        'Use more tiles or a smaller shape.',
        // Shares fall from the first on, so tile 0 is a worst tile.
        { tile: 0 },
      );
    }
    placed.set(buffer.name, { ...buffer, address });
  }
  return {
    buffers: placed,
    dataStart,
    peakBytes: peak([...placed.values()], program.steps.length) + (dataStart - CODE_ADDRESS),
    capacity: LOADER_END - CODE_ADDRESS,
  };
}

/** Payload and over-read tail: both must be valid memory in allowed elements. */
export const sizeOf = (buffer: Buffer) => alignUp(buffer.bytes + buffer.tailBytes, ALIGNMENT);

/** True when both buffers hold live bytes at some step. */
export const liveTogether = (x: Buffer, y: Buffer) => x.firstStep <= y.lastStep && y.firstStep <= x.lastStep;

function lowestFit(
  buffer: Buffer,
  placed: readonly PlacedBuffer[],
  program: LoweredProgram,
  dataStart: number,
): number | undefined {
  const size = sizeOf(buffer);
  const separated = new Set(
    program.separations.flatMap(({ a, b }) => (a === buffer.name ? [b] : b === buffer.name ? [a] : [])),
  );
  const start = buffer.memory === 'interleaved' ? REGION1_BASE : dataStart;
  const candidates = new Set<number>([start, REGION1_BASE]);
  for (const other of placed) {
    const end = other.address + sizeOf(other);
    candidates.add(alignUp(end, ALIGNMENT));
    candidates.add(alignUp(end, end < REGION1_BASE ? ELEMENT_BYTES : REGION1_CONTENTION_BYTES));
  }
  for (const address of [...candidates].sort((x, y) => x - y)) {
    if (address < start || address + size > LOADER_END) continue;
    const clear = placed.every((other) => {
      const otherEnd = other.address + sizeOf(other);
      const overlaps = address < otherEnd && other.address < address + size;
      if (overlaps && liveTogether(buffer, other)) return false;
      return !separated.has(other.name) || !shareElement(address, size, other.address, sizeOf(other));
    });
    if (clear) return address;
  }
  return undefined;
}

/** True when two spans touch one contention unit: 16 KiB below 0x80000, 32 KiB pairs above [SDK]. */
export function shareElement(x: number, xBytes: number, y: number, yBytes: number): boolean {
  const left = elementsOf(x, xBytes);
  const right = new Set(elementsOf(y, yBytes));
  return left.some((element) => right.has(element));
}

function peak(buffers: readonly PlacedBuffer[], steps: number): number {
  let most = 0;
  for (let step = -1; step <= steps; step++) {
    const live = buffers.filter((buffer) => buffer.firstStep <= step && step <= buffer.lastStep);
    most = Math.max(
      most,
      live.reduce((sum, buffer) => sum + sizeOf(buffer), 0),
    );
  }
  return most;
}
