import { ObjectError } from '../errors.ts';
import {
  CLASS_32,
  HEADER_BYTES,
  LITTLE_ENDIAN,
  MACHINE_COLOSSUS,
  MAGIC,
  SECTION_HEADER_BYTES,
  SECTION_INDEX,
  SECTION_TYPE,
  TYPE_RELOCATABLE,
} from './format.ts';
import { StringReader } from './names.ts';

/** One section header with what it describes; `content` is a view of the file, empty for NOBITS and NULL. */
export interface RawSection {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly alignment: number;
  readonly entryBytes: number;
  readonly content: Uint8Array;
}

/** Shortest file whose machine can be told [S]. */
const IDENTIFIABLE_BYTES = 20;

/**
 * Checks the file header and returns all sections. Contents lie inside the file and together are no longer
 * than it, so that a small file cannot stand for a large object.
 */
export function readSectionHeaders(bytes: Uint8Array, object: string): RawSection[] {
  const fail = (detail: string): never => {
    throw new ObjectError(object, detail);
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (
    bytes.length < IDENTIFIABLE_BYTES ||
    MAGIC.some((byte, index) => bytes[index] !== byte) ||
    bytes[4] !== CLASS_32 ||
    bytes[5] !== LITTLE_ENDIAN
  ) {
    fail('kernel object is not little-endian ELF32');
  }
  const machine = view.getUint16(18, true);
  if (machine !== MACHINE_COLOSSUS) fail(`ELF machine 0x${machine.toString(16)} is not Colossus`);
  if (bytes.length < HEADER_BYTES) fail('the file ends inside its header');
  if (view.getUint16(16, true) !== TYPE_RELOCATABLE) fail('the ELF file is not relocatable');

  const tableOffset = view.getUint32(32, true);
  const headerBytes = view.getUint16(46, true);
  const count = view.getUint16(48, true);
  const nameIndex = view.getUint16(50, true);
  if (count === 0) {
    if (tableOffset !== 0) fail('more sections than supported');
    return [];
  }
  if (count >= SECTION_INDEX.reserved) fail('more sections than supported');
  if (headerBytes !== SECTION_HEADER_BYTES) fail(`section headers of ${headerBytes} bytes`);
  if (tableOffset + count * SECTION_HEADER_BYTES > bytes.length) fail('the section headers leave the file');

  const field = (index: number, at: number): number =>
    view.getUint32(tableOffset + index * SECTION_HEADER_BYTES + at, true);
  const stored = (index: number): boolean => {
    const type = field(index, 4);
    return type !== SECTION_TYPE.null && type !== SECTION_TYPE.nobits;
  };
  let total = 0;
  const contents = Array.from({ length: count }, (_, index) => {
    if (!stored(index)) return bytes.subarray(0, 0);
    const [offset, size] = [field(index, 16), field(index, 20)];
    total += size;
    if (offset + size > bytes.length) fail(`section ${index} leaves the file`);
    if (total > bytes.length) fail('sections overlap in the file');
    return bytes.subarray(offset, offset + size);
  });
  if (nameIndex >= count || field(nameIndex, 4) !== SECTION_TYPE.strtab) fail('there are no section names');
  const names = new StringReader(object, contents[nameIndex]!);

  return contents.map((content, index) => ({
    index,
    name: names.at(field(index, 0)),
    type: field(index, 4),
    flags: field(index, 8),
    size: field(index, 20),
    link: field(index, 24),
    info: field(index, 28),
    alignment: field(index, 32),
    entryBytes: field(index, 36),
    content,
  }));
}
