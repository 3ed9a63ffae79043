import { piecesOf, type Slot } from './slot.ts';

/** Pipe that executes a form: first or second word of a bundle [ISA]. */
export type Pipe = 'main' | 'aux';
/** Contexts that may execute a form [ISA]. */
export type Mode = 'any' | 'supervisor' | 'worker';
/**
 * Where the opcode of a form comes from:
 * - `vector`: recorded assembler or disassembler output shows it [SDK];
 * - `derived`: no word was recorded, the opcode follows from a rule that holds for recorded neighbours;
 * - `presumed`: no word was recorded, the opcode continues the pattern of its family [GUESS].
 */
export type Evidence = 'vector' | 'derived' | 'presumed';

/** One instruction form: one opcode with one list of operands. */
export interface Form<Id extends string = string> {
  /** Mnemonic, then a dot and the codes of the operands in text order, e.g. `add.mmz16`. */
  readonly id: Id;
  readonly mnemonic: string;
  readonly pipe: Pipe;
  /** Opcode bits of the first word, all fields zero. */
  readonly base: number;
  /** Operands in text order. */
  readonly operands: readonly Slot[];
  readonly words: 1 | 2;
  readonly mode: Mode;
  /** May not share a bundle with another instruction. */
  readonly solo: boolean;
  /** Bytes that one count of an offset or stride operand stands for; 1 where nothing is scaled. */
  readonly unit: number;
  readonly evidence: Evidence;
  /** Bits of the first word that tell this form from others; bit 31 included. */
  readonly mask: number;
  /** Value of the masked bits, unsigned. A pair's or quad's low register bits are fixed at zero. */
  readonly match: number;
}

export interface Traits {
  readonly evidence?: Evidence;
  readonly unit?: number;
  readonly mode?: Mode;
  readonly solo?: boolean;
  readonly words?: 1 | 2;
}

/** No word of the form was recorded; a proven rule gives the opcode. */
export const DERIVED = { evidence: 'derived' } as const;
/** No word of the form was recorded; the opcode continues its family. */
export const PRESUMED = { evidence: 'presumed' } as const;

function form<Id extends string>(
  pipe: Pipe,
  id: Id,
  base: number,
  operands: readonly Slot[],
  traits: Traits,
): Form<Id> {
  let free = 0;
  for (const slot of operands) {
    const alignment = slot.kind === 'register' ? slot.span - 1 : 0;
    for (const [at, bits] of piecesOf(slot)) {
      if (at < 32) free |= (((1 << bits) - 1) & ~alignment) << at;
    }
  }
  // Only workers have the auxiliary register file and the auxiliary pipe [ISA].
  const usesAux = pipe === 'aux' || operands.some((slot) => slot.kind === 'register' && slot.file === 'a');
  return {
    id,
    mnemonic: id.split('.')[0],
    pipe,
    base,
    operands,
    words: traits.words ?? 1,
    mode: traits.mode ?? (usesAux ? 'worker' : 'any'),
    solo: traits.solo ?? false,
    unit: traits.unit ?? 1,
    evidence: traits.evidence ?? 'vector',
    mask: ~free >>> 0,
    match: base,
  };
}

/** Row of the main pipe. */
export const main = <const Id extends string>(
  id: Id,
  base: number,
  operands: readonly Slot[],
  traits: Traits = {},
): Form<Id> => form('main', id, base, operands, traits);

/** Row of the auxiliary pipe. */
export const aux = <const Id extends string>(
  id: Id,
  base: number,
  operands: readonly Slot[],
  traits: Traits = {},
): Form<Id> => form('aux', id, base, operands, traits);
