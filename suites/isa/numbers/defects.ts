import { sumOfProducts } from '../../../golden/formats/accumulate.ts';
import { convert, fromInteger, scaled, toInteger } from '../../../golden/formats/conversions.ts';
import { type Control, F16, F32, F143, F152, type Format, isNan } from '../../../golden/formats/format.ts';
import { HALF_OPERATIONS, operations } from '../../../golden/formats/operations.ts';
import type { Golden, Output, Setting } from './row.ts';
import type { ArithmeticForm } from './rows.ts';
import { PLAIN } from './setting.ts';

/** A wrong meaning of a form that the comparison must tell from the simulated one. */
export interface PlantedDefect {
  readonly name: string;
  readonly form: ArithmeticForm;
  readonly setting: Setting;
  /** The wrong output in place of a right one. */
  readonly plant: (output: Output) => Output;
}

/** Golden of an output from its right golden. */
type Wrong = (right: Golden) => Golden;
const defect = (
  name: string,
  form: ArithmeticForm,
  wrong: Wrong,
  setting: Setting = PLAIN,
): PlantedDefect => ({
  name,
  form,
  setting,
  // Accumulators that a form only keeps have one operand and stay right.
  plant: (output) =>
    output.operands[0][0] === 2 && output.operands.length === 1
      ? output
      : { ...output, golden: wrong(output.golden) },
});

const under =
  (change: Partial<Control>): Wrong =>
  (right) =>
  (setting, ...values) =>
    right({ ...setting, ...change }, ...values);
const after =
  (change: (code: number, x: number, y: number, setting: Setting) => number): Wrong =>
  (right) =>
  (setting, ...values) =>
    change(right(setting, ...values), values[0], values[1], setting);
const operandsAs =
  (change: (code: number) => number): Wrong =>
  (right) =>
  (setting, p, q, r, s, t) =>
    right(setting, change(p), change(q), change(r), change(s), change(t));
const instead =
  (golden: Golden): Wrong =>
  () =>
    golden;

/** Zero with the sign in place of a subnormal. */
const flush =
  ({ sign, binade }: Format) =>
  (code: number): number =>
    code % sign < binade ? code - (code % sign) : code;
const { sign: HALF_SIGN } = F16;
const NANOO: Setting = { ...PLAIN, overflow: 'nan' };
const DOWN: Setting = { ...PLAIN, mode: 'toward-minus' };
const F8: Setting = { ...PLAIN, quarter: F143, scale: -3 };

/** Even became odd in ties: the neighbour on the other side where the modes of nearest disagree or agree on a tie. */
const tiesToOdd: Wrong =
  (right) =>
  (setting, ...values) => {
    const even = right(setting, ...values);
    const below = right({ ...setting, mode: 'toward-zero' }, ...values);
    const away = right({ ...setting, mode: 'nearest-away' }, ...values);
    return even !== away
      ? away
      : even === below
        ? even
        : even % 2 === 0 && even === away && away !== below
          ? below
          : even;
  };

const single = operations(F32);
const product = (x: number, y: number, setting: Setting) => single.mul(x, y, setting);

/** Rounding, range, zeros and NaN of f16. */
const HALF_DEFECTS: readonly PlantedDefect[] = [
  defect('ties away from zero', 'f16v4add.a2a2a2', under({ mode: 'nearest-away' })),
  defect('ties to odd', 'f16v4mul.a2a2a2', tiesToOdd),
  defect('truncation', 'f16v2mul.aaa', under({ mode: 'toward-zero' })),
  defect('rounding up and down exchanged', 'f16v4sub.a2a2a2', under({ mode: 'toward-plus' }), DOWN),
  defect('rounding mode ignored', 'f16v4add.a2a2a2', under({ mode: 'nearest-even' }), DOWN),
  defect(
    'subnormal results flushed',
    'f16v4mul.a2a2a2',
    after((code) => flush(F16)(code)),
  ),
  defect('subnormal operands flushed', 'f16v4add.a2a2a2', operandsAs(flush(F16))),
  defect('NANOO ignored', 'f16v4add.a2a2a2', under({ overflow: 'saturate' }), NANOO),
  defect('NaN for saturation', 'f16v4add.a2a2a2', under({ overflow: 'nan' })),
  defect(
    'infinity for saturation',
    'f16v4mul.a2a2a2',
    after((code, x, y) =>
      code % HALF_SIGN === 0x7bff && x % HALF_SIGN < 0x7bff && y % HALF_SIGN < 0x7bff ? code + 1 : code,
    ),
  ),
  defect(
    'infinite operands saturate',
    'f16v4add.a2a2a2',
    after((code) => (code % HALF_SIGN === 0x7c00 ? code - 1 : code)),
  ),
  defect(
    'exact zero positive when rounding down',
    'f16v4sub.a2a2a2',
    after((code) => (code === HALF_SIGN ? 0 : code)),
    DOWN,
  ),
  defect(
    'negative zero lost',
    'f16v4mul.a2a2a2',
    after((code) => (code === HALF_SIGN ? 0 : code)),
  ),
  defect(
    'payload of a NaN operand kept',
    'f16v4add.a2a2a2',
    after((code, x) => (isNan(x, F16) ? (x % HALF_SIGN) | 0x200 : code)),
  ),
  defect(
    'sign of a NaN operand kept',
    'f16v4mul.a2a2a2',
    after((code, x) => (isNan(x, F16) && x >= HALF_SIGN ? code + HALF_SIGN : code)),
  ),
  defect(
    'a number for NaN',
    'f16v4mul.a2a2a2',
    after((code) => (isNan(code, F16) ? 0 : code)),
  ),
  defect(
    'subtraction the other way round',
    'f16v4sub.a2a2a2',
    (right) =>
      (setting, x, y, ...rest) =>
        right(setting, y, x, ...rest),
  ),
  defect(
    'one operand pattern off by the last digit',
    'f16v4add.a2a2a2',
    after((code, x) => (x === 0x3c01 ? code ^ 1 : code)),
  ),
  defect(
    'sum of magnitudes takes one magnitude',
    'f16v4absadd.a2a2a2',
    (right) =>
      (setting, x, y, ...rest) => {
        const code = right(setting, x, y, ...rest);
        return y >= HALF_SIGN ? HALF_OPERATIONS.add(x % HALF_SIGN, y, setting) : code;
      },
  ),
];

/** Comparisons, extremes and lanes. */
const ORDER_DEFECTS: readonly PlantedDefect[] = [
  defect(
    'zeros of both signs alike in max',
    'f16v4max.a2a2a2',
    after((code, x, y) => (x % HALF_SIGN === 0 && y % HALF_SIGN === 0 ? x : code)),
  ),
  defect(
    'zeros of both signs alike in f32 min',
    'f32min.aaa',
    after((code, x, y) => (x % F32.sign === 0 && y % F32.sign === 0 ? y : code)),
  ),
  defect(
    'NaN wins in max',
    'f16v4max.a2a2a2',
    after((code, x, y) => (isNan(x, F16) || isNan(y, F16) ? F16.nan : code)),
  ),
  defect(
    'second operand where both are NaN',
    'f32max.aaa',
    after((code, x, y) => (isNan(x, F32) && isNan(y, F32) ? y : code)),
  ),
  defect(
    'largest magnitude keeps its sign',
    'f16v4absmax.a2a2a2',
    instead((_setting, x, y) => (x % HALF_SIGN >= y % HALF_SIGN ? x : y)),
  ),
  defect(
    'codes compared as integers',
    'f16v4cmplt.a2a2a2',
    instead((_setting, x, y) => (x < y ? 0xffff : 0)),
  ),
  defect(
    'zeros of both signs unequal',
    'f32cmpeq.aaa',
    after((code, x, y) => (x % F32.sign === 0 && y % F32.sign === 0 && x !== y ? 0 : code)),
  ),
  defect(
    'NaN equals itself',
    'f32cmpeq.aaa',
    after((code, x, y) => (x === y ? 0xffffffff : code)),
  ),
  defect(
    'NaN is not unequal',
    'f16v4cmpne.a2a2a2',
    after((code, x) => (isNan(x, F16) ? 0 : code)),
  ),
  defect(
    'true is one',
    'f16v4cmpgt.a2a2a2',
    after((code) => (code === 0 ? 0 : 1)),
  ),
  defect(
    'high limit before low',
    'f16v4clamp.a2a2a',
    instead((setting, x, low, high) =>
      HALF_OPERATIONS.max(HALF_OPERATIONS.min(x, high, setting), low, setting),
    ),
  ),
  defect(
    'limits keep -0 below +0',
    'f32clamp.aaa2',
    after((code, x, low) => (x === F32.sign && low === 0 && code === 0 ? x : code)),
  ),
  {
    name: 'the other half repeated',
    form: 'f16v4mul.a2aBLa2',
    setting: PLAIN,
    plant: (output) => ({ ...output, operands: [[0, 1], output.operands[1]] }),
  },
  {
    name: 'repeated half taken lane by lane',
    form: 'f16v2add.aaBUa',
    setting: PLAIN,
    plant: (output) => ({ ...output, operands: [[0, output.operands[1][1]], output.operands[1]] }),
  },
  {
    name: 'lanes exchanged',
    form: 'f32v2sub.a2a2a2',
    setting: PLAIN,
    plant: (output) => ({ ...output, operands: output.operands.map(([source, lane]) => [source, 1 - lane]) }),
  },
  defect(
    'zero and subnormal in one class',
    'f16v4class.aa2',
    after((code) => (code === 5 ? 6 : code)),
  ),
  defect(
    'signalling NaN taken for quiet',
    'f32class.aa',
    after((code) => (code === 1 ? 2 : code)),
  ),
];

/** f32: subnormals, sums, quotients and roots. */
const SINGLE_DEFECTS: readonly PlantedDefect[] = [
  defect(
    'subnormal f32 results flushed',
    'f32mul.aaa',
    after((code) => flush(F32)(code)),
  ),
  defect('subnormal f32 operands flushed', 'f32add.aaa', operandsAs(flush(F32))),
  defect('f32 ties away', 'f32add.aaa', under({ mode: 'nearest-away' })),
  defect(
    'f32 saturates',
    'f32mul.aaa',
    after((code) => (code % F32.sign === F32.beyond ? code - 1 : code)),
  ),
  defect('quotient truncated', 'f32div.aaa', under({ mode: 'toward-zero' })),
  defect('root truncated', 'f32sqrt.aa', under({ mode: 'toward-zero' })),
  defect(
    'root of -0 positive',
    'f32sqrt.aa',
    after((code) => (code === F32.sign ? 0 : code)),
  ),
  defect(
    'sum of f16 rounded to f16 first',
    'f16v4sum.a2a2',
    instead((setting, x, y) => convert(HALF_OPERATIONS.add(x, y, setting), F16, F32, setting)),
  ),
];

/** Conversions. */
const CONVERSION_DEFECTS: readonly PlantedDefect[] = [
  defect('f32 to f16 truncates', 'f32v4tof16.a2a4', under({ mode: 'toward-zero' })),
  defect('f16 subnormals read as zero', 'f16v2tof32.a2a', operandsAs(flush(F16))),
  defect(
    'negative zero of f8',
    'f16v8tof8.a2a4',
    after((code, x) => (code === 0 && x >= HALF_SIGN ? 0x80 : code)),
    F8,
  ),
  defect(
    'infinity saturates in f8',
    'f16v8tof8.a2a4',
    after((code, x) => (x % HALF_SIGN === 0x7c00 ? 0x7f : code)),
    F8,
  ),
  defect(
    'scale turned round',
    'f16v8tof8.a2a4',
    instead((setting, x) => scaled(x, F16, F143, -setting.scale, setting)),
    F8,
  ),
  defect(
    'scale forgotten',
    'f8v4tof16.a2a',
    instead((setting, x) => scaled(x, F143, F16, 0, setting)),
    F8,
  ),
  defect(
    'f8 formats exchanged',
    'f8v4tof16.a2a',
    instead((setting, x) => scaled(x, F152, F16, setting.scale, setting)),
    F8,
  ),
  defect(
    'f8 bias off by one',
    'f8v2tof16.aa',
    instead((setting, x) => scaled(x, F143, F16, setting.scale + 1, setting)),
    F8,
  ),
  defect(
    'integers wrap',
    'f32toi32.aa',
    after((code, x) => (x % F32.sign >= 0x4f000000 ? 0x80000000 : code)),
  ),
  defect(
    'negative becomes its magnitude',
    'f32toui32.aa',
    instead((setting, x) => toInteger(x % F32.sign, false, setting)),
  ),
  defect('halves away in integers', 'f32toi32.aa', under({ mode: 'nearest-away' })),
  defect(
    'NaN becomes the least integer',
    'f32toi32.aa',
    after((code, x) => (isNan(x, F32) ? 0x80000000 : code)),
  ),
  defect(
    'unsigned read as signed',
    'f32fromui32.aa',
    instead((setting, x) => fromInteger(x, true, setting)),
  ),
  defect('integers truncated', 'f32fromi32.aa', under({ mode: 'toward-zero' })),
  defect(
    'sign of zero lost in rounding',
    'f32int.aae3',
    after((code) => (code === F32.sign ? 0 : code)),
  ),
  defect(
    'uniform bits without their half',
    'f16v4sufromui.a2a2',
    after((code, x) => (x === 0x8000 ? 0 : code)),
  ),
];

/** Accumulators. */
const ACCUMULATOR_DEFECTS: readonly PlantedDefect[] = [
  defect(
    'product rounded before the sum',
    'f32mac.aa',
    instead((setting, old, x, y) => single.add(old, product(x, y, setting), setting)),
  ),
  defect(
    'products of f16 added one after the other',
    'f16v2cmac.aa',
    instead((setting, old, x0, y0, x1, y1) =>
      sumOfProducts([[x1, y1]], F16, setting, sumOfProducts([[x0, y0]], F16, setting, old)),
    ),
  ),
  defect(
    'absolute value forgotten',
    'f16v4absacc.a2',
    instead((setting, old, x) => single.add(old, convert(x, F16, F32, setting), setting)),
  ),
  defect(
    'square without its sign rule',
    'f32v4sqacc.a4',
    instead((setting, old, x) => sumOfProducts([[x, x % F32.sign]], F32, setting, old)),
  ),
  defect(
    'accumulators rounded to f16',
    'f16v8acc.a4',
    after((code, _old, _x, setting) => convert(convert(code, F32, F16, setting), F16, F32, setting)),
  ),
];

/** Every planted defect of the proofs over numbers. */
export const DEFECTS: readonly PlantedDefect[] = [
  ...HALF_DEFECTS,
  ...ORDER_DEFECTS,
  ...SINGLE_DEFECTS,
  ...CONVERSION_DEFECTS,
  ...ACCUMULATOR_DEFECTS,
];
