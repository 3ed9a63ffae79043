import type { DeviceIdentity } from '../ports.ts';
import type { Composition, DeviceRequest } from '../run/composition.ts';

/** Who will run the programs. Throws what the composition throws when there is no such device. */
export async function identify(composition: Composition, request: DeviceRequest): Promise<DeviceIdentity> {
  const device = await composition.openDevice(request);
  try {
    return device.identity();
  } finally {
    await device.close();
  }
}

/** `simulator sim-1, 1472 tiles at 1500 MHz`. */
export function describeIdentity({ kind, model, tiles, clockHz }: DeviceIdentity): string {
  return `${kind} ${model}, ${tiles} tiles at ${clockHz / 1e6} MHz`;
}
