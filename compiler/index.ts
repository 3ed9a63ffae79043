export { type CompileOptions, compile } from './compile.ts';
export type { CompiledProgram, GemmRounding } from './compiled.ts';
export { CompileError, VerifierError } from './errors.ts';
export { type ElementType, type Graph, GraphBuilder, type ValueId } from './graph/graph.ts';
