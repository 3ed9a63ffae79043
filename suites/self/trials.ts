import type { Trial } from './defect.ts';

type Fill = 'int' | 'normal' | 'onehot';

/** 3 x 2 blocks of the result, two K pieces, all tiles but one at work: gathers of both operands and a reduction. */
const GRID = 'gemm/m=40,k=100,n=69,tiles=13,plan=3x2x2';
/** Two column blocks, four K pieces: several senders and receivers in the reduction. */
const PIECES = 'gemm/m=24,k=150,n=40,tiles=9,plan=1x2x4';
/** One tile: three panels, five groups, no exchange. */
const SINGLE = 'gemm/m=21,k=80,n=38';

const trials =
  (line: string, usual: number) =>
  (fills: readonly Fill[], tile = usual): readonly Trial[] =>
    fills.map((fill) => ({ line: `${line},fill=${fill}`, tile }));

/** Damages tile 5, row block 1, column block 0, K piece 1, unless told. */
export const onGrid = trials(GRID, 5);
/** Damages tile 2, column block 0, K piece 2, unless told. */
export const onPieces = trials(PIECES, 2);
export const onSingle = trials(SINGLE, 0);
/** Damages tile 5 of a grid whose tiles have fewer rows than workers. */
export const onIdleWorkers = trials('gemm/m=14,k=100,n=69,tiles=13,plan=3x2x2', 5);
/** One tile with one panel, so that a coefficient block too few moves no other. */
export const onOnePanel = trials('gemm/m=21,k=80,n=13', 0);
