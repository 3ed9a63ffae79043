import { describe, expect, it } from 'vitest';
import { type Application, readPackage, writePackage } from '../index.ts';
import { broken, errorOf } from '../testing/broken.ts';
import { sampleApplication } from '../testing/sample.ts';

/** Every number or text of a model, by path. */
function leaves(value: unknown, type: 'number' | 'string', path = ''): string[] {
  if (typeof value === type) return [path];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`;
    return leaves(inner, type, path + step);
  });
}

/** The sample with one leaf replaced. */
function replaced(path: string, leaf: unknown): Application {
  return broken((application) => {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
    const last = keys.pop()!;
    const owner = keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], application);
    (owner as Record<string, unknown>)[last] = leaf;
  });
}

describe('package fields', () => {
  const numbers = leaves(sampleApplication, 'number');
  const texts = leaves(sampleApplication, 'string');
  const wide = /fileOffset|pageOffset|commandOffset|(slices|pages|inputs|outputs)\[\d+\]\.size/;

  it('every number outside its range is an error that names it', () => {
    expect(numbers.length).toBeGreaterThan(80);
    for (const path of numbers) {
      const [range, limit] = wide.test(path)
        ? ['an integer from 0 to 2^53 - 1', 2 ** 53]
        : ['an unsigned 32-bit integer', 2 ** 32];
      for (const value of [-1, 0.5, limit, Number.NaN, Number.POSITIVE_INFINITY]) {
        const error = errorOf(() => writePackage(replaced(path, value)));
        expect(error.message).toBe(`invalid package: ${path} is ${value}, not ${range}`);
        expect(error.verdict).toBe('compile-error');
      }
    }
  });

  it('every text without a UTF-8 form is an error that names it, every unknown enum member too', () => {
    expect(texts.length).toBeGreaterThan(20);
    for (const path of texts) {
      const error = errorOf(() => writePackage(replaced(path, 'a\ud800b')));
      const message = /kind$/.test(path)
        ? `unknown schema enum value: ${path} 'a\ud800b'; known are `
        : `invalid UTF-8 text: ${path} holds half of a surrogate pair`;
      expect(error.message.slice(0, message.length)).toBe(message);
      expect([error.verdict, error.kind]).toEqual(['compile-error', /kind$/.test(path) ? 'enum' : 'utf8']);
    }
  });

  it('texts of every UTF-8 length fill their words exactly', () => {
    for (const character of [
      '\x7f',
      '\x80',
      '\u07ff',
      '\u0800',
      '\u08ff',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
    ]) {
      for (let count = 0; count < 9; count += 1) {
        const application = { ...sampleApplication, compilerVersion: character.repeat(count) };
        const bytes = writePackage(application);
        expect(new DataView(bytes.buffer).getUint32(0, true)).toBe(0);
        expect(readPackage(bytes)).toEqual(application);
      }
    }
  });

  it('a package above 2 GiB is refused before it is built', () => {
    const data = new Uint8Array(0x9c000);
    const image = { entryPoint: 0, commandAddress: 0, diagnosticAddress: 0 };
    const tiles = Array.from({ length: 3400 }, (_, physicalTile) => ({
      ...image,
      physicalTile,
      segments: [{ address: 0x4c000, memorySize: data.length, data, flags: 1 }],
    }));
    const error = errorOf(() => writePackage({ ...sampleApplication, tiles }));
    expect(error.message).toMatch(
      /^invalid package: the message needs 2172\d+ bytes, at most 2147483640 can be written$/,
    );
  });
});
