import { F16, F32 } from '../../../golden/formats/format.ts';
import {
  type Binaries,
  classOf,
  HALF_OPERATIONS,
  type NumberClass,
  operations,
} from '../../../golden/formats/operations.ts';
import { addHalves } from '../../../golden/formats/small.ts';
import type { Golden, Output, Row } from './row.ts';

const SINGLE_OPERATIONS = operations(F32);
const ROUNDED: readonly (keyof Binaries)[] = ['add', 'sub', 'mul', 'absadd'];

type Repeated = 'lower' | 'upper';
const lanes = (count: number, output: (lane: number) => Output): Output[] =>
  Array.from({ length: count }, (_, lane) => output(lane));

/** `count` f16 of each source, or one element of the first source for all of the second. */
function halves(count: 2 | 4, name: keyof Binaries, repeated?: Repeated): Row {
  const operation = HALF_OPERATIONS[name];
  const golden: Golden = (setting, x, y) => operation(x, y, setting);
  const first = (lane: number) => (repeated === undefined ? lane : repeated === 'lower' ? 0 : 1);
  return {
    sources: ['f16', 'f16'],
    result: lanes(count, (lane) => ({
      bits: 16,
      operands: [
        [0, first(lane)],
        [1, lane],
      ],
      golden,
    })),
    rounds: ROUNDED.includes(name),
  };
}

/** `count` f32 of each source, or the one of the first source for all of the second. */
function singles(count: 1 | 2, name: keyof Binaries, repeated = false): Row {
  const operation = SINGLE_OPERATIONS[name];
  const golden: Golden = (setting, x, y) => operation(x, y, setting);
  return {
    sources: ['f32', 'f32'],
    result: lanes(count, (lane) => ({
      bits: 32,
      operands: [
        [0, repeated ? 0 : lane],
        [1, lane],
      ],
      golden,
    })),
    rounds: ROUNDED.includes(name),
  };
}

/** Limits (low, high) in the second source for all of the first. */
const clampHalves = (count: 2 | 4): Row => ({
  sources: ['f16', 'f16'],
  result: lanes(count, (lane) => ({
    bits: 16,
    operands: [
      [0, lane],
      [1, 0],
      [1, 1],
    ],
    golden: (setting, x, low, high) => HALF_OPERATIONS.clamp(x, low, high, setting),
  })),
  rounds: false,
});
const clampSingles = (count: 1 | 2): Row => ({
  sources: ['f32', 'f32'],
  result: lanes(count, (lane) => ({
    bits: 32,
    operands: [
      [0, lane],
      [1, 0],
      [1, 1],
    ],
    golden: (setting, x, low, high) => SINGLE_OPERATIONS.clamp(x, low, high, setting),
  })),
  rounds: false,
});

/** Codes of the classes: 2 and 5 are published [SDK], the others follow their order by value [GUESS]. */
const CLASS_CODES: Readonly<Record<NumberClass, number>> = {
  'signalling NaN': 1,
  'quiet NaN': 2,
  '-infinity': 3,
  '-normal': 4,
  '-zero': 5,
  '-subnormal': 6,
  '+subnormal': 7,
  '+zero': 8,
  '+normal': 9,
  '+infinity': 10,
};
/** One byte per element. */
const classes = (count: number, kind: 'f16' | 'f32'): Row => ({
  sources: [kind],
  result: lanes(count, (lane) => ({
    bits: 8,
    operands: [[0, lane]],
    golden: (_setting, x) => CLASS_CODES[classOf(x, kind === 'f16' ? F16 : F32)],
  })),
  rounds: false,
});

/** Neighbouring f16 to one result; `copies` repeats it. */
const neighbours = (count: number, copies: number, bits: 16 | 32, golden: Golden, rounds: boolean): Row => ({
  sources: ['f16'],
  result: lanes(count * copies, (lane) => {
    const first = 2 * Math.floor(lane / copies);
    return {
      bits,
      operands: [
        [0, first],
        [0, first + 1],
      ],
      golden,
    };
  }),
  rounds,
});
const sum: Golden = (setting, x, y) => addHalves(x, y, setting, F32);
const larger: Golden = (setting, x, y) => HALF_OPERATIONS.max(x, y, setting);

/** Arithmetic, comparisons, limits, classes and sums of neighbours. */
export const ELEMENTWISE = {
  'f32absadd.aaa': singles(1, 'absadd'),
  'f32absmax.aaa': singles(1, 'absmax'),
  'f32add.aaa': singles(1, 'add'),
  'f32max.aaa': singles(1, 'max'),
  'f32min.aaa': singles(1, 'min'),
  'f32mul.aaa': singles(1, 'mul'),
  'f32sub.aaa': singles(1, 'sub'),
  'f32clamp.aaa2': clampSingles(1),
  'f32v2absadd.a2a2a2': singles(2, 'absadd'),
  'f32v2absmax.a2a2a2': singles(2, 'absmax'),
  'f32v2add.a2a2a2': singles(2, 'add'),
  'f32v2add.a2aBa2': singles(2, 'add', true),
  'f32v2max.a2a2a2': singles(2, 'max'),
  'f32v2min.a2a2a2': singles(2, 'min'),
  'f32v2mul.a2a2a2': singles(2, 'mul'),
  'f32v2mul.a2aBa2': singles(2, 'mul', true),
  'f32v2sub.a2a2a2': singles(2, 'sub'),
  'f32v2sub.a2aBa2': singles(2, 'sub', true),
  'f32v2clamp.a2a2a2': clampSingles(2),

  'f16v2absadd.aaa': halves(2, 'absadd'),
  'f16v2absmax.aaa': halves(2, 'absmax'),
  'f16v2add.aaa': halves(2, 'add'),
  'f16v2add.aaBLa': halves(2, 'add', 'lower'),
  'f16v2add.aaBUa': halves(2, 'add', 'upper'),
  'f16v2max.aaa': halves(2, 'max'),
  'f16v2min.aaa': halves(2, 'min'),
  'f16v2mul.aaa': halves(2, 'mul'),
  'f16v2mul.aaBLa': halves(2, 'mul', 'lower'),
  'f16v2mul.aaBUa': halves(2, 'mul', 'upper'),
  'f16v2sub.aaa': halves(2, 'sub'),
  'f16v2sub.aaBLa': halves(2, 'sub', 'lower'),
  'f16v2sub.aaBUa': halves(2, 'sub', 'upper'),
  'f16v2clamp.aaa': clampHalves(2),
  'f16v4absadd.a2a2a2': halves(4, 'absadd'),
  'f16v4absmax.a2a2a2': halves(4, 'absmax'),
  'f16v4add.a2a2a2': halves(4, 'add'),
  'f16v4add.a2aBLa2': halves(4, 'add', 'lower'),
  'f16v4add.a2aBUa2': halves(4, 'add', 'upper'),
  'f16v4max.a2a2a2': halves(4, 'max'),
  'f16v4min.a2a2a2': halves(4, 'min'),
  'f16v4mul.a2a2a2': halves(4, 'mul'),
  'f16v4mul.a2aBLa2': halves(4, 'mul', 'lower'),
  'f16v4mul.a2aBUa2': halves(4, 'mul', 'upper'),
  'f16v4sub.a2a2a2': halves(4, 'sub'),
  'f16v4sub.a2aBLa2': halves(4, 'sub', 'lower'),
  'f16v4sub.a2aBUa2': halves(4, 'sub', 'upper'),
  'f16v4clamp.a2a2a': clampHalves(4),

  'f32cmpeq.aaa': singles(1, 'cmpeq'),
  'f32cmpge.aaa': singles(1, 'cmpge'),
  'f32cmpgt.aaa': singles(1, 'cmpgt'),
  'f32cmple.aaa': singles(1, 'cmple'),
  'f32cmplt.aaa': singles(1, 'cmplt'),
  'f32cmpne.aaa': singles(1, 'cmpne'),
  'f32v2cmpeq.a2a2a2': singles(2, 'cmpeq'),
  'f32v2cmpeq.a2aBa2': singles(2, 'cmpeq', true),
  'f32v2cmpge.a2a2a2': singles(2, 'cmpge'),
  'f32v2cmpge.a2aBa2': singles(2, 'cmpge', true),
  'f32v2cmpgt.a2a2a2': singles(2, 'cmpgt'),
  'f32v2cmpgt.a2aBa2': singles(2, 'cmpgt', true),
  'f32v2cmple.a2a2a2': singles(2, 'cmple'),
  'f32v2cmple.a2aBa2': singles(2, 'cmple', true),
  'f32v2cmplt.a2a2a2': singles(2, 'cmplt'),
  'f32v2cmplt.a2aBa2': singles(2, 'cmplt', true),
  'f32v2cmpne.a2a2a2': singles(2, 'cmpne'),
  'f32v2cmpne.a2aBa2': singles(2, 'cmpne', true),
  'f16v2cmpeq.aaa': halves(2, 'cmpeq'),
  'f16v2cmpeq.aaBLa': halves(2, 'cmpeq', 'lower'),
  'f16v2cmpeq.aaBUa': halves(2, 'cmpeq', 'upper'),
  'f16v2cmpge.aaa': halves(2, 'cmpge'),
  'f16v2cmpge.aaBLa': halves(2, 'cmpge', 'lower'),
  'f16v2cmpge.aaBUa': halves(2, 'cmpge', 'upper'),
  'f16v2cmpgt.aaa': halves(2, 'cmpgt'),
  'f16v2cmpgt.aaBLa': halves(2, 'cmpgt', 'lower'),
  'f16v2cmpgt.aaBUa': halves(2, 'cmpgt', 'upper'),
  'f16v2cmple.aaa': halves(2, 'cmple'),
  'f16v2cmple.aaBLa': halves(2, 'cmple', 'lower'),
  'f16v2cmple.aaBUa': halves(2, 'cmple', 'upper'),
  'f16v2cmplt.aaa': halves(2, 'cmplt'),
  'f16v2cmplt.aaBLa': halves(2, 'cmplt', 'lower'),
  'f16v2cmplt.aaBUa': halves(2, 'cmplt', 'upper'),
  'f16v2cmpne.aaa': halves(2, 'cmpne'),
  'f16v2cmpne.aaBLa': halves(2, 'cmpne', 'lower'),
  'f16v2cmpne.aaBUa': halves(2, 'cmpne', 'upper'),
  'f16v4cmpeq.a2a2a2': halves(4, 'cmpeq'),
  'f16v4cmpeq.a2aBLa2': halves(4, 'cmpeq', 'lower'),
  'f16v4cmpeq.a2aBUa2': halves(4, 'cmpeq', 'upper'),
  'f16v4cmpge.a2a2a2': halves(4, 'cmpge'),
  'f16v4cmpge.a2aBLa2': halves(4, 'cmpge', 'lower'),
  'f16v4cmpge.a2aBUa2': halves(4, 'cmpge', 'upper'),
  'f16v4cmpgt.a2a2a2': halves(4, 'cmpgt'),
  'f16v4cmpgt.a2aBLa2': halves(4, 'cmpgt', 'lower'),
  'f16v4cmpgt.a2aBUa2': halves(4, 'cmpgt', 'upper'),
  'f16v4cmple.a2a2a2': halves(4, 'cmple'),
  'f16v4cmple.a2aBLa2': halves(4, 'cmple', 'lower'),
  'f16v4cmple.a2aBUa2': halves(4, 'cmple', 'upper'),
  'f16v4cmplt.a2a2a2': halves(4, 'cmplt'),
  'f16v4cmplt.a2aBLa2': halves(4, 'cmplt', 'lower'),
  'f16v4cmplt.a2aBUa2': halves(4, 'cmplt', 'upper'),
  'f16v4cmpne.a2a2a2': halves(4, 'cmpne'),
  'f16v4cmpne.a2aBLa2': halves(4, 'cmpne', 'lower'),
  'f16v4cmpne.a2aBUa2': halves(4, 'cmpne', 'upper'),

  'f16v2class.aa': classes(2, 'f16'),
  'f16v4class.aa2': classes(4, 'f16'),
  'f32class.aa': classes(1, 'f32'),
  'f32v2class.aa2': classes(2, 'f32'),

  'f16v2maxc.aa': neighbours(1, 2, 16, larger, false),
  'f16v4maxc.aa2': neighbours(2, 1, 16, larger, false),
  'f16v2sum.aa': neighbours(1, 1, 32, sum, true),
  'f16v4sum.a2a2': neighbours(2, 1, 32, sum, true),
} satisfies Record<string, Row>;
