import { disassembleProgram } from '../../device/ipu21/index.ts';
import type { MachineCode } from './assembler.ts';

/** Address, words, labels and disassembly of machine code, one instruction or bundle a line. */
export function listing(code: MachineCode): string {
  return disassembleProgram(code.address, code.words, code.symbols);
}
