/** The simulated IPU21. */
export { CHOICES, type Choice, type ChoiceName, type EvidenceClass, RULES } from './choices.ts';
export { MODEL_VERSION, SimulatedIpu21, type SimulatorOptions } from './simulator.ts';
export type { Issue, Trace } from './trace.ts';
export { unmodelledForms } from './unmodelledForms.ts';
