import { F143, F152, MODES } from '../../../golden/formats/format.ts';
import type { Registers } from './bench.ts';
import type { Setting } from './row.ts';

/** Nearest even, saturating, the reset values of the other registers. */
export const PLAIN: Setting = {
  mode: 'nearest-even',
  overflow: 'saturate',
  quarter: F152,
  scale: 0,
  tas: 0,
};

/** Every rounding mode with NANOO clear and set. */
export const CONTROLS: readonly Setting[] = MODES.flatMap((mode) =>
  (['saturate', 'nan'] as const).map((overflow) => ({ ...PLAIN, mode, overflow })),
);

/** Both f8 formats. */
export const QUARTERS = [F143, F152] as const;
/** Every scale that FP_SCL can hold. */
export const SCALES: readonly number[] = Array.from({ length: 64 }, (_, index) => index - 32);

/** FP_CTL: RND in bits 18:16, NANOO in bit 20, no traps [ISA]/[SDK]. */
export const controlOf = ({ mode, overflow }: Setting): number =>
  (MODES.indexOf(mode) << 16) | (overflow === 'nan' ? 1 << 20 : 0);

/** FP_NFMT is 1 for F143, 0 for F152. */
export const registersOf = ({ quarter, scale, tas }: Setting): Registers => ({
  format: quarter === F143 ? 1 : 0,
  scale,
  tas,
});

export const settingText = ({ mode, overflow, quarter, scale, tas }: Setting): string =>
  `${mode}, ${overflow}, ${quarter.name} x 2^${scale}, TAS 0x${tas.toString(16)}`;
