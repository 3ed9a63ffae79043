import type * as wire from '../generated/profile-common.capnp.ts';
import { EXCHANGE_ACTIVITY_KINDS, STEP_KINDS } from '../kinds.ts';
import type { Step } from '../model.ts';
import { fillStructs } from './message.ts';

/** Writes a checked step. */
export function writeStep(target: wire.Step, step: Step): void {
  target.setLocalIndex(step.localIndex);
  target.setPhase(step.phase);
  target.setEpoch(step.epoch);
  target.setOperation(step.operation);
  target.setKind(STEP_KINDS.indexOf(step.kind));
  target.setKernel(step.kernel);
  fillStructs(
    step.metadata,
    (length) => target.initMetadata(length),
    (entry, { name, value }) => {
      entry.setName(name);
      entry.setValue(value);
    },
  );
  fillStructs(
    step.exchangeActivities,
    (length) => target.initExchangeActivities(length),
    (activity, { kind, startCycle, endCycle }) => {
      activity.setKind(EXCHANGE_ACTIVITY_KINDS.indexOf(kind));
      activity.setStartCycle(startCycle);
      activity.setEndCycle(endCycle);
    },
  );
  target.setExchangeEventCycles(step.exchangeEventCycles);
}
