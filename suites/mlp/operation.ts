import { compileMlp } from './build.ts';
import { mlpOperation } from './index.ts';

/** The family of cases `mlp/...` with the project's own compiler. */
export const mlp = mlpOperation(compileMlp);
