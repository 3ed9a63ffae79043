import { assemble } from '../../compiler/assembler/text/index.ts';
import type { ObjectFile } from '../../compiler/object/model.ts';
import { SYNC, WORKER_COUNT } from '../../device/ipu21/index.ts';
import { BENCH } from './layout.ts';
import type { KernelSpec } from './spec.ts';

export const STUB_ENTRY = '__bench_start';
/** Labels around the call, for the trace. */
export const STUB_LAUNCH = '__bench_launch';
export const STUB_DONE = '__bench_done';

/** First register of the arguments of supervisor code; the next registers follow [SW]. */
const FIRST_ARGUMENT = 2;
const LAST_ARGUMENT = 9;

/** Most arguments that code of a context takes. */
export const mostArguments = (context: KernelSpec['context']): number =>
  context === 'worker' ? 64 : LAST_ARGUMENT - FIRST_ARGUMENT + 1;

const load = (register: string, value: number): string[] => {
  const lower = value & 0xfffff;
  const upper = value - lower;
  return upper === 0
    ? [`  setzi ${register}, ${lower}`]
    : [`  setzi ${register}, ${lower}`, `  or ${register}, ${register}, ${upper}`];
};

/**
 * The bench's own program: sets the workers' stacks, rests at the host barrier, sets the arguments, runs the
 * kernel, and rests again. Worker code finds its arguments as words at $mvertex_base;
 * supervisor code finds them in $m2.. and returns to $m10 with its stack at $m11 [SW].
 */
export function stubObject(
  entry: string,
  context: KernelSpec['context'],
  words: readonly number[],
): ObjectFile {
  const bases = Array.from({ length: WORKER_COUNT }, (_, worker) => [
    ...load('$m0', BENCH.workerStacks + (worker + 1) * BENCH.workerStackBytes),
    `  put $WORKER${worker}_BASE, $m0`,
  ]).flat();
  const call =
    context === 'worker'
      ? [
          ...load('$m0', BENCH.arguments).map((line) => line.replace('$m0', '$m1')),
          `  setzi $m0, ${entry}`,
          `${STUB_LAUNCH}: runall $m0, $m1, 0`,
          `  sync ${SYNC.local}`,
        ]
      : [
          ...load('$m11', BENCH.stack),
          ...words.flatMap((word, index) => load(`$m${FIRST_ARGUMENT + index}`, word)),
          `${STUB_LAUNCH}: call $m10, ${entry}`,
        ];
  const text = [
    '.section .text.bench, "ax"',
    `.globl ${STUB_ENTRY}`,
    `.globl ${STUB_LAUNCH}`,
    `.globl ${STUB_DONE}`,
    '.supervisor',
    `${STUB_ENTRY}:`,
    ...bases,
    `${STUB_ENTRY}_rest: sync ${SYNC.gs2Host}`,
    ...call,
    `${STUB_DONE}: nop`,
    `  bri ${STUB_ENTRY}_rest`,
  ].join('\n');
  return assemble(text, { file: 'bench' }).object;
}
