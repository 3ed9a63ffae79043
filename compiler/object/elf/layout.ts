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
  VERSION,
} from './format.ts';
import { StringWriter } from './names.ts';

/** Contents start at multiples of the section's alignment, but no file grows for a huge one. */
const FILE_ALIGNMENT_LIMIT = 16;

/** A section header to be, without what the layout decides. */
export interface Pending {
  readonly name: string;
  readonly type: number;
  readonly flags?: number;
  readonly content: Uint8Array;
  /** When it differs from the content: NOBITS. */
  readonly size?: number;
  readonly link?: number;
  readonly info?: number;
  readonly alignment: number;
  readonly entryBytes?: number;
}

/** Header, contents in order, section names, section headers. */
export function layOut(object: string, pending: readonly Pending[]): Uint8Array {
  const names = new StringWriter(object);
  const nameOffsets = [...pending.map(({ name }) => name), '.shstrtab'].map((name) => names.add(name));
  const all: Pending[] = [
    ...pending,
    { name: '.shstrtab', type: SECTION_TYPE.strtab, content: names.bytes(), alignment: 1 },
  ];
  if (all.length + 1 >= SECTION_INDEX.reserved) throw new ObjectError(object, 'too many sections');
  let end = HEADER_BYTES;
  const offsets = all.map(({ content, alignment }) => {
    const start = alignUp(end, Math.min(alignment, FILE_ALIGNMENT_LIMIT));
    end = start + content.length;
    return start;
  });
  const tableOffset = alignUp(end, 4);
  const bytes = new Uint8Array(tableOffset + (all.length + 1) * SECTION_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set([...MAGIC, CLASS_32, LITTLE_ENDIAN, VERSION]);
  view.setUint16(16, TYPE_RELOCATABLE, true);
  view.setUint16(18, MACHINE_COLOSSUS, true);
  view.setUint32(20, VERSION, true);
  view.setUint32(32, tableOffset, true);
  view.setUint16(40, HEADER_BYTES, true);
  view.setUint16(46, SECTION_HEADER_BYTES, true);
  view.setUint16(48, all.length + 1, true);
  view.setUint16(50, all.length, true);
  all.forEach((section, index) => {
    bytes.set(section.content, offsets[index]!);
    const fields = [
      nameOffsets[index]!,
      section.type,
      section.flags ?? 0,
      0,
      offsets[index]!,
      section.size ?? section.content.length,
      section.link ?? 0,
      section.info ?? 0,
      section.alignment,
      section.entryBytes ?? 0,
    ];
    fields.forEach((value, field) => {
      view.setUint32(tableOffset + (index + 1) * SECTION_HEADER_BYTES + 4 * field, value, true);
    });
  });
  return bytes;
}

const alignUp = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;
