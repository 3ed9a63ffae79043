export { type BudgetCheck, type CycleBudgets, checkBudget, parseCycleBudgets } from './cycle-budgets.ts';
export {
  EXPECTATIONS,
  type Expectation,
  type KnownFailure,
  type KnownFailures,
  parseKnownFailures,
} from './known-failures.ts';
export { readTextFile, type TextFile } from './rows.ts';
