import type { DType, Tensor } from '../ports.ts';

/** f8 has no NumPy type; its codes are stored as bytes. */
const DESCRIPTOR: Readonly<Record<DType, string>> = { f16: '<f2', f32: '<f4', f8f143: '|u1' };

/** A tensor as the bytes of a NumPy file, format 1.0, row-major. */
export function encodeNpy({ dtype, shape, data }: Tensor): Uint8Array {
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const header = `{'descr': '${DESCRIPTOR[dtype]}', 'fortran_order': False, 'shape': (${extents}), }`;
  const fixed = 10;
  const padded = Math.ceil((fixed + header.length + 1) / 64) * 64;
  const bytes = new Uint8Array(padded + data.byteLength).fill(0x20, 0, padded);
  bytes.set([0x93, ...Buffer.from('NUMPY', 'latin1'), 1, 0]);
  new DataView(bytes.buffer).setUint16(8, padded - fixed, true);
  bytes.set(Buffer.from(header, 'latin1'), fixed);
  bytes[padded - 1] = 0x0a;
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), padded);
  return bytes;
}
