import {
  COISSUE_BIT,
  physicalTile as checkedTile,
  encodeWords,
  LOAD_ADDRESS,
  type Operand,
  type PhysicalTile,
} from '../ipu21/index.ts';
import { type Application, type Binding, type Segment, writePackage } from '../package/index.ts';

/** Operand under assembly: a label's name stands for its byte address. */
export type HandOperand = Operand | string;
export type HandInstruction = readonly [mnemonic: string, ...operands: HandOperand[]];

const ALL_PERMISSIONS = 7;
/** Host barrier of the entry point; a program rests there between calls. */
export const HOST_SYNC = 7;

/**
 * Program of one tile, written by hand: tests and benchmarks state every word that runs. Unlike the
 * compiler's assembler it refuses nothing, because wrong programs are half of what a device is tested with.
 */
export class HandProgram {
  readonly physicalTile: PhysicalTile;
  readonly #segments: Segment[] = [];
  readonly #labels = new Map<string, number>();
  readonly #code: { address: number; words: (number | HandInstruction)[]; coissue: boolean }[] = [];
  #address: number;
  #entry: number;

  constructor(physicalTile: number, entry: number = LOAD_ADDRESS) {
    this.physicalTile = checkedTile(physicalTile);
    this.#entry = entry;
    this.#address = entry;
  }

  /** Next free code address. */
  get address(): number {
    return this.#address;
  }

  /** Code goes on at another address. */
  origin(address: number): this {
    this.#address = address;
    return this;
  }

  /** Address the supervisor starts at, when it is not the first one. */
  startAt(entry: number): this {
    this.#entry = entry;
    return this;
  }

  label(name: string): this {
    this.#labels.set(name, this.#address);
    return this;
  }

  op(...instruction: HandInstruction): this {
    this.#code.push({ address: this.#address, words: [instruction], coissue: false });
    // Two words for the one instruction that has two.
    this.#address += instruction[0] === 'sendpicp' ? 8 : 4;
    return this;
  }

  /** A bundle; its alignment is the caller's business. */
  bundle(main: HandInstruction, aux: HandInstruction): this {
    this.#code.push({ address: this.#address, words: [main, aux], coissue: true });
    this.#address += 8;
    return this;
  }

  /** Words as they are. */
  raw(...words: number[]): this {
    this.#code.push({ address: this.#address, words, coissue: false });
    this.#address += 4 * words.length;
    return this;
  }

  /** Pads with nop to a multiple of `bytes`. */
  align(bytes: number): this {
    while (this.#address % bytes !== 0) this.op('nop');
    return this;
  }

  /** Data bytes; `memorySize` larger than the data asks for zeroed memory behind it. */
  data(
    address: number,
    data: Uint8Array | Uint16Array | Uint32Array,
    memorySize: number = data.byteLength,
  ): this {
    this.#segments.push({
      address,
      memorySize,
      data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice(),
      flags: ALL_PERMISSIONS,
    });
    return this;
  }

  /** Address of a label. */
  at(label: string): number {
    const address = this.#labels.get(label);
    if (address === undefined) throw new RangeError(`label ${label} is not defined`);
    return address;
  }

  image() {
    return {
      physicalTile: this.physicalTile,
      entryPoint: this.#entry,
      segments: [...this.#segments, ...this.#codeSegments()],
      commandAddress: 0,
      diagnosticAddress: 0x58000,
    };
  }

  /** Neighbouring code makes one segment. */
  #codeSegments(): Segment[] {
    const segments: { address: number; words: number[] }[] = [];
    for (const { address, words, coissue } of this.#code) {
      let last = segments.at(-1);
      if (last === undefined || last.address + 4 * last.words.length !== address) {
        last = { address, words: [] };
        segments.push(last);
      }
      words.forEach((word, index) => {
        const encoded = typeof word === 'number' ? [word] : this.#encode(word);
        if (coissue && index === 0) encoded[0] |= COISSUE_BIT;
        last.words.push(...encoded);
      });
    }
    return segments.map(({ address, words }) => {
      const data = new Uint8Array(Uint32Array.from(words).buffer);
      return { address, memorySize: data.byteLength, data, flags: ALL_PERMISSIONS };
    });
  }

  #encode([mnemonic, ...operands]: HandInstruction): number[] {
    return [
      ...encodeWords(
        mnemonic,
        operands.map((operand) => (typeof operand === 'string' ? this.at(operand) : operand)),
      ),
    ];
  }
}

/** Package of hand-written tiles with one entry point, `run`. */
export function handPackage(
  programs: readonly HandProgram[],
  bindings: { readonly inputs?: readonly Binding[]; readonly outputs?: readonly Binding[] } = {},
): Uint8Array {
  const application: Application = {
    compilerVersion: 'hand',
    tiles: programs.map((program) => program.image()),
    inputs: bindings.inputs ?? [],
    outputs: bindings.outputs ?? [],
    weights: [],
    hostExchange: { startupMark: 0, commandPage: 0, commandOffset: 0, pages: [], attachOrder: [], calls: [] },
    entryPoints: [{ name: 'run', command: 0, externalSyncs: 0 }],
    deviceConfigWrites: [],
    profileTiles: [],
    debugSymbols: [],
    debugRegions: [],
  };
  return writePackage(application);
}

/** Words at a tile address, read through a binding-free view. */
export const wordsOf = (bytes: Uint8Array): number[] => [...new Uint32Array(bytes.slice().buffer)];
