import { COISSUE_BIT, decode, encodeForm, type Instruction, type Operand } from '../../device/ipu21/index.ts';
import {
  type Application,
  SEGMENT_EXECUTE,
  type Segment,
  type TileImage,
} from '../../device/package/index.ts';

/** One instruction of a tile image. */
export interface CodeSite {
  readonly physicalTile: number;
  readonly address: number;
  readonly instruction: Instruction;
}

/** New operands for an instruction, a whole word instead of it, or nothing to leave it alone. */
export type CodeChange = readonly Operand[] | number | undefined;

/**
 * Rewrites machine words of executable segments. Works on the package's bytes as a stranger would: decode,
 * change, encode. Throws when nothing changed, because a defect that was not planted proves nothing.
 */
export function patchCode(application: Application, change: (site: CodeSite) => CodeChange): Application {
  let changed = 0;
  const tiles = application.tiles.map((image) => ({
    ...image,
    segments: image.segments.map((segment) => {
      if ((segment.flags & SEGMENT_EXECUTE) === 0) return segment;
      const words = wordsOf(segment);
      words.forEach((word, index) => {
        const bit = (word & COISSUE_BIT) >>> 0;
        const instruction = decode((word & ~COISSUE_BIT) >>> 0);
        if (instruction === undefined) return;
        const site = {
          physicalTile: image.physicalTile,
          address: segment.address + index * 4,
          instruction,
        };
        const next = change(site);
        if (next === undefined) return;
        const encoded = typeof next === 'number' ? next : encodeForm(instruction.form.id as never, next);
        words[index] = (encoded | bit) >>> 0;
        changed += 1;
      });
      return { ...segment, data: new Uint8Array(words.buffer) };
    }),
  }));
  if (changed === 0) throw new Error('the planted defect found nothing to change');
  return { ...application, tiles };
}

/** Rewrites the words of data segments (argument tables). */
export function patchTables(
  application: Application,
  change: (image: TileImage, segment: Segment, words: Uint32Array) => boolean,
): Application {
  let changed = false;
  const tiles = application.tiles.map((image) => ({
    ...image,
    segments: image.segments.map((segment) => {
      if ((segment.flags & SEGMENT_EXECUTE) !== 0 || segment.data.byteLength < 24) return segment;
      const words = wordsOf(segment);
      if (!change(image, segment, words)) return segment;
      changed = true;
      return { ...segment, data: new Uint8Array(words.buffer) };
    }),
  }));
  if (!changed) throw new Error('the planted defect found no table to change');
  return { ...application, tiles };
}

/** True at the first site that satisfies a test, false afterwards. */
export function once(test: (site: CodeSite) => boolean): (site: CodeSite) => boolean {
  let found = false;
  return (site) => {
    if (found || !test(site)) return false;
    found = true;
    return true;
  };
}

export const is =
  (mnemonic: string) =>
  ({ instruction }: CodeSite): boolean =>
    instruction.form.mnemonic === mnemonic;

/** Immediate or register number of an operand. */
export function operandOf({ instruction }: CodeSite, index: number): number {
  const operand = instruction.operands[index];
  return typeof operand === 'number' ? operand : operand.index;
}

/** The operands with one of them replaced. */
export const withOperand = ({ instruction }: CodeSite, index: number, value: Operand): readonly Operand[] =>
  instruction.operands.map((operand, at) => (at === index ? value : operand));

/** Address of a symbol of the package. */
export function symbol(application: Application, name: string): number {
  const found = application.debugSymbols.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`the package has no symbol ${name}`);
  return found.address;
}

function wordsOf(segment: Segment): Uint32Array {
  return new Uint32Array(segment.data.slice().buffer);
}
