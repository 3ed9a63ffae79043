import {
  CSRS,
  type Csr,
  REGION1_BASE,
  SRAM_BASE,
  SRAM_BYTES,
  SYNC,
  TILE_COUNT,
  WORKER_COUNT,
} from '../../../device/ipu21/index.ts';

/** Definitions that hold in every source: the target is the IPU21. */
export const PREDEFINED: readonly (readonly [string, string])[] = [
  ['__IPU__', '1'],
  ['__IPU_ARCH_VERSION__', '21'],
];

/** Names of a field as public kernels write them, e.g. CSR_W_WSR__CTXTID_M1__MASK; masks are not shifted. */
function fieldLines({ name, index, context, fields }: Csr): string[] {
  const sides = context === 'both' ? ['S', 'W'] : [context === 'worker' ? 'W' : 'S'];
  return sides.flatMap((side) => [
    `#define CSR_${side}_${name}__INDEX ${index}`,
    ...Object.entries(fields).flatMap(([field, [low, high]]) => [
      `#define CSR_${side}_${name}__${field}__SHIFT ${low}`,
      `#define CSR_${side}_${name}__${field}__MASK 0x${(2 ** (high - low + 1) - 1).toString(16)}`,
    ]),
  ]);
}

const tileDefines = (): string =>
  [
    ...CSRS.flatMap(fieldLines),
    `#define TEXCH_SYNCZONE_LOCAL ${SYNC.local}`,
    `#define TMEM_REGION0_BASE_ADDR 0x${SRAM_BASE.toString(16)}`,
    `#define TMEM_REGION1_BASE_ADDR 0x${REGION1_BASE.toString(16)}`,
    `#define TMEM_FULL_SIZE_BYTES 0x${SRAM_BYTES.toString(16)}`,
    `#define CTXT_WORKERS ${WORKER_COUNT}`,
    `#define TILE_COUNT ${TILE_COUNT}`,
  ].join('\n');

/** Stack use of a function, kept as a note of name and bytes. */
const STACK_DEFINES = `
.macro DEF_STACK_USAGE size, name:req
  .pushsection .stack_sizes, "", @progbits
  .word \\name, \\size
  .popsection
.endm
`;

/** Headers that public kernels include; their facts come from the chip's own tables. */
const HEADERS: ReadonlyMap<string, () => string> = new Map([
  ['arch/gc_tile_defines.h', tileDefines],
  ['poplibs_support/TileConstants.hpp', tileDefines],
  ['poplar/TileConstants.hpp', tileDefines],
  ['poplar/AvailableVTypes.h', () => ''],
  ['poplar/StackSizeDefs.hpp', () => STACK_DEFINES],
]);

/** Text of a built-in header; undefined when there is none of this name. */
export function builtInHeader(name: string): { readonly file: string; readonly text: string } | undefined {
  const text = HEADERS.get(name);
  return text === undefined ? undefined : { file: `<${name}>`, text: text() };
}
