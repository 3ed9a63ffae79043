import { describe, expect, it } from 'vitest';
import { CSR, CSRS, coefficientCsr, csrAt, csrField, csrOperand } from './csr.ts';
import { CONTEXT_STATE, EXCEPTION, exceptionName, RECEIVE_ERROR, receiveErrorName } from './exceptions.ts';

describe('control and status registers', () => {
  it('have one meaning per context and index, and unique names', () => {
    expect(new Set(CSRS.map((row) => row.name)).size).toBe(CSRS.length);
    for (const context of ['supervisor', 'worker'] as const) {
      const indices = CSRS.filter((row) => row.context === context || row.context === 'both').map(
        (row) => row.index,
      );
      expect(new Set(indices).size).toBe(indices.length);
    }
  });

  it('have fields inside 32 bits that do not overlap', () => {
    for (const row of CSRS) {
      let taken = 0n;
      for (const [low, high] of Object.values(row.fields)) {
        expect(low >= 0 && low <= high && high < 32).toBe(true);
        const bits = ((1n << BigInt(high - low + 1)) - 1n) << BigInt(low);
        expect([row.name, taken & bits]).toEqual([row.name, 0n]);
        taken |= bits;
      }
    }
  });

  it('stand where compiler output, tests and tools place them', () => {
    expect([CSR.FP_ICTL, CSR.WORKER5_BASE, CSR.CCCSLOAD, CSR.SCOUNT_L]).toEqual([0x20, 0x26, 0x50, 0x60]);
    expect([CSR.FP_INFMT, CSR.FP_ISCL]).toEqual([0x31, 0x33]);
    expect([CSR.FP_CLR, CSR.PRNG_SEED, CSR.FP_NFMT, CSR.FP_SCL].map(csrOperand)).toEqual([1, 7, 9, 10]);
    expect([CSR.INCOMING_MUX, CSR.INCOMING_DCOUNT, CSR.OUTGOING_BASE]).toEqual([0xa0, 0xa6, 0xa7]);
    expect(csrOperand(coefficientCsr(15, 3))).toBe(63);
    expect(CSRS.filter((row) => row.index >= 0x100).every((row) => row.context === 'worker')).toBe(true);
  });

  it('depend on the context', () => {
    expect(csrAt(1, 'supervisor')?.name).toBe('SSR');
    expect(csrAt(1, 'worker')?.name).toBe('WSR');
    expect(csrAt(0x70, 'worker')?.name).toBe('DBG_DATA');
    expect(csrAt(CSR.CCCSLOAD, 'worker')).toBeUndefined();
    expect(csrAt(CSR.TAS, 'supervisor')).toBeUndefined();
    expect(csrAt(0xff, 'supervisor')).toBeUndefined();
  });

  it('give fields of a word', () => {
    const fields = csrAt(CSR.CTXT_STS, 'supervisor')!.fields;
    const word = 0x80000000 + RECEIVE_ERROR.MODI * 2 ** 27 + CONTEXT_STATE.EXCEPTED * 2 ** 12 + 1;
    expect(['SU', 'W0', 'W5', 'ERERR', 'EERR', 'MERR'].map((name) => csrField(word, fields[name]))).toEqual([
      1, 0, 3, 7, 0, 1,
    ]);
    expect(csrField(0xfedcba98, [0, 31])).toBe(0xfedcba98);
    expect(csrField(-1, [28, 31])).toBe(15);
    // Trap 0 seen on a card: SSR = 0x20.
    expect(exceptionName(csrField(0x20, csrAt(CSR.SSR, 'supervisor')!.fields['ETYPE']))).toBe('PBRK0');
  });
});

describe('exceptions', () => {
  it('have codes 0 to 15 and receive errors 0 to 7, each with one name', () => {
    expect(Object.values(EXCEPTION).sort((x, y) => x - y)).toEqual(
      Array.from({ length: 16 }, (_, code) => code),
    );
    expect(Object.values(RECEIVE_ERROR)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([exceptionName(6), exceptionName(13), exceptionName(16)]).toEqual([
      'CONFLICT',
      'EXERR',
      undefined,
    ]);
    expect([receiveErrorName(7), receiveErrorName(8)]).toEqual(['MODI', undefined]);
  });
});
