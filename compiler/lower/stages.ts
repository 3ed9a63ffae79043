import type { LogicalTile } from '../../device/ipu21/index.ts';
import type { AddWork } from '../kernels/add.ts';
import type { CastWork } from '../kernels/cast.ts';
import type { EpilogueKind, EpilogueWork } from '../kernels/epilogue.ts';
import type { NormWork } from '../kernels/layerNorm.ts';
import type { MergeWork } from '../kernels/merge.ts';
import type { SoftmaxWork } from '../kernels/softmax.ts';

/** Name of a buffer; every tile of a program has the same buffers at the same addresses. */
export type BufferName = string & { readonly __buffer: unique symbol };

/** Where a buffer may live: `interleaved` needs 128-bit access (region 1), `any` takes either region. */
export type MemoryClass = 'any' | 'interleaved';

/** A span of SRAM with one meaning, sized for the worst tile. */
export interface Buffer {
  readonly name: BufferName;
  /** Payload bytes of the worst tile. */
  readonly bytes: number;
  /** Bytes past the payload that a kernel may read and throw away; they must be valid memory. */
  readonly tailBytes: number;
  readonly memory: MemoryClass;
  /** First and last step that touches it; -1 means filled before the first step, `steps.length` kept after the last. */
  readonly firstStep: number;
  readonly lastStep: number;
}

/** Two buffers that are accessed in the same cycle and must not share an SRAM element. */
export interface Separation {
  readonly a: BufferName;
  readonly b: BufferName;
  readonly reason: string;
}

/** Bytes of a buffer on one tile. */
export interface Span {
  readonly tile: LogicalTile;
  readonly buffer: BufferName;
  /** Byte offset inside the buffer, a multiple of 8. */
  readonly offset: number;
}

/** One message: `words` 32-bit words from one tile to one or more tiles. */
export interface Transfer {
  readonly source: Span;
  readonly words: number;
  readonly receivers: readonly Span[];
}

/** All tiles meet at a barrier, then move data. Transfers are in the order in which they should start. */
export interface ExchangeStep {
  readonly kind: 'exchange';
  readonly name: string;
  /** Planned tile cycles. */
  readonly modelCycles: number;
  readonly transfers: readonly Transfer[];
}

/** Storage of what crosses between host and tiles, and of the operands of the matrix unit. */
export type OperandType = 'f16' | 'f8f143';

/** Arguments of the matrix kernel on one tile. */
export interface GemmArguments {
  readonly rows: number;
  /** Panels of 16 columns. */
  readonly panels: number;
  /** Groups of 16 inner values. */
  readonly groups: number;
}

/** Arguments of the reduction kernel on one tile. */
export interface ReduceArguments {
  /** Granules of 8 f16 to produce. */
  readonly granules: number;
  /** Summands: the tile's own partial plus the staged ones. */
  readonly partials: number;
  /** Byte offset of the tile's piece in its own partials. */
  readonly ownOffset: number;
}

export interface GemmStep {
  readonly kind: 'gemm';
  readonly name: string;
  readonly modelCycles: number;
  readonly left: BufferName;
  readonly right: BufferName;
  readonly out: BufferName;
  readonly table: BufferName;
  readonly operands: OperandType;
  /** f8: sum of the operands' scales; their products are multiplied by two to this. */
  readonly scale: number;
  /** Indexed by logical tile; undefined where the tile is idle. */
  readonly tiles: readonly (GemmArguments | undefined)[];
}

export interface ReduceStep {
  readonly kind: 'reduce';
  readonly name: string;
  readonly modelCycles: number;
  readonly own: BufferName;
  readonly staging: BufferName;
  readonly out: BufferName;
  readonly table: BufferName;
  readonly tiles: readonly (ReduceArguments | undefined)[];
}

/** Bias, activation and turn of a tile's blocks of 16 features x 16 tokens. */
export interface EpilogueStep {
  readonly kind: 'epilogue';
  readonly name: string;
  readonly modelCycles: number;
  readonly work: EpilogueKind;
  readonly from: BufferName;
  readonly out: BufferName;
  /** Absent when the work adds no bias. */
  readonly bias?: BufferName;
  readonly table: BufferName;
  readonly tiles: readonly (EpilogueWork | undefined)[];
}

/** f16 blocks to f8 blocks, two for one. */
export interface CastStep {
  readonly kind: 'cast';
  readonly name: string;
  readonly modelCycles: number;
  /** The value of a code is the code's times two to this. */
  readonly scale: number;
  readonly from: BufferName;
  readonly out: BufferName;
  readonly table: BufferName;
  readonly tiles: readonly (CastWork | undefined)[];
}

/** Softmax of every row over the tile's own keys, in place, with the rows' statistics. */
export interface SoftmaxStep {
  readonly kind: 'softmax';
  readonly name: string;
  readonly modelCycles: number;
  readonly scores: BufferName;
  readonly statistics: BufferName;
  /** Factor of the scores in the exponent. */
  readonly scale: number;
  readonly table: BufferName;
  readonly tiles: readonly (SoftmaxWork | undefined)[];
}

/** Where partial results lie: values, and statistics in a buffer of their own or behind the values. */
export interface MergeSource {
  readonly values: BufferName;
  readonly statistics: BufferName;
  /** Byte offset of the first partial's statistics in their buffer, by tile. */
  readonly statisticsOffset?: readonly number[];
}

/** Partial results of attention over different keys become one. */
export interface MergeStep {
  readonly kind: 'merge';
  readonly name: string;
  readonly modelCycles: number;
  readonly first: MergeSource;
  /** Second of two partials; absent when all lie behind the first, `work.partialBytes` apart. */
  readonly second?: MergeSource;
  readonly out: BufferName;
  /** Where the merged statistics go; absent when nobody needs them. */
  readonly outStatistics?: BufferName;
  readonly weights: BufferName;
  /** Factor of the scores in the exponent. */
  readonly scale: number;
  readonly table: BufferName;
  readonly tiles: readonly (MergeWork | undefined)[];
}

/** out = a + b in f16. */
export interface AddStep {
  readonly kind: 'add';
  readonly name: string;
  readonly modelCycles: number;
  readonly a: BufferName;
  readonly b: BufferName;
  readonly out: BufferName;
  readonly table: BufferName;
  readonly tiles: readonly (AddWork | undefined)[];
}

/** Layer norm of whole rows. */
export interface NormStep {
  readonly kind: 'norm';
  readonly name: string;
  readonly modelCycles: number;
  readonly from: BufferName;
  readonly out: BufferName;
  readonly gamma: BufferName;
  readonly beta: BufferName;
  readonly epsilon: number;
  /** Sums of the workers. */
  readonly scratch: BufferName;
  readonly table: BufferName;
  readonly tiles: readonly (NormWork | undefined)[];
}

export type Step =
  | ExchangeStep
  | GemmStep
  | ReduceStep
  | EpilogueStep
  | CastStep
  | SoftmaxStep
  | MergeStep
  | AddStep
  | NormStep;

/** Order of the 16-bit elements of a host block; u = inner index in its group, q = column in its panel. */
export type BlockOrder =
  /** [column group][row][16]: rows stay whole runs of 16 columns. Left operands and results. */
  | 'left'
  /** [panel][inner group][16 columns][16 inner]: coefficient panels. */
  | 'right'
  /** [row group][column][16]: the transposed matrix as a left operand, or as a result. */
  | 'leftTransposed'
  /** [row panel][column group][16 rows][16 columns]: the transposed matrix as coefficient panels. */
  | 'rightTransposed';

/** A rectangular block of a logical matrix as stored in a binding's file, padded to whole runs of 16. */
export interface HostBlock {
  readonly order: BlockOrder;
  readonly fileOffset: number;
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly columns: number;
  /** Panels of 16 columns that stay together; 1 when left out. */
  readonly columnGrain?: number;
  /** Positions of the block in the grid, for diagnostics. */
  readonly labels: Readonly<Record<string, number>>;
}

/** Contiguous bytes of a binding's file and where they live on a tile. */
export interface BindingSlice extends Span {
  readonly fileOffset: number;
  readonly bytes: number;
}

/** How a logical tensor crosses between host and tiles. */
export interface BindingLayout {
  readonly name: string;
  readonly direction: 'input' | 'output';
  readonly dtype: OperandType;
  /** One or two extents; a vector is stored as one row. */
  readonly shape: readonly number[];
  /** Rows of padding hold what the computation makes of padding rows; nobody reads them. */
  readonly freePaddingRows?: boolean;
  readonly fileBytes: number;
  readonly blocks: readonly HostBlock[];
  readonly slices: readonly BindingSlice[];
}

/** A graph lowered to tiles, buffers and steps; addresses and events are still open. */
export interface LoweredProgram {
  readonly tiles: number;
  readonly buffers: readonly Buffer[];
  readonly separations: readonly Separation[];
  readonly steps: readonly Step[];
  readonly bindings: readonly BindingLayout[];
}
