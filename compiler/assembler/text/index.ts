/** Assembler for text in the Colossus assembly syntax. */
export { type Assembled, type AssembleOptions, assemble } from './assemble.ts';
export type { CodeMode } from './operand.ts';
export type { Includes } from './preprocess.ts';
export type { ExternalUse } from './program.ts';
export type { LineRange } from './section.ts';
export { AssemblyError, type Diagnostic, diagnosticText, type Place, type SourceLine } from './source.ts';
