import { DeviceError } from '../device/device.ts';
import { SimulatedIpu21 } from '../device/simulator/index.ts';
import { UsageError } from '../harness/case/index.ts';
import type { DevicePort, Operation } from '../harness/ports.ts';
import type { Composition } from '../harness/run/composition.ts';
import { SIMULATOR_CANARIES } from './attempt.ts';
import { gemm } from './gemm/operation.ts';
import { mlp } from './mlp/operation.ts';

const OPERATIONS: readonly Operation[] = [gemm, mlp];

/** All suites on the devices this version knows. */
export const composition: Composition = {
  operations: OPERATIONS,
  canaries: SIMULATOR_CANARIES,
  async openDevice({ name, threads }): Promise<DevicePort> {
    if (name === 'sim') return new SimulatedIpu21({ threads });
    if (name.startsWith('/dev/')) {
      throw new DeviceError(
        'infra-error',
        'open',
        `${name}: this version has no driver for a card`,
        { device: name },
        'Use --device sim.',
      );
    }
    throw new UsageError(
      `device ${JSON.stringify(name.slice(0, 120))} is unknown; devices: sim, or the path of a card such as /dev/ipu0`,
      'device',
      name,
      'sim | /dev/ipu<n>',
    );
  },
};
