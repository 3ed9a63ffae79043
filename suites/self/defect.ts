import type { Application } from '../../device/package/index.ts';
import type { DevicePort } from '../../harness/ports.ts';

/** Where a defect is planted. */
export type DefectLayer = 'kernel' | 'schedule' | 'tables' | 'package' | 'inputs' | 'sram' | 'results';

/** Files of the package's bindings, by name. */
export type Files = Map<string, Uint8Array>;

/** What a defect may change on a case's way from compiler to judge; all steps are optional. */
export interface Sabotage {
  /** Changes the package model before it is written. */
  readonly application?: (application: Application) => Application;
  /** Changes the package bytes. */
  readonly bytes?: (bytes: Uint8Array) => Uint8Array;
  /** Changes the packed inputs. */
  readonly inputs?: (inputs: Files) => void;
  /** Changes SRAM after the package is loaded. */
  readonly sram?: (device: DevicePort & SramWriter, application: Application) => void;
  /** Changes what the host read back. `stale` holds the outputs of an earlier call with other inputs. */
  readonly outputs?: (outputs: Files, stale: Files) => void;
}

/** A device whose memory can be written from outside. */
export interface SramWriter {
  writeTile(physicalTile: number, address: number, data: Uint8Array): void;
}

/** One planted defect: the suite must catch it on every named case. */
export interface PlantedDefect {
  readonly name: string;
  readonly layer: DefectLayer;
  /** The real mistake it stands for. */
  readonly imitates: string;
  /** Case lines it is planted in. */
  readonly cases: readonly string[];
  readonly sabotage: Sabotage;
  /** Pattern the judge must name, where the mistake leaves one. */
  readonly pattern?: RegExp;
}
