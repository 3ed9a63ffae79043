import {
  fromInteger,
  halfToSingle,
  scaled,
  singleToHalf,
  symmetricFraction,
  toInteger,
  toIntegral,
} from '../../../golden/formats/conversions.ts';
import { F16, F32, MODES } from '../../../golden/formats/format.ts';
import { operations } from '../../../golden/formats/operations.ts';
import type { ElementKind, Golden, Row } from './row.ts';

interface Traits {
  readonly scales?: boolean;
  readonly immediates?: NonNullable<Row['immediates']>;
}

/** Element by element. `copies` repeats each result. */
function map(
  source: ElementKind,
  bits: 8 | 16 | 32,
  count: number,
  golden: Golden,
  rounds: boolean,
  { copies = 1, ...traits }: Traits & { readonly copies?: number } = {},
): Row {
  const result = Array.from({ length: count * copies }, (_, lane) => ({
    bits,
    operands: [[0, Math.floor(lane / copies)]] as const,
    golden,
  }));
  return { sources: [source], result, rounds, ...traits };
}

const widen: Golden = (_setting, x) => halfToSingle(x);
const narrow: Golden = (setting, x) => singleToHalf(x, setting);
const toQuarter: Golden = (setting, x) => scaled(x, F16, setting.quarter, setting.scale, setting);
const fromQuarter: Golden = (setting, x) => scaled(x, setting.quarter, F16, setting.scale, setting);
const halfFraction: Golden = (_setting, x) => symmetricFraction(x, F16);
const singleFraction: Golden = (_setting, x) => symmetricFraction(x, F32);
const SCALED = { scales: true };
const { div, sqrt } = operations(F32);

/** Conversions, and the two functions of f32 that are defined to the last bit by arithmetic alone. */
export const CONVERSIONS = {
  'f16tof32.aa': map('f16', 32, 1, widen, false),
  'f16v2tof32.a2a': map('f16', 32, 2, widen, false),
  'f32tof16.aa': map('f32', 16, 1, narrow, true, { copies: 2 }),
  'f32v2tof16.aa2': map('f32', 16, 2, narrow, true),
  'f32v4tof16.a2a4': map('f32', 16, 4, narrow, true),
  'f16v2tof8.aa': map('f16', 8, 2, toQuarter, true, SCALED),
  'f16v8tof8.a2a4': map('f16', 8, 8, toQuarter, true, SCALED),
  'f8v2tof16.aa': map('f8', 16, 2, fromQuarter, true, SCALED),
  'f8v4tof16.a2a': map('f8', 16, 4, fromQuarter, true, SCALED),
  'f32fromi32.aa': map('u32', 32, 1, (setting, x) => fromInteger(x, true, setting), true),
  'f32fromui32.aa': map('u32', 32, 1, (setting, x) => fromInteger(x, false, setting), true),
  'f32toi32.aa': map('f32', 32, 1, (setting, x) => toInteger(x, true, setting), true),
  'f32toui32.aa': map('f32', 32, 1, (setting, x) => toInteger(x, false, setting), true),
  'f32int.aae3': map('f32', 32, 1, (_setting, x) => toIntegral(x, MODES[0]), false, {
    immediates: MODES.map((mode, value) => ({ value, golden: (_setting, x) => toIntegral(x, mode) })),
  }),
  'f16v2sufromui.aa': map('u16', 16, 2, halfFraction, false),
  'f16v4sufromui.a2a2': map('u16', 16, 4, halfFraction, false),
  'f32sufromui.aa': map('u32', 32, 1, singleFraction, false),
  'f32v2sufromui.a2a2': map('u32', 32, 2, singleFraction, false),
  'f32sqrt.aa': map('f32', 32, 1, (setting, x) => sqrt(x, setting), true),
  'f32div.aaa': {
    sources: ['f32', 'f32'],
    result: [
      {
        bits: 32,
        operands: [
          [0, 0],
          [1, 0],
        ],
        golden: (setting, x, y) => div(x, y, setting),
      },
    ],
    rounds: true,
  },
} satisfies Record<string, Row>;
