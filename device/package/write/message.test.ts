import { describe, expect, it } from 'vitest';
import { PackageError } from '../error.ts';
import { Application, type DebugSymbol } from '../generated/application.capnp.ts';
import { fillNumbers, fillStructs, startMessage } from './message.ts';

describe('message', () => {
  it('has one segment of the words asked for and no limit on what may be built', () => {
    const { message, root } = startMessage(Application, 1 + 14 + (1 + 2 * 1000) + 1000);
    const names = Array.from({ length: 1000 }, (_, index) => `s${index}`);
    fillStructs(
      names,
      (length) => root.initDebugSymbols(length),
      (symbol: DebugSymbol, name) => symbol.setName(name),
    );
    const bytes = message.toArrayBuffer();
    expect([new DataView(bytes).getUint32(0, true), bytes.byteLength]).toEqual([0, 8 + 8 * 3016]);
    expect(message._capnp.traversalLimit).toBe(Number.POSITIVE_INFINITY);
  });

  it('leaves empty lists null', () => {
    const { root } = startMessage(Application, 15);
    const init = () => {
      throw new Error('initialised');
    };
    fillStructs([], init, () => undefined);
    fillNumbers([], init);
    expect(root.hasTiles()).toBe(false);
  });

  it('refuses more than 2 GiB', () => {
    expect(() => startMessage(Application, 2 ** 28)).toThrow(PackageError);
    expect(() => startMessage(Application, 2 ** 28)).toThrow(
      'invalid package: the message needs 2147483648 bytes, at most 2147483640 can be written',
    );
  });
});
