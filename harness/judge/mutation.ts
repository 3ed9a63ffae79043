import { decodeHalf, encodeHalf } from '../fill/index.ts';
import type { UnpackedOutput } from '../ports.ts';

/** A right f16 result C = A . B and the means to make a wrong one. */
export interface MutationSubject {
  readonly m: number;
  readonly k: number;
  readonly n: number;
  readonly a: Uint16Array;
  readonly b: Uint16Array;
  /** Codes of a right result, m x n. */
  readonly output: Uint16Array;
  /** Codes of a right result for inputs of another seed. */
  readonly previous: Uint16Array;
  /** What the output buffer held before the run. */
  readonly canary: number;
  /** The product as the device computes it, for changed operands or a changed way of computing. */
  product(change: ProductChange): Uint16Array;
}

/** Operands or rounding that differ from the declared ones. */
export interface ProductChange {
  readonly a?: Uint16Array;
  readonly b?: Uint16Array;
  /** Inner values per rounding of the partial. */
  readonly every?: number;
  /** Storage code of a partial. */
  readonly round?: (value: number) => number;
  /** How often an inner index is counted. */
  readonly times?: (inner: number) => number;
}

/** What a defective device hands over. */
export interface MutatedOutput {
  readonly codes: Uint16Array;
  /** Elements reported as covered, all unless given. */
  readonly covered?: number;
  /** Padding codes found where zeros belong, none unless given. */
  readonly padding?: number;
}

/** How a defect shows under one fill: as a failure, only as alarms, or not at all. */
export type Sight = 'caught' | 'alarm' | 'missed';

/** A defect, and under which of three fills the judge must notice it. */
export interface Mutation {
  readonly name: string;
  /** Sights under exact integers, Gaussian with bound, and one-hot rows x signatures. */
  readonly int: Sight;
  readonly normal: Sight;
  readonly onehot: Sight;
  /** The pattern the judge should name in some fill that catches the defect. */
  readonly pattern?: string;
  apply(subject: MutationSubject): MutatedOutput;
}

type Plane = (
  codes: Uint16Array,
  at: (row: number, column: number) => number,
  subject: MutationSubject,
) => void;

/** Edits a copy of the right output; `at` gives flat indices. */
export function edit(change: Plane): Mutation['apply'] {
  return (subject) => {
    const codes = Uint16Array.from(subject.output);
    change(codes, (row, column) => row * subject.n + column, subject);
    return { codes };
  };
}

/** Every output element becomes what another element should be. */
export function move(
  sourceRow: (row: number, m: number) => number,
  sourceColumn: (column: number, n: number) => number,
) {
  return (subject: MutationSubject): MutatedOutput => {
    const { m, n, output } = subject;
    const codes = output.map((_, flat) => {
      const row = sourceRow(Math.floor(flat / n), m);
      return output[row * n + sourceColumn(flat % n, n)];
    });
    return { codes };
  };
}

/** Keeps a row or column where it is. */
export const same = (line: number) => line;
/** Exchanges two rows or columns. */
export const exchanged = (x: number, y: number) => (line: number) => {
  if (line === x) return y;
  return line === y ? x : line;
};

/** Every value passes through a function and one rounding. */
export function mapValues(change: (value: number) => number): Mutation['apply'] {
  return ({ output }) => ({ codes: output.map((code) => encodeHalf(change(decodeHalf(code)))) });
}

/** The product of changed operands or of a changed way of computing. */
export function recompute(change: (subject: MutationSubject) => ProductChange): Mutation['apply'] {
  return (subject) => ({ codes: subject.product(change(subject)) });
}

/** Storage code of a value rounded toward zero. */
export function truncate(value: number): number {
  const code = encodeHalf(value);
  return Math.abs(decodeHalf(code)) > Math.abs(value) ? code - 1 : code;
}

/** The f16 code whose fraction keeps `bits` bits, the rest rounded off. */
export function coarse(bits: number): (value: number) => number {
  return (value) => {
    const code = encodeHalf(value);
    const step = 1 << (10 - bits);
    return (Math.min((code & 0x7fff) + (step >> 1), 0x7bff) & ~(step - 1) & 0x7fff) | (code & 0x8000);
  };
}

/** What the host reads back from a device with the defect, as output `c` [m, n]. */
export function mutatedOutput(mutation: Mutation, subject: MutationSubject): UnpackedOutput {
  const { codes, covered = codes.length, padding = 0 } = mutation.apply(subject);
  const violation = { tensor: 'c', tile: 0, address: 0, expected: '0x0000', found: '0x3c00' };
  return {
    tensor: { name: 'c', dtype: 'f16', shape: [subject.m, subject.n], data: codes },
    covered,
    padding: new Array(padding).fill(violation),
  };
}
