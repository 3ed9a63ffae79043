// Decode cache keyed by the instruction word: a pure function of the word, so it is never stale, whatever
// the program writes over its code.

// Decoded entry, 48 bytes.
export const WORD: usize = 0;
export const OP: usize = 4; // u16 mnemonic number + 1; 0 = illegal
export const FLAGS: usize = 6; // u8
export const COUNT: usize = 7;
export const KINDS: usize = 8; // u8[5]: 0 m register, 1 a register, 2 immediate
export const BROADCAST: usize = 13; // u8: 1 = B, 2 = BL, 4 = BU on the first source
export const VALUES: usize = 16; // i32[5]
export const READS: usize = 36; // u16: m registers read
export const WRITES: usize = 38; // u16: m registers written
export const AUX_WRITES: usize = 40; // u16: a registers written
const ENTRY_BYTES: usize = 48;

export const IS_AUX: u8 = 1;
export const IS_SOLO: u8 = 2;
export const SUPERVISOR_ONLY: u8 = 4;
export const WORKER_ONLY: u8 = 8;
export const IS_CONTROL: u8 = 16;

// Row as the host writes it, 96 bytes: mask, match, op, flags, operand count, then 16 bytes per operand:
// kind, span, access (1 read, 2 write), signed, shift, pieces, (position, bits) x 3, broadcast, last register.
const ROW_BYTES: usize = 96;
let rows: usize = 0;
const CACHE_BITS: u32 = 14;
let cache: usize = 0;
let rowCount: u32 = 0;

// Bundle cache: both halves decoded and checked once per pair of words, found by the bundle's address.
export const B_WORDS: usize = 0; // u64
export const B_MAIN: usize = 8; // entry copies: the word cache may evict the originals
export const B_AUX: usize = 8 + 48;
export const B_FAULT: usize = 104; // i32: exception of an illegal bundle
export const B_KIND: usize = 108; // u32: 0, or the fast path that fits
export const B_PHASE: usize = 112; // u32
// Byte offsets of registers in the worker's context, for the fast paths.
export const B_PACK: usize = 116; // u16
export const B_LOAD: usize = 118;
export const B_LOAD2: usize = 120;
export const B_STORE: usize = 122;
export const B_INPUT: usize = 124;
export const B_PARTIAL: usize = 126;
export const B_RESULT: usize = 128;
const BUNDLE_BYTES: usize = 136;
const BUNDLE_BITS: u32 = 12;
let bundles: usize = 0;

/** Row table shared by all threads, and this thread's own cache. */
export function useDecoder(rowTable: usize, count: u32, cacheAddress: usize): void {
  rows = rowTable;
  rowCount = count;
  cache = cacheAddress;
  // An empty slot must not look like a decoded word; all ones is no instruction.
  for (let slot: usize = 0; slot < <usize>1 << CACHE_BITS; slot++) {
    memory.fill(cache + slot * ENTRY_BYTES, 0, ENTRY_BYTES);
    store<u32>(cache + slot * ENTRY_BYTES, 0xffffffff);
  }
  bundles = cacheAddress + ((<usize>1 << CACHE_BITS) * ENTRY_BYTES);
  memory.fill(bundles, 0, (<usize>1 << BUNDLE_BITS) * BUNDLE_BYTES);
}

/** Cache slot of a bundle at an address. It is decoded when its first 8 bytes are the bundle's words. */
// @ts-ignore: decorator
@inline
export function bundleSlot(pc: u32): usize {
  return bundles + <usize>((pc >> 3) & ((1 << BUNDLE_BITS) - 1)) * BUNDLE_BYTES;
}

/** Copies both decoded halves into a slot. */
export function fillBundle(slot: usize, words: u64, fault: i32): void {
  memory.copy(slot + B_MAIN, decode(<u32>words & 0x7fffffff), ENTRY_BYTES);
  memory.copy(slot + B_AUX, decode(<u32>(words >> 32)), ENTRY_BYTES);
  store<i32>(slot, fault, B_FAULT);
  store<u32>(slot, 0, B_KIND);
  store<u64>(slot, words, B_WORDS);
}

// @ts-ignore: decorator
@inline
export function decode(word: u32): usize {
  const entry = cache + <usize>((word * 0x9e3779b1) >> (32 - CACHE_BITS)) * ENTRY_BYTES;
  if (load<u32>(entry) == word) return entry;
  return fill(entry, word);
}

function fill(entry: usize, word: u32): usize {
  memory.fill(entry, 0, ENTRY_BYTES);
  store<u32>(entry, word);
  for (let index: u32 = 0; index < rowCount; index++) {
    const row = rows + <usize>index * ROW_BYTES;
    if ((word & load<u32>(row)) != load<u32>(row, 4)) continue;
    store<u16>(entry, load<u16>(row, 8), OP);
    store<u8>(entry, load<u8>(row, 10), FLAGS);
    const count = load<u8>(row, 11);
    store<u8>(entry, count, COUNT);
    for (let operand: usize = 0; operand < <usize>count; operand++) {
      const slot = row + 12 + operand * 16;
      let value: u32 = 0;
      let bits: u32 = 0;
      const pieces = <u32>load<u8>(slot, 5);
      for (let piece: u32 = 0; piece < pieces; piece++) {
        const at = <u32>load<u8>(slot + piece * 2, 6);
        const width = <u32>load<u8>(slot + piece * 2, 7);
        const mask: u32 = width == 32 ? 0xffffffff : ((<u32>1 << width) - 1);
        value |= ((word >> at) & mask) << bits;
        bits += width;
      }
      const kind = load<u8>(slot);
      store<u8>(entry, load<u8>(entry, BROADCAST) | load<u8>(slot, 12), BROADCAST);
      let number = <i32>value;
      if (load<u8>(slot, 3) != 0 && (value >> (bits - 1)) != 0) number = <i32>(value | (<u32>0xffffffff << bits));
      number <<= <i32>load<u8>(slot, 4);
      store<u8>(entry + operand, kind, KINDS);
      store<i32>(entry + operand * 4, number, VALUES);
      if (kind == 2) continue;
      if (number > <i32>load<u8>(slot, 13)) {
        // The register group is one this form cannot name: no instruction.
        store<u16>(entry, 0, OP);
        return entry;
      }
      const span = <u32>load<u8>(slot, 1);
      const registers: u32 = ((<u32>1 << span) - 1) << value;
      const group = <u16>registers;
      const access = load<u8>(slot, 2);
      if (kind == 0) {
        if ((access & 1) != 0) store<u16>(entry, load<u16>(entry, READS) | group, READS);
        if ((access & 2) != 0) store<u16>(entry, load<u16>(entry, WRITES) | group, WRITES);
      } else if ((access & 2) != 0) store<u16>(entry, load<u16>(entry, AUX_WRITES) | group, AUX_WRITES);
    }
    return entry;
  }
  return entry;
}
