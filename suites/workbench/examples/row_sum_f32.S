// out[r] = sum of row r of x in f32, left to right. Supervisor code that launches its own workers.
//
// Arguments in registers: $m2 out, $m3 x, $m4 rows, $m5 columns; returns to $m10, stack at $m11.
// The workers read the same four words at $mvertex_base; worker w takes rows w, w + 6, ...

#include <arch/gc_tile_defines.h>

#define FRAME 16

.section .text.row_sum_f32, "ax"
.globl row_sum_f32
.type row_sum_f32, @function
.align 8
.supervisor
row_sum_f32:
  add     $sp, $sp, -FRAME
  setzi   $m0, row_sum_f32_worker
  st32    $m2, $sp, 0
  st32    $m3, $sp, 1
  st32    $m4, $sp, 2
  st32    $m5, $sp, 3
  runall  $m0, $sp, 0
  sync    TEXCH_SYNCZONE_LOCAL
  add     $sp, $sp, FRAME
  br      $lr
.size row_sum_f32, . - row_sum_f32

.section .text.row_sum_f32_worker, "ax"
.align 8
.worker
row_sum_f32_worker:
  get     $m6, $WSR
  and     $m6, $m6, CSR_W_WSR__CTXTID_M1__MASK
  ld32    $m0, $mvertex_base, 0
  ld32    $m1, $mvertex_base, 1
  ld32    $m2, $mvertex_base, 2
  ld32    $m3, $mvertex_base, 3
.Lrow:
  cmpult  $m5, $m6, $m2
  brz     $m5, .Ldone
  // Start of the row: x + 4 * row * columns.
  mul     $m4, $m6, $m3
  shl     $m4, $m4, 2
  add     $m4, $m1, $m4
  zero    $a0
  nop     // the body below begins on 8 bytes
  rpt     $m3, (2f - 1f) / 8 - 1
1:
  { ld32step $a1, $mzero, $m4+=, 1
    fnop }
  { nop
    f32add  $a0, $a0, $a1 }
2:
  // out + 4 * row, then six rows on.
  shl     $m5, $m6, 2
  st32    $a0, $m0, $m5, 0
  add     $m6, $m6, CTXT_WORKERS
  bri     .Lrow
.Ldone:
  exitz   $mzero
