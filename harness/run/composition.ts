import type { DevicePort, Operation } from '../ports.ts';

/** A device by name and the host threads it may use. */
export interface DeviceRequest {
  /** `sim`, or the path of a card. */
  readonly name: string;
  readonly threads: number;
}

/** Everything a process needs to run cases. A module that exports one as `composition` joins the rooms. */
export interface Composition {
  readonly operations: readonly Operation[];
  /** Storage codes that memory holds where the program never wrote. */
  readonly canaries: readonly number[];
  /** Throws a CaseFailure when there is no such device. */
  openDevice(request: DeviceRequest): Promise<DevicePort>;
}

/** Loads a composition in this process. Throws TypeError when the module exports none. */
export async function loadComposition(url: string): Promise<Composition> {
  const module = (await import(/* @vite-ignore */ url)) as { readonly composition?: Composition };
  if (module.composition === undefined) throw new TypeError(`${url} exports no composition`);
  return module.composition;
}
