import { addElement, sumOfProducts } from '../../../golden/formats/accumulate.ts';
import { convert, singleToHalf } from '../../../golden/formats/conversions.ts';
import { F16, F32, type Format, isNan } from '../../../golden/formats/format.ts';
import { BEFORE, type Golden, type Output, type Row } from './row.ts';

type Place = readonly [source: number, element: number];
const before = (index: number): Place => [BEFORE, index];
const formatOf = (kind: 'f16' | 'f32'): Format => (kind === 'f16' ? F16 : F32);
const outputs = (
  count: number,
  output: (index: number) => Omit<Output, 'bits'>,
  bits: 16 | 32 = 32,
): Output[] => Array.from({ length: count }, (_, index) => ({ bits, ...output(index) }));

/** An accumulator that the instruction leaves alone, as gina reads it. */
const kept: Golden = (_setting, old) => (isNan(old, F32) ? F32.nan : old);
const untouched = (from: number, to: number): Output[] =>
  outputs(to - from, (index) => ({ operands: [before(from + index)], golden: kept }));

/** `count` accumulators take an element each, plainly or as magnitude. */
const adding = (count: number, source: 'f16' | 'f32', kind: 'plain' | 'absolute'): Row => ({
  sources: [source],
  result: [],
  after: [
    ...outputs(count, (index) => ({
      operands: [before(index), [0, index]],
      golden: (setting, old, x) => addElement(old, x, formatOf(source), setting, kind),
    })),
    ...untouched(count, 8),
  ],
  rounds: true,
});

const adds = (format: Format): { square: Golden; one: Golden; two: Golden } => ({
  square: (setting, old, x) => sumOfProducts([[x, x]], format, setting, old),
  one: (setting, old, x, y) => sumOfProducts([[x, y]], format, setting, old),
  two: (setting, old, x0, y0, x1, y1) =>
    sumOfProducts(
      [
        [x0, y0],
        [x1, y1],
      ],
      format,
      setting,
      old,
    ),
});
const [HALF, SINGLE] = [adds(F16), adds(F32)];

const squares = (count: number, source: 'f16' | 'f32'): Row => ({
  sources: [source],
  result: [],
  after: [
    ...outputs(count, (index) => ({
      operands: [before(index), [0, index]],
      golden: (source === 'f16' ? HALF : SINGLE).square,
    })),
    ...untouched(count, 8),
  ],
  rounds: true,
});

/** Accumulators that take products of the named elements. */
const products = (source: 'f16' | 'f32', factors: readonly (readonly Place[])[]): Row => ({
  sources: [source, source],
  result: [],
  after: [
    ...factors.map((places, index): Output => {
      const { one, two } = source === 'f16' ? HALF : SINGLE;
      return { bits: 32, operands: [before(index), ...places], golden: places.length === 2 ? one : two };
    }),
    ...untouched(factors.length, 8),
  ],
  rounds: true,
});

/** f32 as f16 under the control word. */
const narrow: Golden = (setting, old) => singleToHalf(old, setting);

/** Instructions on the accumulators; the facts say which accumulators, partly by inference. */
export const ACCUMULATING = {
  'f16v4acc.a2': adding(4, 'f16', 'plain'),
  'f16v8acc.a4': adding(8, 'f16', 'plain'),
  'f32v4acc.a4': adding(4, 'f32', 'plain'),
  'f16v4absacc.a2': adding(4, 'f16', 'absolute'),
  'f16v8absacc.a4': adding(8, 'f16', 'absolute'),
  'f32v4absacc.a4': adding(4, 'f32', 'absolute'),
  'f16v8sqacc.a4': squares(8, 'f16'),
  'f32v4sqacc.a4': squares(4, 'f32'),
  'f32mac.aa': products('f32', [
    [
      [0, 0],
      [1, 0],
    ],
  ]),
  'f32v2mac.a2a2': products('f32', [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [0, 1],
      [1, 1],
    ],
  ]),
  'f16v2cmac.aa': products('f16', [
    [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ],
  ]),
  'f16v4cmac.a2a2': products('f16', [
    [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ],
    [
      [0, 2],
      [1, 2],
      [0, 3],
      [1, 3],
    ],
  ]),
  'f32v2aop.a2a2e8': products('f32', [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [0, 1],
      [1, 0],
    ],
    [
      [0, 0],
      [1, 1],
    ],
    [
      [0, 1],
      [1, 1],
    ],
  ]),
  'f32v2axpy.a2a2a2': {
    sources: ['f32', 'f32'],
    result: outputs(2, (index) => ({ operands: [before(index)], golden: kept })),
    after: [
      ...outputs(2, (index) => ({
        operands: [
          [0, index],
          [1, index],
        ],
        golden: (setting, x, y) => sumOfProducts([[setting.tas, x]], F32, setting, y),
      })),
      ...untouched(2, 8),
    ],
    rounds: true,
  },
  'f16v4mix.a2a2a2': {
    sources: ['f16', 'f16'],
    result: outputs(4, (index) => ({ operands: [before(index)], golden: narrow }), 16),
    after: [
      ...outputs(4, (index) => ({
        operands: [
          [0, index],
          [1, index],
        ],
        golden: ({ tas, ...setting }, x, y) =>
          sumOfProducts(
            [
              [tas % 2 ** 16, x],
              [Math.floor(tas / 2 ** 16), y],
            ],
            F16,
            setting,
          ),
      })),
      ...untouched(4, 8),
    ],
    rounds: true,
  },
  'f16v4gacc.a2': {
    sources: [],
    result: outputs(4, (index) => ({ operands: [before(index)], golden: narrow }), 16),
    after: untouched(0, 8),
    rounds: true,
  },
  // The pair at the bottom leaves, the others move down, the source enters at the top.
  'f32v2gina.a2a2z12': {
    sources: ['f32'],
    result: untouched(0, 2),
    after: [...untouched(2, 8), ...outputs(2, (index) => ({ operands: [[0, index]], golden: kept }))],
    rounds: false,
  },
  'f16v2gina.aaz12': {
    sources: ['f16'],
    result: outputs(2, (index) => ({ operands: [before(index)], golden: narrow }), 16),
    after: [
      ...untouched(2, 8),
      ...outputs(2, (index) => ({
        operands: [[0, index]],
        golden: (setting, x) => convert(x, F16, F32, setting),
      })),
    ],
    rounds: true,
  },
} satisfies Record<string, Row>;
