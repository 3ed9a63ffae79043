import type { ExchangeActivityKind, StepKind } from './model.ts';

/** Step kinds by wire value [SW]. */
export const STEP_KINDS: readonly StepKind[] = ['exchange', 'compute', 'synchronization', 'idle'];

/** Exchange activity kinds by wire value [SW]. */
export const EXCHANGE_ACTIVITY_KINDS: readonly ExchangeActivityKind[] = ['send', 'receive', 'partnerBusy'];
