import { COISSUE_BIT, encode, type Operand } from '../../device/ipu21/index.ts';
import { CompileError } from '../errors.ts';

/** The byte address of a label, resolved when the program is finished. */
export interface LabelReference {
  readonly label: string;
}

/** Operand of an instruction under assembly. */
export type AssemblyOperand = Operand | LabelReference;

/** Mnemonic and operands, as kernels write them. */
export type InstructionText = readonly [mnemonic: string, ...operands: AssemblyOperand[]];

/** Finished machine code at a fixed address. */
export interface MachineCode {
  readonly address: number;
  readonly words: Uint32Array;
  readonly symbols: ReadonlyMap<string, number>;
}

interface Slot {
  readonly address: number;
  readonly instruction: InstructionText;
  readonly coissue: boolean;
}

/**
 * Collects instructions in order and resolves labels at the end. Bundles must start on 8 bytes: the
 * assembler refuses a misaligned one instead of padding, because a hidden nop would cost cycles.
 */
export class Assembler {
  readonly origin: number;
  readonly #slots: Slot[] = [];
  readonly #symbols = new Map<string, number>();
  #address: number;

  /** `symbols` are labels defined by code assembled elsewhere. */
  constructor(origin: number, symbols: ReadonlyMap<string, number> = new Map()) {
    this.origin = origin;
    this.#address = origin;
    for (const [name, address] of symbols) this.#symbols.set(name, address);
  }

  /** Next free byte address. */
  get address(): number {
    return this.#address;
  }

  label(name: string): void {
    if (this.#symbols.has(name)) this.#fail(`label ${name} is defined twice`, {});
    this.#symbols.set(name, this.#address);
  }

  /** Reference to a label, also one that is defined later. */
  at(label: string): LabelReference {
    return { label };
  }

  /** Appends a single instruction. */
  op(...instruction: InstructionText): void {
    this.#push(instruction, false);
  }

  /** Appends a bundle: main instruction first, auxiliary second. */
  bundle(main: InstructionText, aux: InstructionText): void {
    if (this.#address % 8 !== 0) this.#fail('bundle not on an 8-byte boundary', { address: this.#address });
    this.#push(main, true);
    this.#push(aux, false);
  }

  /** Pads with nop up to a multiple of `bytes`. */
  align(bytes: number): void {
    while (this.#address % bytes !== 0) this.op('nop');
  }

  /** Encodes everything. Throws CompileError for an undefined label or an operand that does not fit. */
  finish(): MachineCode {
    const words = new Uint32Array(this.#slots.length);
    this.#slots.forEach((slot, index) => {
      const [mnemonic, ...operands] = slot.instruction;
      const resolved = operands.map((operand) => this.#resolve(operand));
      try {
        const word = encode(mnemonic, resolved);
        words[index] = slot.coissue ? (word | COISSUE_BIT) >>> 0 : word;
      } catch (error) {
        this.#fail(`cannot encode ${mnemonic}: ${(error as Error).message}`, { address: slot.address });
      }
    });
    return { address: this.origin, words, symbols: this.#symbols };
  }

  #push(instruction: InstructionText, coissue: boolean): void {
    this.#slots.push({ address: this.#address, instruction, coissue });
    this.#address += 4;
  }

  #resolve(operand: AssemblyOperand): Operand {
    if (typeof operand === 'number' || !('label' in operand)) return operand;
    const address = this.#symbols.get(operand.label);
    if (address === undefined) this.#fail(`label ${operand.label} is not defined`, {});
    return address as number;
  }

  #fail(message: string, facts: Record<string, number | string>): never {
    throw new CompileError('assemble', message, facts, 'This is a compiler defect; report it.');
  }
}
