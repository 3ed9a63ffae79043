import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PackageError, type Profile, readProfile, writeProfile } from './index.ts';
import { arbitraryProfile } from './testing/arbitrary.ts';
import { damage } from './testing/damage.ts';
import { resegment } from './testing/resegment.ts';

describe('profile round trip', () => {
  it('gives back every model with equal bytes, through any segmentation', () => {
    fc.assert(
      fc.property(
        arbitraryProfile,
        fc.integer({ min: 1, max: 9 }),
        fc.infiniteStream(fc.record({ segment: fc.nat(8), doubleFar: fc.boolean() })),
        (profile, count, stream) => {
          const bytes = writeProfile(profile);
          expect(readProfile(bytes)).toEqual(profile);
          expect(Buffer.compare(writeProfile(structuredClone(profile) as Profile), bytes)).toBe(0);
          const place = () => {
            const { segment, doubleFar } = stream.next().value;
            return { segment: segment % count, doubleFar };
          };
          expect(readProfile(resegment(bytes, count, place))).toEqual(profile);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('profile errors', () => {
  const profile: Profile = { clockHz: 1_500_000_000, tiles: [{ physicalTile: 3, samples: [] }] };

  it('schema versions 1 to 5 are read, others are not', () => {
    const version = (value: number) => {
      const bytes = writeProfile(profile);
      new DataView(bytes.buffer).setUint32(16, value, true);
      return () => readProfile(bytes);
    };
    for (const value of [1, 2, 3, 4, 5]) expect(version(value)()).toEqual(profile);
    for (const value of [0, 6, 0xffffffff]) {
      expect(version(value)).toThrow(
        `invalid package: unsupported profile schema version ${value}; supported are 1 to 5`,
      );
    }
  });

  it('fields that cannot be encoded are named', () => {
    expect(() => writeProfile({ ...profile, clockHz: -1 })).toThrow(
      'invalid package: clockHz is -1, not an integer from 0 to 2^53 - 1',
    );
    const step = {
      localIndex: 0,
      phase: 0,
      epoch: 0,
      operation: '',
      kind: 'idle' as const,
      kernel: '',
      metadata: [{ name: 'reason', value: '\udc00' }],
      exchangeActivities: [],
      exchangeEventCycles: 0,
    };
    const sampled = {
      clockHz: 1,
      tiles: [{ physicalTile: 0, samples: [{ step, startCycle: 0, endCycle: 0 }] }],
    };
    expect(() => writeProfile(sampled)).toThrow(
      'invalid UTF-8 text: tiles[0].samples[0].step.metadata[0].value holds half of a surrogate pair',
    );
  });

  it('unknown enum members are enum errors', () => {
    const step = {
      localIndex: 0,
      phase: 0,
      epoch: 0,
      operation: '',
      kind: 'idle' as const,
      kernel: '',
      metadata: [],
      exchangeActivities: [{ kind: 'partnerBusy' as const, startCycle: 0x11111111, endCycle: 0x22222222 }],
      exchangeEventCycles: 0x33333333,
    };
    const bytes = writeProfile({
      clockHz: 1,
      tiles: [{ physicalTile: 0, samples: [{ step, startCycle: 0, endCycle: 0 }] }],
    });
    const patched = (field: number, distance: number, value: number) => {
      const copy = bytes.slice();
      const view = new DataView(copy.buffer);
      const at = copy.findIndex((_, index) => index % 4 === 0 && view.getUint32(index, true) === field);
      view.setUint16(at + distance, value, true);
      return () => readProfile(copy);
    };
    expect(patched(0x33333333, -4, 4)).toThrow('unknown schema enum value: step kind 4; known are 0 to 3');
    expect(patched(0x11111111, -4, 3)).toThrow(
      'unknown schema enum value: exchange activity kind 3; known are 0 to 2',
    );
    expect(patched(0x11111111, -4, 1)().tiles[0]!.samples[0]!.step.exchangeActivities[0]!.kind).toBe(
      'receive',
    );
  });

  it('4,000 damaged files give a typed error or a model', () => {
    const originals = fc.sample(arbitraryProfile, { numRuns: 20, seed: 21 }).map(writeProfile);
    const kinds = new Set<string>();
    for (let round = 0; round < 4000; round += 1) {
      try {
        const model = readProfile(damage(originals[round % originals.length]!, round));
        expect(readProfile(writeProfile(model))).toEqual(model);
        kinds.add('valid');
      } catch (error) {
        if (!(error instanceof PackageError)) throw error;
        kinds.add(error.kind);
      }
    }
    expect([...kinds].sort()).toEqual(['capnp', 'enum', 'invalid', 'utf8', 'valid']);
  });
});
