import {
  ELEMENT_BYTES,
  REGION1_BASE,
  REGION1_CONTENTION_BYTES,
  SRAM_BASE,
  SRAM_END,
} from '../../device/ipu21/index.ts';
import { UsageError } from '../../harness/case/index.ts';
import { ELEMENTS } from './elements.ts';
import { numberOf, type Scope } from './expectation.ts';
import type { ArraySpec, KernelSpec, ScalarSpec } from './spec.ts';

/** Where the parts of a bench program live on its one tile. */
export const BENCH = {
  /** Kernel code, up to the argument block. */
  code: { start: SRAM_BASE + 0x1000, end: 0x5c000 },
  /** Supervisor code of the bench itself, before the kernel. */
  stub: { start: SRAM_BASE + 0x10, end: SRAM_BASE + 0x1000 },
  /** Argument words, which worker code reads through $mvertex_base. */
  arguments: 0x5c000,
  /** Stacks grow down from here: the supervisor's, then 256 bytes per worker. */
  stack: 0x5d000,
  workerStacks: 0x5e000,
  workerStackBytes: 0x100,
  /** First byte of the arrays in standard memory. */
  standard: { start: 0x60000, end: REGION1_BASE },
  interleaved: { start: REGION1_BASE, end: SRAM_END },
} as const;

/** Untouched bytes kept before and behind every array. */
export const GUARD_BYTES = 64;

export interface PlacedArray {
  readonly spec: ArraySpec;
  readonly shape: readonly number[];
  readonly count: number;
  readonly address: number;
  /** Bytes of the elements. */
  readonly bytes: number;
  /** Bytes behind them that the kernel may touch. */
  readonly slackBytes: number;
}

export interface PlacedScalar {
  readonly spec: ScalarSpec;
  readonly value: number;
  /** The argument word. */
  readonly word: number;
}

export interface Layout {
  readonly arrays: readonly PlacedArray[];
  readonly scalars: readonly PlacedScalar[];
  /** Argument words in the order of the spec: addresses of arrays, values of scalars. */
  readonly words: readonly number[];
}

/**
 * Every array in a contention unit of its own (16 KiB, interleaved 32 KiB [SDK]), so that a conflict is the
 * kernel's doing. Throws UsageError when sizes make no array or do not fit.
 */
export function layoutOf(spec: KernelSpec, sizes: Scope): Layout {
  const next: Record<'standard' | 'interleaved', number> = {
    standard: BENCH.standard.start,
    interleaved: BENCH.interleaved.start,
  };
  const arrays: PlacedArray[] = [];
  const scalars: PlacedScalar[] = [];
  const words = spec.arguments.map((argument) => {
    if (argument.kind === 'scalar') {
      const scalar = placeScalar(argument, sizes);
      scalars.push(scalar);
      return scalar.word;
    }
    const { memory, name } = argument;
    const array = placeArray(argument, next[memory] + GUARD_BYTES, sizes);
    const unit = memory === 'standard' ? ELEMENT_BYTES : REGION1_CONTENTION_BYTES;
    const end = array.address + array.bytes + array.slackBytes + GUARD_BYTES;
    if (end > BENCH[memory].end)
      throw new UsageError(
        `${name}: ${array.bytes} bytes end at 0x${end.toString(16)}, ${memory} memory ends at 0x${BENCH[memory].end.toString(16)}`,
        name,
        String(array.shape),
        'smaller sizes, or the other memory',
      );
    next[memory] = Math.ceil(end / unit) * unit;
    arrays.push(array);
    return array.address;
  });
  return { arrays, scalars, words };
}

function wholeNumber(expression: string | number, what: string, sizes: Scope): number {
  const value = numberOf(expression, what, sizes);
  if (!Number.isInteger(value) || value < 0)
    throw new UsageError(`${what} is ${value}`, what, String(expression), 'a whole number, 0 or more');
  return value;
}

function placeArray(spec: ArraySpec, address: number, sizes: Scope): PlacedArray {
  const { name, type } = spec;
  const shape = spec.shape.map((size, axis) => wholeNumber(size, `${name}.shape[${axis}]`, sizes));
  const count = shape.reduce((product, size) => product * size, 1);
  const { bytes } = ELEMENTS[type];
  const slackBytes = bytes * wholeNumber(spec.slack, `${name}.slack`, sizes);
  return { spec, shape, count, address, bytes: count * bytes, slackBytes };
}

function placeScalar(spec: ScalarSpec, sizes: Scope): PlacedScalar {
  const { bytes, read, write } = ELEMENTS[spec.type];
  const view = new DataView(new ArrayBuffer(4));
  write(view, 0, numberOf(spec.value, `${spec.name}.value`, sizes));
  // A 16-bit float is handed over in both halves, as instructions with a scalar operand take it.
  if (spec.type === 'f16') view.setUint16(2, view.getUint16(0, true), true);
  const value = read(view, 0);
  // Small signed integers are extended to the word.
  if (bytes < 4 && spec.type !== 'f16') view.setInt32(0, value, true);
  return { spec, value, word: view.getUint32(0, true) };
}
