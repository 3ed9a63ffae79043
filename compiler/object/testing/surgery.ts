import { writeElf } from '../elf/writeElf.ts';
import type { ObjectFile, ObjectSymbol } from '../model.ts';

export const code = (bytes: string, extra: object = {}) => ({
  name: '.text',
  kind: 'code' as const,
  writable: false,
  executable: true,
  alignment: 4,
  size: bytes.length / 2,
  bytes: Uint8Array.from(Buffer.from(bytes, 'hex')),
  relocations: [],
  ...extra,
});
export const local = (name: string, value: number): ObjectSymbol => ({
  name,
  section: '.text',
  value,
  size: 0,
  kind: 'none',
  binding: 'local',
});
export const external = (name: string): ObjectSymbol => ({
  name,
  section: undefined,
  value: 0,
  size: 0,
  kind: 'none',
  binding: 'global',
});

/** Two locals, one external, relocations against all three. Symbol table: null, file, alpha, bravo, outer. */
export const SAMPLE: ObjectFile = {
  name: 'sample',
  sections: [
    code('0000000000000000000000000000000000000000', {
      relocations: [
        { offset: 0, type: '19_S2', symbol: 'alpha', addend: 4 },
        { offset: 4, type: 'RUN', symbol: 'bravo', addend: -8 },
        { offset: 8, type: '32', symbol: 'outer', addend: 0 },
      ],
    }),
  ],
  symbols: [local('alpha', 4), local('bravo', 12), external('outer')],
};

/** File offset of the section header with this ELF type, of the sample. */
export function headerOf(bytes: Uint8Array, type: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const table = view.getUint32(32, true);
  for (let at = table; at < bytes.length; at += 40) if (view.getUint32(at + 4, true) === type) return at;
  throw new Error(`no section of type ${type}`);
}
/** File offset of the contents of the section of this type. */
export const contentOf = (bytes: Uint8Array, type: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(headerOf(bytes, type) + 16, true);

export function patched(edit: (view: DataView, bytes: Uint8Array) => void, object = SAMPLE): Uint8Array {
  const bytes = Uint8Array.from(writeElf(object));
  edit(new DataView(bytes.buffer), bytes);
  return bytes;
}

/** As many sections `s0`, `s1`, ... of four bytes, nothing else. */
export const many = (count: number) => ({
  name: '',
  sections: Array.from({ length: count }, (_, index) => code('00000000', { name: `s${index}` })),
  symbols: [],
});
