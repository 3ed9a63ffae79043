import type { Device } from '../../device/device.ts';
import type { CaseJudgement } from '../../harness/judge/index.ts';
import type { CaseFailure, CompiledCase, PreparedCase } from '../../harness/ports.ts';
import type { Surgery } from './surgery.ts';

/** Where a defect is planted: tile images, exchange rows, memory contents, or what the host reads back. */
export type DefectLayer = 'package' | 'schedule' | 'sram' | 'result';

/** A sound case that a defect is planted in. */
export interface Trial {
  readonly line: string;
  /** Logical tile that is damaged, where one is. */
  readonly tile: number;
}

/** A prepared and compiled trial. */
export interface Patient extends Trial {
  readonly prepared: PreparedCase;
  readonly compiled: CompiledCase;
}

/** The damage itself, by the moment at which it is done. */
export type Plant =
  /** Words of the tile images, or the package's bindings. */
  | { readonly at: 'images'; readonly patch: (surgery: Surgery, patient: Patient) => void }
  /** Bytes of the package file. */
  | { readonly at: 'file'; readonly damage: (bytes: Uint8Array) => Uint8Array }
  /** Bytes of the input bindings before they are written to the tiles. */
  | { readonly at: 'inputs'; readonly change: (files: Map<string, Uint8Array>, patient: Patient) => void }
  /** Memory of a loaded tile before the call. */
  | { readonly at: 'memory'; readonly strike: (device: Device, surgery: Surgery, patient: Patient) => void }
  /** The logical result, row-major f16 codes, before it is judged. */
  | {
      readonly at: 'tensor';
      readonly change: (codes: Uint16Array, columns: number, patient: Patient) => void;
    }
  /** Bytes of the output binding `c` before they are unpacked. */
  | { readonly at: 'outputs'; readonly change: (bytes: Uint8Array, patient: Patient) => void }
  /** The judged outputs are those of an earlier call with the inputs of another seed. */
  | { readonly at: 'earlier call' };

/** How one trial ended. */
export interface Sighting {
  readonly line: string;
  /** A judge's verdict, or the verdict that an error of compiler, package or device carries. */
  readonly verdict: string;
  readonly judgement?: CaseJudgement;
  readonly failure?: CaseFailure;
}

/** What the report must point at for the defect to count as localised. */
export interface Location {
  /** In words, for the table. */
  readonly text: string;
  readonly found: (sighting: Sighting, trial: Trial) => boolean;
}

/** One defect that the suite must catch. */
export interface PlantedDefect {
  readonly name: string;
  readonly layer: DefectLayer;
  /** The mistake of a compiler, a kernel, a driver or a chip that looks like this. */
  readonly imitates: string;
  readonly trials: readonly Trial[];
  readonly plant: Plant;
  readonly location?: Location;
}
