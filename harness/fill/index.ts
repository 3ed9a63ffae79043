export { below, threefry, type WordStream, wordStream } from './counter.ts';
export { FILL_NAMES, FILLS, type Fill, type FillName, HALF_INTEGERS, integerRange } from './fills.ts';
export { decodeHalf, encodeHalf, HALF_INFINITY, HALF_MAX, HALF_NAN } from './half.ts';
export { normalOf, normalQuantile } from './normal.ts';
export { SIGNATURES, type Signatures, signatures } from './signature.ts';
