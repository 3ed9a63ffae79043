import { gemmKernelCycles } from '../../compiler/kernels/gemm.ts';
import { a, CSR, m, pair, SYNC, step, WORKER_COUNT } from '../../device/ipu21/index.ts';
import { HandProgram, HOST_SYNC, handPackage, wordsOf } from '../../device/simulator/handProgram.ts';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';

/** A kernel's cycles on the card beside those of the same, or our, kernel on the simulated tile. */
export interface PointRow {
  readonly kernel: string;
  readonly size: string;
  /** Tile cycles measured on the card, call included [HW], or a fit of such measurements. */
  readonly measured: number;
  /** Simulated cycles of code written from the description; undefined where no description tells the code. */
  readonly described: number | undefined;
  /** Cycles of the compiler's own kernel for the same work. */
  readonly own: number | undefined;
  /** Why the described kernel differs by more than 5 %. */
  readonly why: string;
}

const WORKER_CODE = 0x50000;
const TABLE = 0x60000;
const ZERO = m(15);
const NOP = ['nop'] as const;
const FNOP = ['fnop'] as const;

/** Cycles from the issue of a call to the supervisor's next instruction. `body` emits the routine `kernel`. */
async function callCycles(body: (program: HandProgram) => void): Promise<number> {
  const program = new HandProgram(0);
  program.label('rest').op('sync', HOST_SYNC).op('delay', 11);
  program.op('get', m(8), CSR.SCOUNT_L).op('call', m(10), 'kernel').op('get', m(9), CSR.SCOUNT_L);
  program.op('setzi', m(11), TABLE).op('st32', m(8), m(11), ZERO, 0).op('st32', m(9), m(11), ZERO, 1);
  program.op('bri', 'rest');
  body(program);
  const device = new SimulatedIpu21({ cycleLimit: 5_000_000 });
  await device.load(handPackage([program]));
  await device.call('run', new Map());
  const [from, to] = wordsOf(device.readTile(0, TABLE, 8));
  await device.close();
  return to - from - 1;
}

/** So many bundles that do nothing. */
function idle(program: HandProgram, bundles: number): void {
  for (let index = 0; index < bundles; index++) program.bundle(NOP, FNOP);
}

/**
 * The timing skeleton of the described matrix kernel: per coefficient panel a local barrier, 32 coefficient loads and
 * a launch; workers of 30 + 4 r bundles on the very first launch, 14 + 4 r on the first group of later panels (no
 * entry), 16 + 4 r on later groups, r rows each; a loop of about 15 cycles around it [SW, counted]. Values are not computed: only issues count.
 */
const describedGemm = (rows: number, groups: number, panels: number): Promise<number> =>
  callCycles((program) => {
    const perWorker = Math.ceil(rows / WORKER_COUNT);
    program.label('kernel');
    // Entry: arguments from the stack, pointers, work split of the supervisor [SW: 294 cycles fixed, launch included].
    for (let index = 0; index < 30; index++) program.op('add', m(0), m(0), 1);
    program.op('setzi', m(4), panels - 1);
    program
      .label('panel')
      .op('setzi', m(5), groups - 1)
      .op('setzi', m(0), 'first');
    program.label('group').op('setzi', m(2), 0x80000).op('put', CSR.CCCSLOAD, m(2));
    for (let entry = 0; entry < 64; entry += 2) program.op('ld128putcs', entry);
    program.op('setzi', m(1), TABLE).op('runall', m(0), m(1), 0).op('setzi', m(0), 'later');
    program.op('sync', SYNC.local).op('brnzdec', m(5), 'group').op('brnzdec', m(4), 'panel').op('br', m(10));
    program.origin(WORKER_CODE);
    for (const [label, fixed] of [
      ['entry', 30],
      ['first', 14],
      ['later', 16],
    ] as const) {
      program.align(8).label(label);
      // The repeat and its bundles stand for the loop over rows; the rest is entry, priming and drain.
      idle(program, fixed - 2);
      if (perWorker > 0) {
        program.bundle(['rpt', perWorker, 3], FNOP);
        idle(program, 4);
      }
      program.op('exitz', ZERO);
    }
  });

/** Copy of bytes inside a tile, 8 bytes a bundle (load and store paced together), as measured to region 1 [HW]. */
const describedCopy = (bytes: number): Promise<number> =>
  callCycles((program) => {
    const words = bytes / 8 / WORKER_COUNT;
    program.label('kernel');
    // Set-up of the six workers' argument blocks and the launch: 288 cycles in all are measured [HW].
    for (let index = 0; index < 32; index++) program.op('add', m(0), m(0), 1);
    program.op('setzi', m(0), 'copy').op('setzi', m(1), TABLE).op('runall', m(0), m(1), 0);
    program.op('sync', SYNC.local).op('br', m(10));
    program.origin(WORKER_CODE).label('copy');
    program.op('get', m(5), 1).op('and', m(5), m(5), 7).op('shl', m(5), m(5), 12);
    program.op('setzi', m(2), 0x80000).op('add', m(2), m(2), m(5));
    program.op('setzi', m(3), 0xa0008).op('add', m(3), m(3), m(5));
    program.op('tapack', pair(m(6)), m(2), m(3), m(3)).op('setzi', m(8), Math.ceil(words));
    program.align(8).bundle(['rpt', m(8), 0], FNOP);
    program.bundle(['ldst64pace', pair(a(0)), pair(a(0)), step(pair(m(6))), ZERO, 0], FNOP);
    program.op('exitz', ZERO);
  });

interface GemmPoint {
  readonly rows: number;
  readonly k: number;
  readonly n: number;
  readonly f16: number;
  readonly f8?: number;
}

/** Measured cycles and fits of such, region-1 weights [HW later]. */
const GEMM_POINTS: readonly GemmPoint[] = [
  { rows: 1, k: 16, n: 16, f16: 458, f8: 458 },
  { rows: 6, k: 16, n: 16, f16: 478, f8: 478 },
  { rows: 12, k: 64, n: 64, f16: 3622, f8: 1958 },
  { rows: 24, k: 64, n: 64, f16: 4390, f8: 2342 },
  { rows: 64, k: 64, n: 64, f16: 6950, f8: 3622 },
  { rows: 128, k: 64, n: 64, f16: 11_046, f8: 5670 },
  { rows: 256, k: 64, n: 64, f16: 19_238, f8: 9766 },
  { rows: 128, k: 128, n: 128, f16: 43_302, f8: 21_798 },
  { rows: 81, k: 80, n: 80, f16: 12_402 },
  { rows: 184, k: 288, n: 48, f16: 48_654 },
  { rows: 182, k: 288, n: 48, f16: 48_180 },
  { rows: 184, k: 288, n: 32, f16: 32_538 },
  { rows: 146, k: 576, n: 32, f16: 53_718 },
  { rows: 120, k: 80, n: 272, f16: 55_344 },
];
const GEMM_F8_POINTS = [
  { rows: 244, k: 128, n: 64, cycles: 18_576 },
  { rows: 82, k: 192, n: 160, cycles: 29_508 },
  { rows: 122, k: 160, n: 128, cycles: 26_232 },
  { rows: 146, k: 96, n: 48, cycles: 7122 },
  { rows: 56, k: 128, n: 80, cycles: 8076 },
] as const;

/** Kernels of the card's measurements whose code no description tells. */
const UNDESCRIBED: readonly (readonly [kernel: string, size: string, cycles: number])[] = [
  ['reduction', 'n2208 p4', 4974],
  ['reduction', 'n576 p15', 3090],
  ['GeLU', '2208', 10_956],
  ['softmax whole row', '1 x 768', 12_258],
  ['layernorm', '1 x 1152', 6732],
  ['cast f16 to f8', '8320 elements', 2706],
];

const LIMIT = 0.05;

function explained(measured: number, described: number, reason: string): string {
  return Math.abs(described / measured - 1) > LIMIT ? reason : '';
}

const SMALL =
  'one or few short launches: 294 of the measured cycles are a fixed cost fitted over larger sizes';

/** All points, in the order of the page. */
export async function measurePoints(): Promise<readonly PointRow[]> {
  const rows: PointRow[] = [];
  const gemm = async (
    type: 'f16' | 'f8',
    point: { rows: number; k: number; n: number },
    measured: number,
  ) => {
    const groups = Math.ceil(point.k / (type === 'f16' ? 16 : 32));
    const panels = Math.ceil(point.n / 16);
    const described = await describedGemm(point.rows, groups, panels);
    rows.push({
      kernel: `GEMM ${type}`,
      size: `${point.rows} rows, K ${point.k}, N ${point.n}`,
      measured,
      described,
      own: gemmKernelCycles({ rows: point.rows, panels, groups }),
      why: explained(measured, described, SMALL),
    });
  };
  for (const point of GEMM_POINTS) await gemm('f16', point, point.f16);
  for (const point of GEMM_POINTS) if (point.f8 !== undefined) await gemm('f8', point, point.f8);
  for (const point of GEMM_F8_POINTS) await gemm('f8', point, point.cycles);
  const copy = await describedCopy(8192);
  rows.push({
    kernel: 'local copy',
    size: '8 KiB to region 1',
    measured: 1308,
    described: copy,
    own: undefined,
    why: explained(1308, copy, SMALL),
  });
  for (const [kernel, size, measured] of UNDESCRIBED)
    rows.push({
      kernel,
      size,
      measured,
      described: undefined,
      own: undefined,
      why: 'no description tells the code',
    });
  return rows;
}

const percent = (part: number, whole: number): string => `${(100 * (part / whole - 1)).toFixed(1)} %`;

/** The page of the docs. */
export function pointsPage(rows: readonly PointRow[]): string {
  const number = (value: number | undefined) => (value === undefined ? '-' : value.toLocaleString('en'));
  const lines = rows.map(
    ({ kernel, size, measured, described, own, why }) =>
      `| ${kernel} | ${size} | ${number(measured)} | ${number(described)} | ${described === undefined ? '-' : percent(described, measured)} | ${number(own)} | ${why} |`,
  );
  return [
    '# Kernel points: simulated cycles beside the card',
    '',
    'Measured: tile cycles on a C600, call included, or fits of such measurements. Described: a kernel with the issues that',
    'the public description counts, run on the simulated tile; it checks launches, barriers, coefficient loads and the barrel,',
    "not values. Own: the cycle formula of this compiler's kernel for the same work, itself checked against the simulator.",
    'Generated by `BLESS=1 npx vitest run suites/kernels/points`; the test fails when it is not current.',
    '',
    '| Kernel | Size | Measured | Described, simulated | Difference | Own kernel | Why it differs by more than 5 % |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}
