import { decodeHalf, encodeHalf } from '../../golden/half.ts';

export const ELEMENT_TYPES = ['f16', 'f32', 'i32', 'u32', 'i16', 'u16', 'i8', 'u8'] as const;
export type ElementType = (typeof ELEMENT_TYPES)[number];

/** How the elements of a type are stored, little endian. */
export interface ElementCodec {
  readonly bytes: number;
  readonly floating: boolean;
  read(view: DataView, at: number): number;
  /** Rounds to the nearest value of the type, ties to even; integers wrap. */
  write(view: DataView, at: number, value: number): void;
  /** Distance to the next larger magnitude at a value. */
  spacing(value: number): number;
}

const floatSpacing =
  (fractionBits: number, leastExponent: number) =>
  (value: number): number => {
    const magnitude = Math.abs(value);
    let exponent = leastExponent;
    if (Number.isFinite(magnitude) && magnitude > 0) {
      exponent = Math.max(leastExponent, Math.floor(Math.log2(magnitude)));
      // log2 rounds; the power of two itself decides.
      if (2 ** exponent > magnitude) exponent--;
      if (2 ** (exponent + 1) <= magnitude) exponent++;
      exponent = Math.max(leastExponent, exponent);
    }
    return 2 ** (exponent - fractionBits);
  };

const one = (): number => 1;

export const ELEMENTS: Readonly<Record<ElementType, ElementCodec>> = {
  f16: {
    bytes: 2,
    floating: true,
    read: (view, at) => decodeHalf(view.getUint16(at, true)),
    write: (view, at, value) => view.setUint16(at, encodeHalf(value, 'infinity'), true),
    spacing: floatSpacing(10, -14),
  },
  f32: {
    bytes: 4,
    floating: true,
    read: (view, at) => view.getFloat32(at, true),
    write: (view, at, value) => view.setFloat32(at, value, true),
    spacing: floatSpacing(23, -126),
  },
  i32: {
    bytes: 4,
    floating: false,
    read: (view, at) => view.getInt32(at, true),
    write: (view, at, value) => view.setInt32(at, value, true),
    spacing: one,
  },
  u32: {
    bytes: 4,
    floating: false,
    read: (view, at) => view.getUint32(at, true),
    write: (view, at, value) => view.setUint32(at, value, true),
    spacing: one,
  },
  i16: {
    bytes: 2,
    floating: false,
    read: (view, at) => view.getInt16(at, true),
    write: (view, at, value) => view.setInt16(at, value, true),
    spacing: one,
  },
  u16: {
    bytes: 2,
    floating: false,
    read: (view, at) => view.getUint16(at, true),
    write: (view, at, value) => view.setUint16(at, value, true),
    spacing: one,
  },
  i8: {
    bytes: 1,
    floating: false,
    read: (view, at) => view.getInt8(at),
    write: (view, at, value) => view.setInt8(at, value),
    spacing: one,
  },
  u8: {
    bytes: 1,
    floating: false,
    read: (view, at) => view.getUint8(at),
    write: (view, at, value) => view.setUint8(at, value),
    spacing: one,
  },
};

/** Values of stored elements. */
export function readElements(type: ElementType, bytes: Uint8Array): Float64Array {
  const { bytes: size, read } = ELEMENTS[type];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: Math.floor(bytes.length / size) }, (_, index) =>
    read(view, index * size),
  );
}

/** Stored elements of values. */
export function writeElements(type: ElementType, values: ArrayLike<number>): Uint8Array {
  const { bytes: size, write } = ELEMENTS[type];
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index++) write(view, index * size, values[index]);
  return bytes;
}
