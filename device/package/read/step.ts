import { PackageError } from '../error.ts';
import { EXCHANGE_ACTIVITY_KINDS, STEP_KINDS } from '../kinds.ts';
import type { Step } from '../model.ts';
import { DAMAGED } from '../wire/segments.ts';
import type { StructReader } from '../wire/structReader.ts';

/** Reads a Step struct. Byte offsets and pointer slots are those of `schema/profile-common.capnp`. */
export function readStep(step: StructReader): Step {
  return {
    localIndex: step.u32(0),
    phase: step.u32(4),
    epoch: step.u32(8),
    operation: step.text(0, 'operation'),
    kind: member(STEP_KINDS, step.u16(12), 'step kind'),
    kernel: step.text(1, 'kernel'),
    metadata: step.structs(2, 'metadata', (entry) => ({
      name: entry.text(0, 'metadata name'),
      value: entry.text(1, 'metadata value'),
    })),
    exchangeActivities: step.structs(3, 'exchangeActivities', (activity) => ({
      kind: member(EXCHANGE_ACTIVITY_KINDS, activity.u16(0), 'exchange activity kind'),
      startCycle: activity.u32(4),
      endCycle: activity.u32(8),
    })),
    exchangeEventCycles: step.u32(16),
  };
}

function member<T>(members: readonly T[], value: number, name: string): T {
  if (value < members.length) return members[value]!;
  throw new PackageError('enum', `${name} ${value}; known are 0 to ${members.length - 1}`, {
    verdict: 'infra-error',
    facts: { value, members: members.length },
    advice: DAMAGED,
  });
}
