import { describe, expect, it } from 'vitest';
import {
  CLOCK_HZ,
  COEFFICIENT_ORDER,
  MACS_PER_ISSUE,
  MATRIX_UNIT,
  NUMBER_FORMATS,
  TILE_COUNT,
} from './chip.ts';
import { EVENT_LIMITS, formatLatency, NEUTRAL_SOURCE, pointerLatency, writeLatency } from './exchange.ts';
import { FORMS } from './isa/forms.ts';
import { COLUMN_COUNT, ROW_COUNT } from './topology.ts';

describe('chip constants', () => {
  it('agree with each other', () => {
    expect(ROW_COUNT * COLUMN_COUNT * 4).toBe(TILE_COUNT);
    expect(NEUTRAL_SOURCE).toBeGreaterThanOrEqual(TILE_COUNT);
    // Peak rates known for the chip: 282.6, 565.2 and 70.7 TFLOP/s.
    const peak = (macs: number) => Math.round((2 * macs * TILE_COUNT * CLOCK_HZ) / 1e11) / 10;
    expect([peak(MACS_PER_ISSUE.f16), peak(MACS_PER_ISSUE.f8), peak(MACS_PER_ISSUE.f32)]).toEqual([
      282.6, 565.2, 70.7,
    ]);
    for (const type of ['f16', 'f8', 'f32'] as const) {
      const channels = MATRIX_UNIT.sets * MATRIX_UNIT.channelsPerSet;
      expect(MACS_PER_ISSUE[type]).toBe(MATRIX_UNIT.innerPerPhase[type] * channels);
      const bytes = { f16: 2, f8: 1, f32: 4 }[type];
      expect(channels * MATRIX_UNIT.innerPerPhase[type] * MATRIX_UNIT.phasesPerGroup[type] * bytes).toBe(
        MATRIX_UNIT.panelBytes,
      );
    }
    expect(MATRIX_UNIT.panelBytes).toBe(8 * MATRIX_UNIT.coefficientEntries);
  });

  it('order coefficients so that every entry is used once', () => {
    const entries = COEFFICIENT_ORDER.flatMap((base) => [0, 1, 2, 3].map((phase) => base + phase));
    expect(entries.sort((x, y) => x - y)).toEqual(Array.from({ length: 64 }, (_, entry) => entry));
  });

  it('allow as many events as the count fields of the instructions hold', () => {
    for (const [mnemonic, limit] of Object.entries(EVENT_LIMITS)) {
      const count = FORMS.find((form) => form.mnemonic === mnemonic)!.operands[0];
      expect([mnemonic, count.kind === 'immediate' && 2 ** count.bits]).toEqual([mnemonic, limit]);
    }
  });

  it('place pointer, format and write relative to the source selection', () => {
    // A word sent at s passes the mux at s + ttm + 1 and is written 52 + 2 row later.
    for (const row of [0, 7, 22]) {
      expect(writeLatency(row)).toBe(1 + pointerLatency(row));
      expect(formatLatency(row) + 1).toBe(pointerLatency(row));
    }
    expect(pointerLatency(22)).toBeLessThan(EVENT_LIMITS.delaypic);
  });

  it('give formats whose largest value has all fraction bits set', () => {
    for (const { fractionBits, exponentBits, bias, maxFinite, infinities } of Object.values(NUMBER_FORMATS)) {
      const top = 2 ** exponentBits - (infinities ? 2 : 1);
      expect(maxFinite).toBe((2 - 2 ** -fractionBits) * 2 ** (top - bias));
    }
  });
});
