import { loadComposition } from '../run/composition.ts';
import type { House } from './house.ts';
import { type SelectionFlags, selectPlanned } from './select.ts';

export interface ListFlags extends SelectionFlags {
  readonly json?: boolean;
}

/** Prints the selected cases, one line each or as one JSON array. */
export async function listCommand(house: House, cases: readonly string[], flags: ListFlags): Promise<void> {
  const { operations } = await loadComposition(house.compositionUrl);
  const lines = selectPlanned(operations, cases, flags);
  process.stdout.write(flags.json ? `${JSON.stringify(lines)}\n` : `${lines.join('\n')}\n`);
}
