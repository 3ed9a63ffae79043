import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assemble } from '../../compiler/assembler/text/index.ts';
import { readElf } from '../../compiler/object/index.ts';
import { UsageError } from '../../harness/case/index.ts';
import { gemm } from '../gemm/operation.ts';
import { blocksOf } from './blocks.ts';
import { buildKernel } from './build.ts';
import { checkKernel } from './check.ts';
import { workbench } from './commands.ts';
import { compareElements } from './compare.ts';
import { writeElements } from './elements.ts';
import { numberOf } from './expectation.ts';
import { runKernelCase } from './runCase.ts';
import { parseSpec } from './spec.ts';

const examples = fileURLToPath(new URL('./examples/', import.meta.url));
const example = (file: string) => readFileSync(join(examples, file), 'utf8');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'workbench-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** What is wrong with an example kernel after a change of its source, its spec, or both. */
async function verdict(
  kernel: 'scale_f16' | 'row_sum_f32',
  change: { source?: readonly [string, string]; spec?: (spec: Record<string, unknown>) => void },
): Promise<string> {
  const source = example(`${kernel}.S`);
  const [from, to] = change.source ?? ['', ''];
  if (!source.includes(from)) throw new Error(`the source has no ${from}`);
  write(`${kernel}.S`, source.replace(from, to));
  const json = JSON.parse(example(`${kernel}.json`));
  json.cases = 8;
  change.spec?.(json);
  const answer = await workbench.kernel({ spec: write(`${kernel}.json`, JSON.stringify(json)) });
  return `${answer.exitCode} ${answer.text}`;
}

describe('planted defects of a kernel', () => {
  it.each([
    ['the wrong factor', 'f16v4mul $a2:3, $alpha:BL, $a0:1', 'f16v4mul $a2:3, $a0:BL, $a0:1', /out: \d+ of/],
    [
      'the product of the vector before',
      'f16v4mul $a2:3, $alpha:BL, $a0:1',
      'f16v4mul $a2:3, $alpha:BL, $a2:3',
      /out: \d+ of \d+ elements wrong/,
    ],
    ['the last vector left out', 'add     $count, $count, (1 << LOG2_VECTOR) - 1', 'nop', /never written/],
    [
      'one worker left out',
      '  add     $count, $count, CTXT_WORKERS - 1',
      '  add     $count, $count, CTXT_WORKERS - 2',
      /never written/,
    ],
    [
      'a vector too many',
      '  add     $count, $count, CTXT_WORKERS - 1',
      '  add     $count, $count, CTXT_WORKERS',
      /written outside the outputs/,
    ],
    [
      'stores five vectors on',
      'st64step $a2:3, $mzero, $out+=, CTXT_WORKERS',
      'st64step $a2:3, $mzero, $out+=, 5',
      /wrong/,
    ],
    [
      'loads that stay',
      'ld64step $a0:1, $mzero, $x+=, CTXT_WORKERS\n    f16v4mul',
      'ld64step $a0:1, $mzero, $x+=, 0\n    f16v4mul',
      /wrong/,
    ],
    [
      'results over the input',
      'add     $out, $out, $worker',
      'mov     $out, $x',
      /written outside the outputs[\s\S]*start of x/,
    ],
    [
      'two adds for one product',
      'f16v4mul $a2:3, $alpha:BL, $a0:1',
      'f16v4add $a2:3, $a0:1, $a0:1',
      /steps of f16/,
    ],
    ['a bundle more in the loop', '2:\n', '{ nop ; fnop }\n2:\n', /tile cycles, \d+ are allowed/],
    [
      'a misaligned store',
      'ld32    $out, $mvertex_base, 0',
      'ld32    $out, $mvertex_base, 2',
      /INVALID_ADDR/,
    ],
    ['no end', 'exitz   $mzero', 'bri .Ldone', /limit/],
    ['an instruction of the supervisor', 'nop     //', 'sync 2     //', /does not run in worker code/],
  ] as const)('%s', async (_name, from, to, message) => {
    const text = await verdict('scale_f16', { source: [from, to] });
    expect(text).toMatch(/^1 /);
    expect(text).toMatch(message);
  });

  it.each([
    ['a row too many', 'cmpult  $m5, $m6, $m2', 'cmpult  $m5, $m2, $m6', /INVALID_ADDR/],
    ['sums that go on', '  zero    $a0\n', '  nop\n', /wrong/],
    ['no wait for the workers', '  sync    TEXCH_SYNCZONE_LOCAL\n', '', /does not wait for them/],
    ['a lost return address', 'br      $lr', 'br      $m9', /pc|fault|limit/i],
  ] as const)('%s', async (_name, from, to, message) => {
    const text = await verdict('row_sum_f32', { source: [from, to] });
    expect(text).toMatch(/^1 /);
    expect(text).toMatch(message);
  });

  it('a wrong expectation is shrunk to the smallest sizes', async () => {
    const text = await verdict('scale_f16', {
      spec: (spec) => {
        spec.expect = { out: 'alpha * x + (n > 9)' };
      },
    });
    expect(text).toMatch(/FAILED kernel\/scale_f16,n=10 /);
    expect(text).toMatch(/again: ipu-verify kernel .*--case n=10/);
  });

  it('the examples themselves hold', async () => {
    expect(await verdict('scale_f16', {})).toMatch(/^0 /);
    expect(await verdict('row_sum_f32', {})).toMatch(/^0 /);
  });
});

describe('specs', () => {
  const base = () => JSON.parse(example('scale_f16.json'));
  it.each([
    ['no JSON', '{', /no JSON/],
    ['an unknown key', { frob: 1 }, /Unrecognized key/],
    [
      'a type that is none',
      { arguments: [{ name: 'out', kind: 'output', type: 'f64', shape: [1] }] },
      /arguments\.0\.type/,
    ],
    ['a name twice', { arguments: [...base().arguments, base().arguments[0]] }, /out is named twice/],
    ['no output', { arguments: base().arguments.slice(1), expect: {} }, /has no output/],
    ['nothing expected', { expect: {} }, /nothing is expected of out/],
    ['an expectation for an input', { expect: { out: 'x', x: 'x' } }, /x is no output/],
    ['a negative size', { sizes: { n: -1 } }, /sizes/],
    ['a context that is none', { context: 'host' }, /context/],
  ])('%s', (_name, change, message) => {
    const text = typeof change === 'string' ? change : JSON.stringify({ ...base(), ...change });
    expect(() => parseSpec(text, 'spec.json')).toThrow(UsageError);
    expect(() => parseSpec(text, 'spec.json')).toThrow(message);
  });

  it.each([
    ['an expectation of another shape', { expect: { out: 'sum(x)' } }, /no array|shape/],
    ['an expectation that is no expression', { expect: { out: 'alpha *' } }, /expect\.out/],
    ['an expectation of an unknown name', { expect: { out: 'beta * x' } }, /beta/],
    ['an array beyond its memory', { sizes: { n: 100_000 } }, /standard memory ends/],
    [
      'half an element',
      {
        arguments: base().arguments.map((one: object) => ({
          ...one,
          ...('shape' in one ? { shape: ['n / 2'] } : {}),
        })),
        sizes: { n: 3 },
      },
      /shape\[0\] is 1\.5/,
    ],
    ['a source that is not there', { source: 'gone.S' }, /cannot be read/],
    ['an empty range', { sizes: { n: { min: 5, max: 7, multipleOf: 4 } } }, /no multiple of 4/],
  ])('%s', async (_name, change, message) => {
    const spec = parseSpec(JSON.stringify({ ...base(), ...change }), join(examples, 'spec.json'));
    await expect(async () => checkKernel(spec, buildKernel(spec))).rejects.toThrow(message);
  });

  it('cannot reach into the evaluator', () => {
    expect(() => numberOf('import({a: 1})', 'x', new Map())).toThrow(UsageError);
    expect(() => numberOf('evaluate("1")', 'x', new Map())).toThrow(UsageError);
  });
});

describe('comparison', () => {
  const compare = (
    found: readonly number[],
    expected: readonly number[],
    ulp = 0,
    before = found.map(() => 7),
  ) =>
    compareElements(
      'f16',
      [found.length],
      writeElements('f16', found),
      Float64Array.from(expected),
      { ulp, absolute: 0 },
      writeElements('f16', before),
    );

  it.each([
    ['equal', [1, 2], [1, 2], 0, 0],
    ['one step', [1 + 2 ** -10], [1], 0, 1],
    ['one step, allowed', [1 + 2 ** -10], [1], 1, 0],
    ['two steps, one allowed', [1 + 2 ** -9], [1], 1, 1],
    ['not a number', [Number.NaN], [1], 5, 1],
    ['not a number, expected', [Number.NaN], [Number.NaN], 0, 0],
    ['a number where none is expected', [1], [Number.NaN], 5, 1],
    ['infinity', [Number.POSITIVE_INFINITY], [65504], 5, 1],
    ['the other infinity', [Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY], 5, 1],
    ['a reference that rounds', [1], [1 + 2 ** -12], 0, 0],
    ['a reference that rounds to even', [1], [1 + 2 ** -11], 0, 0],
    ['both zeros', [-0], [0], 0, 0],
    ['the smallest subnormal', [2 ** -24], [0], 0, 1],
  ] as const)('%s', (_name, found, expected, ulp, wrong) => {
    expect(compare(found, expected, ulp).wrong).toBe(wrong);
  });

  it('tells what nobody wrote', () => {
    expect(compare([7, 1, 3], [1, 1, 1])).toMatchObject({ wrong: 2, unwritten: 1 });
  });
});

describe('cycles of blocks', () => {
  it('are those that the simulated tile takes', async () => {
    const path = write(
      'straight.S',
      '.globl k\n.worker\nk: ld32 $m0, $mvertex_base, 0\n ld32 $a0, $mvertex_base, 1\n f32exp $a0, $a0\n f32add $a0, $a0, $a0\n f32sqrt $a0, $a0\n st32 $a0, $m0, 0\n exitz $mzero\n',
    );
    const spec = parseSpec(
      JSON.stringify({
        source: path,
        entry: 'k',
        context: 'worker',
        arguments: [
          { name: 'out', kind: 'output', type: 'f32', shape: [1] },
          { name: 'v', kind: 'scalar', type: 'f32', value: 0.5 },
        ],
        expect: { out: 'sqrt(2 * exp(v))' },
        tolerance: { ulp: 4 },
      }),
      join(folder, 'straight.json'),
    );
    const kernel = buildKernel(spec);
    const [block] = blocksOf(kernel.assembled[0]);
    const { activity, failures } = await runKernelCase(spec, kernel, {});
    expect(failures).toEqual([]);
    expect(block.cycles).toBe(13);
    for (const { cycles } of activity.contexts.slice(1)) expect(cycles).toBe(6 * block.cycles);
  });

  it('of the supervisor wait for operands', async () => {
    const source =
      '.globl s\n.supervisor\ns: setzi $m0, 5\n add $m0, $m0, 1\n add $m1, $m3, 1\n st32 $m0, $m2, 0\n br $lr\n';
    const spec = parseSpec(
      JSON.stringify({
        source: write('super.S', source),
        entry: 's',
        context: 'supervisor',
        arguments: [{ name: 'out', kind: 'output', type: 'u32', shape: [1] }],
        expect: { out: '6' },
      }),
      join(folder, 'super.json'),
    );
    const kernel = buildKernel(spec);
    const [block] = blocksOf(kernel.assembled[0]);
    const { activity, failures } = await runKernelCase(spec, kernel, {});
    expect(failures).toEqual([]);
    // The call that leads here takes six cycles of its own.
    expect(activity.cycles).toBe(block.cycles + 6);
  });

  it('begin at labels, behind branches and at repeat bodies', () => {
    const source =
      '.worker\na: nop\n brz $m0, 1f\n nop\n1: nop\n nop\n rpt $m1, 0\n{ nop ; fnop }\n exitz $m0';
    const blocks = blocksOf(assemble(source, { file: 'x' }));
    expect(blocks.map(({ name, offset, repeats }) => [name, offset, repeats])).toEqual([
      ['a', 0, undefined],
      ['a+1', 8, undefined],
      ['a+2', 12, undefined],
      ['a+3', 24, '$m1'],
      ['a+4', 32, undefined],
    ]);
  });
});

describe('commands', () => {
  it('asm lists, and writes an object that disasm reads', async () => {
    const output = join(folder, 'scale.o');
    const answer = await workbench.assemble({
      file: join(examples, 'scale_f16.S'),
      defines: ['X=1', 'Y'],
      include: [],
      output,
    });
    expect(answer.exitCode).toBe(0);
    expect(answer.text).toMatch(/st64step[\s\S]*symbols[\s\S]*scale_f16 {2}global {2}function[\s\S]*x \$m2/);
    expect(readElf(readFileSync(output), 'scale.o').symbols.some(({ name }) => name === 'scale_f16')).toBe(
      true,
    );
    const listing = await workbench.disassemble({ file: output, tile: 0 });
    expect(listing.text).toMatch(
      /scale_f16:\n[\s\S]*\{ ld64step \$a0:1, \$m15, \$m1\+=, 6 ; f16v4mul \$a2:3, \$a6:BL, \$a0:1 \}/,
    );
  });

  it('a kernel may be linked from an object', async () => {
    const output = join(folder, 'from.o');
    await workbench.assemble({ file: join(examples, 'scale_f16.S'), defines: [], include: [], output });
    const spec = { ...JSON.parse(example('scale_f16.json')), source: 'from.o' };
    const answer = await workbench.kernel({ spec: write('from.json', JSON.stringify(spec)), case: 'n=33' });
    expect(answer.text).toMatch(/kernel\/scale_f16,n=33: passed/);
  });

  it('disasm prints a package with its symbols', async () => {
    const { packageBytes } = gemm.prepare('gemm/m=5,k=16,n=16').compile();
    const file = write('app.ipuexe', packageBytes);
    const { text, exitCode } = await workbench.disassemble({ file, tile: 0 });
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^tile 0 \(physical 0\)/);
    expect(text).toMatch(/gemm[\w.]*:\n/);
    expect(text).toMatch(/f16v4hihov4amp/);
    await expect(workbench.disassemble({ file, tile: 1471 })).rejects.toThrow(/no program for tile 1471/);
    const damaged = await workbench.disassemble({
      file: write('bad.ipuexe', packageBytes.slice(0, 100)),
      tile: 0,
    });
    expect(damaged.exitCode).toBe(4);
  });

  it('asm answers a bad source with its complaints and exit code 1', async () => {
    const answer = await workbench.assemble({
      file: write('bad.S', 'add $m16, 1'),
      defines: [],
      include: [],
    });
    expect(answer).toMatchObject({ exitCode: 1, text: expect.stringMatching(/bad\.S:1:5: error: .*\n/) });
  });

  it.each([
    ['a file that is not there', { file: 'gone.S', defines: [], include: [] }],
    ['a definition that is none', { file: join(examples, 'scale_f16.S'), defines: ['1x'], include: [] }],
  ])('asm refuses %s', async (_name, request) => {
    await expect(workbench.assemble(request)).rejects.toThrow(UsageError);
  });

  it.each(['m=3', 'n', 'n=-1', ''])('kernel refuses --case "%s"', async (sizes) => {
    await expect(workbench.kernel({ spec: join(examples, 'scale_f16.json'), case: sizes })).rejects.toThrow(
      UsageError,
    );
  });

  it('pictures show every context', async () => {
    const picture = join(folder, 'p.svg');
    const answer = await workbench.kernel({
      spec: join(examples, 'scale_f16.json'),
      case: 'n=40',
      timeline: true,
      picture,
    });
    expect(answer.text).toMatch(/ld64step\|f16v4mul/);
    const svg = readFileSync(picture, 'utf8');
    expect(svg.match(/<rect[^>]*><title>/g)?.length).toBe(4 * 25 + 2 * 23 + 1);
  });
});
