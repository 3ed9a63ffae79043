/** Numbers of ELF32 (System V gABI) as far as relocatable objects need them. */

export const MAGIC = [0x7f, 0x45, 0x4c, 0x46] as const;
export const CLASS_32 = 1;
export const LITTLE_ENDIAN = 1;
export const VERSION = 1;
export const TYPE_RELOCATABLE = 1;
/** e_machine of the Colossus [S]. */
export const MACHINE_COLOSSUS = 0xf8;

export const HEADER_BYTES = 52;
export const SECTION_HEADER_BYTES = 40;
export const SYMBOL_BYTES = 16;
export const RELA_BYTES = 12;
export const COMPRESSION_HEADER_BYTES = 12;

export const SECTION_TYPE = {
  null: 0,
  progbits: 1,
  symtab: 2,
  strtab: 3,
  rela: 4,
  nobits: 8,
  rel: 9,
  group: 17,
  symtabShndx: 18,
} as const;

export const SECTION_FLAG = {
  write: 0x1,
  alloc: 0x2,
  execute: 0x4,
  infoLink: 0x40,
  compressed: 0x800,
} as const;

/** Special section indices of symbols; everything from `reserved` up is special. */
export const SECTION_INDEX = { undefined: 0, reserved: 0xff00, absolute: 0xfff1, common: 0xfff2 } as const;

export const COMPRESSION_ZLIB = 1;
export const SYMBOL_TYPE_FILE = 4;

export const SYMBOL_TYPE = { none: 0, object: 1, function: 2, section: 3 } as const;
export const SYMBOL_BINDING = { local: 0, global: 1, weak: 2 } as const;
