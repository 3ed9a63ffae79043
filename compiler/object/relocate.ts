import type { ValueRange } from './errors.ts';
import { RELOCATION_TYPES, type RelocationRow, type RelocationType } from './relocationTypes.ts';

const BY_NAME: ReadonlyMap<string, RelocationRow> = new Map(RELOCATION_TYPES.map((row) => [row.name, row]));
const BY_NUMBER: ReadonlyMap<number, RelocationRow> = new Map(
  RELOCATION_TYPES.map((row) => [row.number, row]),
);

/** Row of a type name; undefined for a text that names none. */
export const relocationRow = (type: RelocationType): RelocationRow => BY_NAME.get(type)!;

/** Type of an ELF r_type; undefined for the numbers 10..13 and everything above 17. */
export const relocationTypeOf = (number: number): RelocationType | undefined =>
  BY_NUMBER.get(number)?.name as RelocationType | undefined;

/** The values a type can store when the image starts at `imageBase`; 64 bits end at the last safe integer. */
export function valueRange(row: RelocationRow, imageBase: number): ValueRange {
  const width = row.bits.reduce((sum, run) => sum + run.width, 0);
  const min = row.origin === 'imageBase' ? imageBase : 0;
  const step = 2 ** row.shift;
  return { min, max: Math.min(min + (2 ** width - 1) * step, Number.MAX_SAFE_INTEGER), step };
}

/**
 * Writes `value` (symbol address + addend, a safe integer) into `bytes` at `offset` as the type's row says.
 * Returns what is wrong instead of writing, or undefined when done.
 */
export function relocate(
  bytes: Uint8Array,
  offset: number,
  row: RelocationRow,
  value: number,
  imageBase: number,
): 'unrepresentable' | 'misaligned' | 'outside' | undefined {
  if (row.bytes === 0) return undefined;
  if (offset < 0 || offset + row.bytes > bytes.length) return 'outside';
  const { min, max, step } = valueRange(row, imageBase);
  if (!Number.isSafeInteger(value) || value < min || value > max) return 'unrepresentable';
  if ((value - min) % step !== 0) return 'misaligned';
  const stored = BigInt((value - min) / step);
  let field = readField(bytes, offset, row.bytes);
  for (const { from, to, width } of row.bits) {
    const mask = (1n << BigInt(width)) - 1n;
    field &= ~(mask << BigInt(to));
    field |= ((stored >> BigInt(from)) & mask) << BigInt(to);
  }
  writeField(bytes, offset, row.bytes, field);
  return undefined;
}

function readField(bytes: Uint8Array, offset: number, count: number): bigint {
  let field = 0n;
  for (let index = count - 1; index >= 0; index -= 1) field = (field << 8n) | BigInt(bytes[offset + index]!);
  return field;
}

function writeField(bytes: Uint8Array, offset: number, count: number, field: bigint): void {
  for (let index = 0; index < count; index += 1) {
    bytes[offset + index] = Number((field >> BigInt(8 * index)) & 0xffn);
  }
}
