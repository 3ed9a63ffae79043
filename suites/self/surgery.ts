import {
  COISSUE_BIT,
  encode,
  type Instruction,
  LOAD_ADDRESS,
  type LogicalTile,
  logicalTileOf,
  type Operand,
  type PhysicalTile,
  physicalTileOf,
  programLines,
} from '../../device/ipu21/index.ts';
import {
  type Application,
  type Binding,
  readPackage,
  SEGMENT_EXECUTE,
  writePackage,
} from '../../device/package/index.ts';

/** One instruction in a tile image: a whole word, or one half of a bundle. */
export interface Site {
  /** Logical tile. */
  readonly tile: number;
  /** Byte address of the instruction's word. */
  readonly address: number;
  readonly instruction: Instruction;
  readonly part: 'single' | 'main' | 'aux';
}

/** Immediate, or register number, of an operand. */
export function operandOf({ instruction }: Site, index: number): number {
  const operand = instruction.operands[index];
  return typeof operand === 'number' ? operand : operand.index;
}

interface Image {
  readonly address: number;
  readonly data: Uint8Array;
  readonly code: boolean;
}

/**
 * Opens a package, changes machine words and table words in its tile images, and closes it again. The words
 * are found by decoding them and written by the encoder: nothing of the compiler's structures is used.
 */
export class Surgery {
  /** Logical tiles that have an image, ascending. */
  readonly tiles: readonly number[];
  #application: Application;
  readonly #images = new Map<number, readonly Image[]>();

  constructor(packageBytes: Uint8Array) {
    const application = readPackage(packageBytes);
    const tiles = application.tiles.map((image) => ({
      ...image,
      segments: image.segments.map((segment) => ({ ...segment, data: segment.data.slice() })),
    }));
    this.#application = { ...application, tiles };
    for (const image of tiles) {
      const segments = image.segments.map(({ address, data, flags }) => ({
        address,
        data,
        code: (flags & SEGMENT_EXECUTE) !== 0 && address !== LOAD_ADDRESS,
      }));
      this.#images.set(logicalTileOf(image.physicalTile as PhysicalTile), segments);
    }
    this.tiles = [...this.#images.keys()].sort((x, y) => x - y);
  }

  /** Byte address of a kernel label. Throws RangeError for an unknown one. */
  symbol(name: string): number {
    const symbol = this.#application.debugSymbols.find((entry) => entry.name === name);
    if (symbol === undefined) throw new RangeError(`the package has no symbol ${name}`);
    return symbol.address;
  }

  /** Instructions of a tile's code in address order, from a byte address up to another. */
  code(tile: number, from = 0, to = Number.POSITIVE_INFINITY): readonly Site[] {
    const found: Site[] = [];
    for (const { address: origin, data, code } of this.#imagesOf(tile)) {
      if (!code) continue;
      for (const line of programLines(origin, wordsOf(data))) {
        line.instructions.forEach((instruction, half) => {
          const address = line.address + 4 * half;
          if (address < from || address >= to) return;
          const part = line.kind === 'single' ? 'single' : half === 0 ? 'main' : 'aux';
          found.push({ tile, address, instruction, part });
        });
      }
    }
    return found.sort((x, y) => x.address - y.address);
  }

  /** The instructions of that range with this mnemonic. Throws RangeError when there are none. */
  sites(tile: number, mnemonic: string, from?: number, to?: number): readonly Site[] {
    const found = this.code(tile, from, to).filter((site) => site.instruction.form.mnemonic === mnemonic);
    if (found.length === 0) throw new RangeError(`tile ${tile} has no ${mnemonic} there`);
    return found;
  }

  /** Puts another instruction in the place of one. Throws EncodingError. */
  replace({ tile, address, part }: Site, mnemonic: string, ...operands: readonly Operand[]): void {
    const word = encode(mnemonic, operands);
    this.setWord(tile, address, part === 'main' ? (word | COISSUE_BIT) >>> 0 : word);
  }

  /** Changes operands of an instruction, by position. Throws EncodingError. */
  amend(site: Site, change: Readonly<Record<number, Operand>>): void {
    const operands = site.instruction.operands.map((operand, index) => change[index] ?? operand);
    this.replace(site, site.instruction.form.id, ...operands);
  }

  /** A 32-bit word of a tile's image. Throws RangeError where no segment has bytes. */
  word(tile: number, address: number): number {
    return this.#view(tile, address).getUint32(0, true);
  }

  setWord(tile: number, address: number, value: number): void {
    this.#view(tile, address).setUint32(0, value, true);
  }

  /** Rewrites the binding of a name. */
  rebind(name: string, change: (binding: Binding) => Binding): void {
    const all = (bindings: readonly Binding[]) =>
      bindings.map((binding) => (binding.name === name ? change(binding) : binding));
    const { inputs, outputs } = this.#application;
    this.#application = { ...this.#application, inputs: all(inputs), outputs: all(outputs) };
  }

  /** The changed package. */
  bytes(): Uint8Array {
    return writePackage(this.#application);
  }

  #imagesOf(tile: number): readonly Image[] {
    const images = this.#images.get(tile);
    if (images === undefined) throw new RangeError(`the package has no image for tile ${tile}`);
    return images;
  }

  #view(tile: number, address: number): DataView {
    for (const { address: origin, data } of this.#imagesOf(tile)) {
      if (address >= origin && address + 4 <= origin + data.byteLength)
        return new DataView(data.buffer, data.byteOffset + address - origin, 4);
    }
    throw new RangeError(
      `tile ${tile} (physical ${physicalTileOf(tile as LogicalTile)}) has no image bytes at 0x${address.toString(16)}`,
    );
  }
}

const wordsOf = (data: Uint8Array): Uint32Array => new Uint32Array(data.slice().buffer);
