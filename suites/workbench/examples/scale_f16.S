// out[i] = alpha * x[i] in f16, one rounding. Worker code: all six workers run it, worker w takes every
// sixth vector of four elements, beginning with vector w.
//
// Arguments, words at $mvertex_base: out, x, n, alpha (twice in one word).
// Worker cycles: 21 + 2 * vectors of the worker, or 14 when it has none.

#include <arch/gc_tile_defines.h>

#define out      m0
#define x        m1
#define count    m2
#define worker   m3
#define scratch  m4
#define alpha    a6

#define LOG2_VECTOR        2
#define LOG2_VECTOR_BYTES  3
// (v * 43691) >> 18 is v / 6 rounded down, for v up to 2^16.
#define RECIPROCAL_6_SHL18 43691

.section .text.scale_f16, "ax"
.globl scale_f16
.type scale_f16, @function
.align 8
.worker
scale_f16:
  ld32    $out, $mvertex_base, 0
  ld32    $x, $mvertex_base, 1
  ld32    $count, $mvertex_base, 2
  get     $worker, $WSR
  and     $worker, $worker, CSR_W_WSR__CTXTID_M1__MASK
  // Vectors of this worker: (vectors + 5 - worker) / 6.
  add     $count, $count, (1 << LOG2_VECTOR) - 1
  shr     $count, $count, LOG2_VECTOR
  add     $count, $count, CTXT_WORKERS - 1
  sub     $count, $count, $worker
  setzi   $scratch, RECIPROCAL_6_SHL18
  mul     $count, $count, $scratch
  shr     $count, $count, 18
  brz     $count, .Ldone
  shl     $worker, $worker, LOG2_VECTOR_BYTES
  add     $out, $out, $worker
  add     $x, $x, $worker
  ld32    $alpha, $mvertex_base, 3
  nop     // the body below begins on 8 bytes
  // The load runs one vector ahead of the product; the last one reads behind the end.
  ld64step $a0:1, $mzero, $x+=, CTXT_WORKERS
  rpt     $count, (2f - 1f) / 8 - 1
1:
  { ld64step $a0:1, $mzero, $x+=, CTXT_WORKERS
    f16v4mul $a2:3, $alpha:BL, $a0:1 }
  { st64step $a2:3, $mzero, $out+=, CTXT_WORKERS
    fnop }
2:
.Ldone:
  exitz   $mzero
.size scale_f16, . - scale_f16
