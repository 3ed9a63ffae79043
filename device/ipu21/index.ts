/** Facts of the IPU21 chip: instruction set, memory, topology, registers, exceptions. */
export * from './chip.ts';
export * from './csr.ts';
export * from './exceptions.ts';
export * from './exchange.ts';
export { REGISTER_ALIASES } from './isa/alias.ts';
export { COISSUE_BIT, decode, decodePair, type Instruction, startsPair } from './isa/decode.ts';
export { encode, encodeForm, encodePair, encodeWords } from './isa/encode.ts';
export { EncodingError, type EncodingRule } from './isa/errors.ts';
export * from './isa/flags.ts';
export type { Evidence, Form, Mode, Pipe } from './isa/form.ts';
export { FORMS, type FormId, formOf, isFormId } from './isa/forms.ts';
export { disassembleProgram, lineText, type ProgramLine, programLines } from './isa/listing.ts';
export * from './isa/operand.ts';
export { parseInstruction, parseLine } from './isa/parse.ts';
export type {
  Access,
  Broadcast,
  ImmediateSlot,
  ImmediateType,
  Mark,
  Piece,
  RegisterFile,
  RegisterSlot,
  Slot,
  Span,
} from './isa/slot.ts';
export { formSyntax } from './isa/syntax.ts';
export { disassemble, disassemblePair, exactText, instructionText } from './isa/text.ts';
export * from './memory.ts';
export * from './route.ts';
export * from './topology.ts';
