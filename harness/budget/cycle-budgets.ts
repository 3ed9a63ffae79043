import { type CaseSource, UsageError } from '../case/index.ts';
import { parseRows, type TextFile } from './rows.ts';

/** Most device cycles a case may take, by canonical case line. */
export type CycleBudgets = ReadonlyMap<string, number>;

const FORM = '<case line> | <cycles>';

/** Reads a budget file, `<case line> | <cycles>` per row. Throws UsageError with file and line. */
export function parseCycleBudgets(file: TextFile, operations: readonly CaseSource[]): CycleBudgets {
  const budgets = new Map<string, number>();
  for (const { place, line, cells } of parseRows(file, operations, 1, FORM)) {
    const cycles = Number(cells[0]);
    if (!/^[1-9]\d{0,14}$/.test(cells[0])) {
      throw new UsageError(
        `${place}: ${JSON.stringify(cells[0])} is no number of cycles; form: ${FORM}`,
        'cycles',
        cells[0],
        'an integer from 1',
      );
    }
    budgets.set(line, cycles);
  }
  return budgets;
}

/** A case measured against its budget. */
export interface BudgetCheck {
  readonly limitCycles: number;
  /** Cycles over the limit; above 1 the budget is broken. */
  readonly ratio: number;
  /** The broken rule in words; undefined when kept. */
  readonly reason?: string;
}

/** Undefined when the case has no budget. */
export function checkBudget(budgets: CycleBudgets, line: string, cycles: number): BudgetCheck | undefined {
  const limitCycles = budgets.get(line);
  if (limitCycles === undefined) return undefined;
  const ratio = cycles / limitCycles;
  if (cycles <= limitCycles) return { limitCycles, ratio };
  const percent = ((ratio - 1) * 100).toFixed(2);
  return {
    limitCycles,
    ratio,
    reason: `${cycles} cycles exceed the budget of ${limitCycles} by ${cycles - limitCycles} (${percent} %)`,
  };
}
