/**
 * Operand slots: what an instruction form accepts in one operand position and where its bits go.
 * Bit positions count from bit 0 of the first word; positions 32..63 are the second word of a two-word form.
 */

/** `m` is the main (integer) register file, `a` the auxiliary (floating point) file of a worker [ISA]. */
export type RegisterFile = 'm' | 'a';
/** Registers named by one operand: one, a naturally aligned pair, or a naturally aligned quad [ISA]. */
export type Span = 1 | 2 | 4;
/** One element of the register used for all lanes: an f32 (`B`), the lower or the upper f16 [ISA]. */
export type Broadcast = 'B' | 'BL' | 'BU';
/** Side effect shown in the text: post-increment, fixed post-increment, replaced by a load, shifted [ISA]. */
export type Mark = '+=' | '++' | '@' | '>>';
export type Access = 'read' | 'write' | 'readwrite';
/** A run of bits: position of the lowest, number of bits. */
export type Piece = readonly [at: number, bits: number];

export interface RegisterSlot {
  readonly kind: 'register';
  /** Role in the public instruction descriptions, e.g. `Dst0`, `Base0`. */
  readonly name: string;
  readonly file: RegisterFile;
  readonly span: Span;
  readonly access: Access;
  /** Position of the 4-bit register number. */
  readonly at: number;
  readonly broadcast?: Broadcast;
  readonly mark?: Mark;
  /** Highest register the operand may reach: 15, or 11 where the register is written as an address. */
  readonly last: number;
}

/**
 * - `zimm`, `simm`: zero- and sign-extended;
 * - `immz`: bits at the top of a 32-bit value, zeros below;
 * - `addr`: absolute byte address, encoded in words;
 * - `flags`: enumerated; `strides`: packed 2-bit stride selectors, the lowest for the first address.
 */
export type ImmediateType = 'zimm' | 'simm' | 'immz' | 'addr' | 'flags' | 'strides';

export interface ImmediateSlot {
  readonly kind: 'immediate';
  readonly name: string;
  readonly type: ImmediateType;
  readonly bits: number;
  /** Pieces of a split field, lowest bits of the value first. */
  readonly pieces: readonly Piece[];
  /** The operand's number is the encoded field shifted left by this much. */
  readonly shift: number;
  /** True where no recorded word shows the position or width of the field. */
  readonly presumed: boolean;
}

export type Slot = RegisterSlot | ImmediateSlot;

const LAST_REGISTER = 15;
/** Registers above m11 are base aliases, reserved, or zero; writable address operands stop here [SDK]. */
const LAST_ADDRESS_REGISTER = 11;

/** Slot makers of one role: register file, span and broadcast in the name, bit position as argument. */
function role(name: string, access: Access) {
  const slot =
    (file: RegisterFile, span: Span, broadcast?: Broadcast) =>
    (at: number): RegisterSlot => ({
      kind: 'register',
      name,
      file,
      span,
      access,
      at,
      last: LAST_REGISTER,
      ...(broadcast === undefined ? {} : { broadcast }),
    });
  return {
    m: slot('m', 1),
    m2: slot('m', 2),
    a: slot('a', 1),
    a2: slot('a', 2),
    a4: slot('a', 4),
    aB: slot('a', 1, 'B'),
    aBL: slot('a', 1, 'BL'),
    aBU: slot('a', 1, 'BU'),
  };
}

export const dst = role('Dst0', 'write');
export const dst1 = role('Dst1', 'write');
export const src0 = role('Src0', 'read');
export const src1 = role('Src1', 'read');
export const srcDst = role('SrcDst0', 'readwrite');
export const base = role('Base0', 'read');
/** Base that the instruction advances without showing a mark. */
export const updatedBase = role('Base0', 'readwrite');
export const delta = role('Delta0', 'read');
export const offset = role('Offset0', 'read');
export const stride = role('Stride0', 'read');
export const addr0 = role('Addr0', 'read');
export const addr1 = role('Addr1', 'read');
export const addr2 = role('Addr2', 'read');
export const miniDelta = role('MiniDelta0', 'read');
export const entry = role('Entry0', 'read');
export const vertexBase = role('VertexBase0', 'read');

const marked =
  (mark: Mark) =>
  (slot: RegisterSlot): RegisterSlot => ({
    ...slot,
    mark,
    access: 'readwrite',
    last: LAST_ADDRESS_REGISTER,
  });
/** Post-incremented by a stride. */
export const stepped = marked('+=');
/** Post-incremented by the access size. */
export const bumped = marked('++');
/** Replaced by a loaded delta. */
export const reloaded = marked('@');
/** Shifted right by one delta. */
export const shifted = marked('>>');
/** Limits a plain operand to m0..m11. */
export const upTo11 = (slot: RegisterSlot): RegisterSlot => ({ ...slot, last: LAST_ADDRESS_REGISTER });

const immediate =
  (type: ImmediateType, defaultName: string, shift = 0) =>
  (bits: number, ...pieces: readonly Piece[]): ImmediateSlot => ({
    kind: 'immediate',
    name: defaultName,
    type,
    bits,
    pieces: pieces.length === 0 ? [[0, bits]] : pieces,
    shift,
    presumed: false,
  });

export const zimm = immediate('zimm', 'Imm');
export const simm = immediate('simm', 'Imm');
export const immz = immediate('immz', 'Imm', 20);
export const addr = immediate('addr', 'Address', 2);
export const flags = immediate('flags', 'Flags');
export const strides = immediate('strides', 'Strides');

/** Gives an immediate the name its field has in the instruction descriptions. */
export const named = (name: string, slot: ImmediateSlot): ImmediateSlot => ({ ...slot, name });

/** Marks an immediate whose recorded words all hold 0, so that position and width are not proven. */
export const presumed = (slot: ImmediateSlot): ImmediateSlot => ({ ...slot, presumed: true });

/** Bits a slot occupies, as pieces. */
export const piecesOf = (slot: Slot): readonly Piece[] =>
  slot.kind === 'register' ? [[slot.at, 4]] : slot.pieces;

/** Short code of a slot inside a form id: `m`, `a2`, `aBL`, `z16`, `addr19`. */
export function slotCode(slot: Slot): string {
  if (slot.kind === 'register')
    return `${slot.file}${slot.span === 1 ? '' : slot.span}${slot.broadcast ?? ''}`;
  const letter = { zimm: 'z', simm: 's', immz: 'i', addr: 'addr', flags: 'e', strides: 't' }[slot.type];
  return `${letter}${slot.bits}`;
}
