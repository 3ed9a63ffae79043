// Auxiliary instructions by family.
import { executeAccumulators } from './accumulators';
import { executeArithmetic } from './arithmetic';
import { executeCompare } from './compare';
import { executeConvert } from './convert';
import { OP } from './decode';
import { executeElementary } from './elementary';
import { executeMatrix } from './matrixForms';
import { raise } from './memory';
import { executeRandom } from './random';
import { NOT_MODELLED } from './state';

/** Executes one instruction; returns the worker cycles it takes. */
export function executeOther(tile: usize, w: usize, e: usize): i32 {
  if (executeArithmetic(w, e) || executeAccumulators(w, e) || executeMatrix(tile, w, e)) return 1;
  const cycles = executeElementary(w, e);
  if (cycles != 0) return cycles;
  if (executeCompare(w, e) || executeConvert(w, e) || executeRandom(w, e)) return 1;
  raise(NOT_MODELLED, load<u16>(e, OP));
  return 1;
}
