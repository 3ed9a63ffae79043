import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Application, PackageError, readPackage, validateApplication, writePackage } from './index.ts';
import { arbitraryApplication } from './testing/arbitrary.ts';
import { damage } from './testing/damage.ts';
import { resegment } from './testing/resegment.ts';
import { sampleApplication } from './testing/sample.ts';

/** The same model in fresh objects whose data are copies. */
function clone(application: Application): Application {
  return structuredClone(application) as Application;
}

describe('package round trip', () => {
  it('gives back every model, from any offset of any buffer', () => {
    fc.assert(
      fc.property(arbitraryApplication, fc.nat(9), (application, shift) => {
        const bytes = writePackage(application);
        expect(readPackage(bytes)).toEqual(application);
        const shifted = new Uint8Array(bytes.length + shift);
        shifted.set(bytes, shift);
        expect(readPackage(shifted.subarray(shift))).toEqual(application);
      }),
      { numRuns: 300 },
    );
  });

  it('writes one exactly filled segment, equal bytes for equal models', () => {
    fc.assert(
      fc.property(arbitraryApplication, (application) => {
        const bytes = writePackage(application);
        const header = new DataView(bytes.buffer, bytes.byteOffset, 8);
        expect([header.getUint32(0, true), 8 + 8 * header.getUint32(4, true)]).toEqual([0, bytes.length]);
        expect(Buffer.compare(writePackage(clone(application)), bytes)).toBe(0);
        expect(Buffer.compare(writePackage(readPackage(bytes)), bytes)).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('reads messages of many segments with far and double-far pointers', () => {
    fc.assert(
      fc.property(
        arbitraryApplication,
        fc.integer({ min: 1, max: 9 }),
        fc.infiniteStream(fc.record({ segment: fc.nat(8), doubleFar: fc.boolean() })),
        (application, count, stream) => {
          const place = () => {
            const { segment, doubleFar } = stream.next().value;
            return { segment: segment % count, doubleFar };
          };
          expect(readPackage(resegment(writePackage(application), count, place))).toEqual(application);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('returns segment data as views of the file', () => {
    const [application] = fc.sample(
      arbitraryApplication.filter(({ tiles }) =>
        tiles.some(({ segments }) => segments.some(({ data }) => data.length > 0)),
      ),
      { numRuns: 1, seed: 1 },
    );
    const bytes = writePackage(application!);
    const data = readPackage(bytes).tiles.flatMap(({ segments }) => segments.map((segment) => segment.data));
    expect(data.filter((view) => view.length > 0).every((view) => view.buffer === bytes.buffer)).toBe(true);
  });
});

describe('a full chip', () => {
  it('of 1472 tiles and 72 MB is one segment and comes back unchanged', () => {
    const data = new Uint8Array(49_000).map((_, index) => index * 7);
    const tiles = Array.from({ length: 1472 }, (_, physicalTile) => ({
      physicalTile,
      entryPoint: 0x4c010,
      segments: [{ address: 0x4c010, memorySize: 49_000, data: data.subarray(physicalTile), flags: 5 }],
      commandAddress: 0,
      diagnosticAddress: 0x58000,
    }));
    const bytes = writePackage({ ...sampleApplication, tiles });
    expect(bytes.length).toBeGreaterThan(71_000_000);
    expect(new DataView(bytes.buffer).getUint32(0, true)).toBe(0);
    const read = readPackage(bytes);
    expect(read.tiles.length).toBe(1472);
    for (const [index, { physicalTile, segments }] of read.tiles.entries()) {
      expect([physicalTile, Buffer.compare(segments[0]!.data, data.subarray(index))]).toEqual([index, 0]);
    }
  });
});

describe('damaged packages', () => {
  it('give a typed error or a valid model, 20,000 times', () => {
    const originals = fc.sample(arbitraryApplication, { numRuns: 40, seed: 20 }).flatMap((application) => {
      const bytes = writePackage(application);
      let turn = 0;
      const place = () => {
        turn += 1;
        return { segment: turn % 5, doubleFar: turn % 3 === 0 };
      };
      return [bytes, resegment(bytes, 5, place)];
    });
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 20_000; round += 1) {
      const bytes = damage(originals[round % originals.length]!, round);
      let outcome = 'valid';
      try {
        const model = readPackage(bytes);
        validateApplication(model);
        if (round % 8 === 0) expect(readPackage(writePackage(model))).toEqual(model);
      } catch (error) {
        if (!(error instanceof PackageError)) throw error;
        expect(error.message.length, error.message).toBeLessThan(400);
        outcome = error.kind;
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(['capnp', 'enum', 'invalid', 'utf8', 'valid']);
    for (const count of outcomes.values()) expect(count).toBeGreaterThan(50);
  });

  it('are rejected at every truncation', () => {
    const [application] = fc.sample(arbitraryApplication, { numRuns: 1, seed: 3 });
    const bytes = writePackage(application!);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => readPackage(bytes.subarray(0, length))).toThrow(PackageError);
    }
    const longer = new Uint8Array(bytes.length + 8);
    longer.set(bytes);
    expect(() => readPackage(longer)).toThrow(/asks for \d+ bytes, the file has \d+/);
  });
});
