import { decodeHalf, encodeHalf } from '../fill/half.ts';
import type { DType, TensorData } from '../ports.ts';

/** Unsigned storage codes of a tensor. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** How the elements of a storage type are read, written and ordered. */
export interface Codec {
  readonly bits: number;
  /** Storage codes behind the data, without a copy; undefined when the array is of another type. */
  codes(data: TensorData): Codes | undefined;
  decode(code: number): number;
  /** Nearest code, ties to even, one rounding from f64; overflow saturates except for f32. */
  encode(value: number): number;
}

const floats = new Float32Array(1);
const floatCodes = new Uint32Array(floats.buffer);

const HALF_VALUES = Float64Array.from({ length: 65_536 }, (_, code) => decodeHalf(code));

/** F143: 1-4-3, bias 8, no infinity, no negative zero, 0x80 is NaN [SDK]. Unscaled values. */
const F143_VALUES = Float64Array.from({ length: 256 }, (_, code) => {
  if (code === 0x80) return Number.NaN;
  const exponent = (code >> 3) & 15;
  const fraction = code & 7;
  const magnitude = exponent === 0 ? fraction * 2 ** -10 : (8 + fraction) * 2 ** (exponent - 11);
  return code < 0x80 ? magnitude : -magnitude;
});

function encodeF143(value: number): number {
  if (!Number.isFinite(value)) return 0x80;
  const magnitude = Math.abs(value);
  let code = 0;
  while (code < 0x7f && magnitude > (F143_VALUES[code] + F143_VALUES[code + 1]) / 2) code++;
  const tie = code < 0x7f && magnitude === (F143_VALUES[code] + F143_VALUES[code + 1]) / 2;
  if (tie && (code & 1) === 1) code++;
  return value < 0 && code > 0 ? code | 0x80 : code;
}

const CODECS: Readonly<Record<DType, Codec>> = {
  f16: {
    bits: 16,
    codes: (data) => (data instanceof Uint16Array ? data : undefined),
    decode: (code) => HALF_VALUES[code],
    encode: (value) => encodeHalf(value),
  },
  f32: {
    bits: 32,
    codes: (data) =>
      data instanceof Float32Array ? new Uint32Array(data.buffer, data.byteOffset, data.length) : undefined,
    decode: (code) => {
      floatCodes[0] = code;
      return floats[0];
    },
    encode: (value) => {
      floats[0] = value;
      return floatCodes[0];
    },
  },
  f8f143: {
    bits: 8,
    codes: (data) => (data instanceof Uint8Array ? data : undefined),
    decode: (code) => F143_VALUES[code],
    encode: encodeF143,
  },
};

export function codecOf(dtype: DType): Codec {
  return CODECS[dtype];
}

/** Steps between two codes of one type in the order of their values; both zeros count as one. */
export function ulpDistance(codec: Codec, left: number, right: number): number {
  const sign = 2 ** (codec.bits - 1);
  const ordered = (code: number) => (code >= sign ? sign - code : code);
  return Math.abs(ordered(left) - ordered(right));
}

/** `0x3c00`, as wide as the type. */
export function formatCode(codec: Codec, code: number): string {
  return `0x${code.toString(16).padStart(codec.bits / 4, '0')}`;
}
