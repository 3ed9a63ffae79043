export { type CompileOptions, compile } from './compile.ts';
export type { CompiledProgram } from './compiled.ts';
export { CompileError, VerifierError } from './errors.ts';
export { type ElementType, type Graph, GraphBuilder, type ValueId } from './graph/graph.ts';
export type { WeightPolicy } from './plan/layer.ts';
export type { GemmRounding, LayerRounding, LayersRounding, Rounding } from './summary.ts';
