/**
 * The relocation types of the Colossus in ELF objects [S]. `V` is symbol address + addend, `B` the image
 * base. A row says everything that applying a relocation needs: which bytes it touches, how V becomes the
 * stored number, and which bits of the touched bytes the number replaces.
 */

/** One run of bits: `width` bits of the number, starting at its bit `from`, land at bit `to` of the field. */
export interface FieldBits {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

export interface RelocationRow {
  readonly name: string;
  /** ELF32 r_type. */
  readonly number: number;
  /** Bytes patched, little endian; bits outside `bits` keep their value. */
  readonly bytes: 0 | 1 | 2 | 4 | 8;
  readonly bits: readonly FieldBits[];
  /** The stored number is (V - origin) / 2^shift and the division must leave no rest. */
  readonly shift: number;
  /** What is subtracted from V first: nothing, or the image base. */
  readonly origin: 'zero' | 'imageBase';
}

const low = (width: number): readonly FieldBits[] => [{ from: 0, to: 0, width }];

export const RELOCATION_TYPES = [
  { name: 'NONE', number: 0, bytes: 0, bits: [], shift: 0, origin: 'zero' },
  { name: '8', number: 1, bytes: 1, bits: low(8), shift: 0, origin: 'zero' },
  { name: '16', number: 2, bytes: 2, bits: low(16), shift: 0, origin: 'zero' },
  { name: '20', number: 3, bytes: 4, bits: low(20), shift: 0, origin: 'zero' },
  { name: '32', number: 4, bytes: 4, bits: low(32), shift: 0, origin: 'zero' },
  { name: '64', number: 5, bytes: 8, bits: low(64), shift: 0, origin: 'zero' },
  { name: 'RELATIVE_16_S2', number: 6, bytes: 2, bits: low(16), shift: 2, origin: 'imageBase' },
  { name: '18_S2', number: 7, bytes: 4, bits: low(18), shift: 2, origin: 'zero' },
  { name: '19_S2', number: 8, bytes: 4, bits: low(19), shift: 2, origin: 'zero' },
  {
    name: 'RUN',
    number: 9,
    bytes: 4,
    bits: [
      { from: 0, to: 0, width: 12 },
      { from: 12, to: 16, width: 4 },
    ],
    shift: 2,
    origin: 'imageBase',
  },
  { name: '16_S3', number: 14, bytes: 2, bits: low(16), shift: 3, origin: 'zero' },
  { name: '16_S4', number: 15, bytes: 2, bits: low(16), shift: 4, origin: 'zero' },
  { name: '16_S5', number: 16, bytes: 2, bits: low(16), shift: 5, origin: 'zero' },
  { name: '21', number: 17, bytes: 4, bits: low(21), shift: 0, origin: 'zero' },
] as const satisfies readonly RelocationRow[];

export type RelocationType = (typeof RELOCATION_TYPES)[number]['name'];
