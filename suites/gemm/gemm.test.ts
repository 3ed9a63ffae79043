import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OracleError } from '../../golden/errors.ts';
import type { GemmRounding } from '../../golden/gemm.ts';
import { UsageError } from '../../harness/case/index.ts';
import { decodeHalf, FILL_NAMES, wordStream } from '../../harness/fill/index.ts';
import { judgeCase } from '../../harness/judge/index.ts';
import type { CompiledCase, PreparedCase, Tensor } from '../../harness/ports.ts';
import { emulateGemm } from './emulate.ts';
import { type GemmProblem, gemmHelp, gemmOperation } from './index.ts';
import { gemmGrammar } from './problem.ts';

/** K pieces of a stand-in plan: whole groups of 16, as many pieces as the tiles suggest. */
function pieces({ k, tiles, plan }: GemmProblem): [number, number][] {
  const groups = Math.ceil(k / 16);
  const wanted = plan === undefined ? Math.ceil(Math.sqrt(tiles)) : Number(plan.split('x')[2]);
  const count = Math.min(groups, wanted);
  const bounds = Array.from({ length: count + 1 }, (_, at) =>
    Math.min(k, 16 * Math.floor((at * groups) / count)),
  );
  return bounds.slice(1).map((end, at) => [bounds[at], end]);
}

function roundingOf(problem: GemmProblem): GemmRounding {
  const kPieces = pieces(problem);
  return {
    kind: 'gemm-f16-partials',
    microK: 16,
    kPieces,
    partial: 'f16',
    reduce: 'f32-sum',
    out: 'f16',
    overflow: 'saturate',
  };
}

/** A compiled case that carries nothing but its rounding model. */
function standIn(problem: GemmProblem, rounding: unknown = roundingOf(problem)): CompiledCase {
  const never = () => {
    throw new Error('not part of this test');
  };
  return {
    packageBytes: new Uint8Array(0),
    digest: '',
    report: {
      plan: '',
      tilesRequested: problem.tiles,
      tilesActive: problem.tiles,
      steps: [],
      modelCycles: 0,
      sramBytes: 0,
      sramCapacity: 0,
      codeBytes: 0,
      memoryMap: [],
      rounding,
    },
    stageMilliseconds: {},
    pack: never,
    unpack: never,
    locate: () => undefined,
    listing: never,
  };
}

const operation = gemmOperation((problem) => standIn(problem));

function operandsOf(prepared: PreparedCase) {
  const [a, b] = prepared.inputs;
  return { m: a.shape[0], k: a.shape[1], n: b.shape[1], a: a.data as Uint16Array, b: b.data as Uint16Array };
}

/** Judges what an obedient device would return. */
function judgeEmulated(line: string, shuffleSeed?: bigint) {
  const prepared = operation.prepare(line);
  const compiled = prepared.compile();
  const operands = operandsOf(prepared);
  const words = wordStream(shuffleSeed ?? 0n);
  const shuffle = (terms: Float64Array, element: number, step: number) => {
    for (let last = terms.length - 1; last > 0; last--) {
      const other = words((element * 4096 + step) * 64 + last) % (last + 1);
      [terms[last], terms[other]] = [terms[other], terms[last]];
    }
  };
  const data = emulateGemm(
    operands,
    compiled.report.rounding as GemmRounding,
    shuffleSeed === undefined ? {} : { shuffle },
  );
  const tensor: Tensor = { name: 'c', dtype: 'f16', shape: [operands.m, operands.n], data };
  return judgeCase(prepared.reference(compiled), [{ tensor, covered: data.length, padding: [] }]);
}

describe('case lines', () => {
  test('defaults are spelled out in the canonical line', () => {
    expect(operation.canonical('gemm/m=7,k=5,n=3')).toBe(
      'gemm/m=7,k=5,n=3,in=f16,acc=f16,out=f16,tiles=1,fill=normal,seed=0',
    );
    expect(operation.canonical('gemm/plan=2x1x1,tiles=4,n=3,k=5,m=7,fill=int')).toBe(
      'gemm/m=7,k=5,n=3,in=f16,acc=f16,out=f16,tiles=4,fill=int,seed=0,plan=2x1x1',
    );
  });

  test('every valid problem survives print and parse', () => {
    const arbitrary = fc.record({
      m: fc.integer({ min: 1, max: 4096 }),
      k: fc.integer({ min: 1, max: 4096 }),
      n: fc.integer({ min: 1, max: 4096 }),
      in: fc.constant('f16' as const),
      acc: fc.constantFrom('f16' as const, 'f32' as const),
      out: fc.constant('f16' as const),
      tiles: fc.integer({ min: 1, max: 1472 }),
      fill: fc.constantFrom(...FILL_NAMES),
      seed: fc.maxSafeNat(),
    });
    fc.assert(
      fc.property(arbitrary, (problem) => {
        expect(gemmGrammar.parse(gemmGrammar.print(problem))).toEqual(problem);
      }),
    );
  });

  test.each([
    ['gemm/m=7,k=5,n=3,tiles=0', /tiles=0 is out of range; allowed: integer 1\.\.1472/],
    ['gemm/m=7,k=5,n=3,tiles=1473', /tiles=1473 is out of range/],
    ['gemm/m=0,k=5,n=3', /m=0 is out of range; allowed: integer 1\.\.65536/],
    ['gemm/m=7,k=5,n=70000', /n=70000 is out of range/],
    ['gemm/m=65536,k=65536,n=1', /A has 4294967296 elements \(65536 x 65536\); allowed: at most 16777216/],
    ['gemm/m=7,k=5,n=3,fill=gauss', /fill=gauss is not a known word; allowed: int \| normal/],
    ['gemm/m=7,k=5,n=3,in=f8', /in=f8 is not a known word; allowed: f16/],
    ['gemm/m=7,k=5,n=3,seed=9007199254740993', /seed=9007199254740993 is out of range/],
    ['gemm/m=7,k=5,n=3,tiles=5,plan=2x3x1', /plan=2x3x1 needs 6 tiles, tiles=5 allows fewer/],
    ['gemm/m=7,k=5,n=3,plan=2x3', /plan=2x3 has the wrong form; allowed: ROWSxCOLUMNSxINNER/],
    ['gemm/m=7,n=3', /key k is missing/],
  ])('%s is refused', (line, message) => {
    expect(() => operation.prepare(line)).toThrow(UsageError);
    expect(() => operation.prepare(line)).toThrow(message);
  });

  test('help lists every key', () => {
    for (const key of ['m', 'k', 'n', 'in', 'acc', 'out', 'tiles', 'fill', 'seed', 'plan']) {
      expect(gemmHelp()).toMatch(new RegExp(`^ {2}${key} `, 'm'));
    }
  });
});

describe('preparation', () => {
  test('inputs depend on the canonical line, per tensor', () => {
    const inputs = (line: string) => operation.prepare(line).inputs.map((tensor) => tensor.data);
    const line = 'gemm/m=8,k=9,n=10';
    expect(inputs('gemm/n=10,k=9,m=8,tiles=1')).toEqual(inputs(line));
    expect(inputs(`${line},seed=1`)[0]).not.toEqual(inputs(line)[0]);
    const [a, b] = inputs('gemm/m=64,k=8,n=64');
    expect(a.subarray(0, 64)).not.toEqual(b.subarray(0, 64));
    expect(operation.prepare(line)).toMatchObject({
      line: operation.canonical(line),
      cost: 2 * 8 * 9 * 10,
      seeds: { a: expect.stringMatching(/^0x[0-9a-f]{16}$/), b: expect.stringMatching(/^0x[0-9a-f]{16}$/) },
      inputs: [
        { name: 'a', dtype: 'f16', shape: [8, 9] },
        { name: 'b', dtype: 'f16', shape: [9, 10] },
      ],
    });
  });

  test('the compiler sees the problem without its inputs', () => {
    const seen: GemmProblem[] = [];
    const spying = gemmOperation((problem) => {
      seen.push(problem);
      return standIn(problem);
    });
    spying.prepare('gemm/m=8,k=9,n=10,tiles=6,plan=2x1x1,fill=int,seed=4').compile();
    expect(seen).toEqual([{ m: 8, k: 9, n: 10, in: 'f16', acc: 'f16', out: 'f16', tiles: 6, plan: '2x1x1' }]);
  });

  test('acc=f32 is unsupported, with a reason', () => {
    const prepared = operation.prepare('gemm/m=8,k=9,n=10,acc=f32');
    expect(() => prepared.compile()).toThrow(
      expect.objectContaining({ verdict: 'unsupported', stage: 'problem', advice: 'Use acc=f16.' }),
    );
  });

  test('a rounding model the oracle does not know is refused', () => {
    const prepared = operation.prepare('gemm/m=8,k=9,n=10');
    const problem = gemmGrammar.parse(prepared.line);
    for (const rounding of [null, {}, { ...roundingOf(problem), kPieces: [[0, 8]] }]) {
      expect(() => prepared.reference(standIn(problem, rounding))).toThrow(OracleError);
    }
  });
});

describe('right results', () => {
  test.each(FILL_NAMES)('%s passes in any order of additions', (fill) => {
    const shape = fill === 'subnormal' ? 'm=24,k=64,n=40' : 'm=24,k=200,n=40';
    for (const seed of [1, 2, 3]) {
      const line = `gemm/${shape},tiles=4,fill=${fill},seed=${seed}`;
      const judged = judgeEmulated(line, BigInt(seed));
      expect(judged).toMatchObject({ verdict: 'passed', reasons: [] });
      expect(judged.outputs[0].metrics?.alarms).toBe(0);
    }
  });

  test('random problems with random orders pass', () => {
    const dimension = fc.integer({ min: 1, max: 40 });
    const problem = fc.record({
      m: dimension,
      k: fc.integer({ min: 1, max: 120 }),
      n: dimension,
      tiles: fc.integer({ min: 1, max: 40 }),
      fill: fc.constantFrom(...FILL_NAMES),
      seed: fc.nat(1e6),
    });
    fc.assert(
      fc.property(problem, ({ m, k, n, tiles, fill, seed }) => {
        const line = `gemm/m=${m},k=${k},n=${n},tiles=${tiles},fill=${fill},seed=${seed}`;
        const { verdict, reasons } = judgeEmulated(line, BigInt(seed));
        // tiny results can be constant or vanish within their bound, which is mistrust and no failure
        expect(['passed', 'mistrusted'], reasons.join()).toContain(verdict);
      }),
      { numRuns: 150 },
    );
  });

  test.each(['smoke', 'ci'])('every small case of %s is judged passed, none mistrusted', (tier) => {
    const small = operation.tier(tier).filter((line) => {
      const { m, k, n, fill } = gemmGrammar.parse(line);
      return m * k * n < (fill === 'normal' ? 100_000 : 30_000);
    });
    expect(small.length).toBeGreaterThan(30);
    const others = small.flatMap((line) => {
      const { verdict, reasons } = judgeEmulated(line);
      return verdict === 'passed' ? [] : [`${line}: ${reasons.join()}`];
    });
    expect(others).toEqual([]);
  });

  test('a wrong value of the signature fill names where it came from', () => {
    const prepared = operation.prepare('gemm/m=20,k=12,n=30,fill=onehot');
    const compiled = prepared.compile();
    const [reference] = prepared.reference(compiled);
    const operands = operandsOf(prepared);
    const origin = (k: number, n: number, sign: number) =>
      reference.originOf?.(sign * decodeHalf(operands.b[k * 30 + n]));
    expect(origin(7, 11, 1)).toBe('b[7,11]');
    expect(origin(7, 11, -1)).toContain('-b[7,11]');
    expect(reference.originOf?.(0)).toBeUndefined();
  });
});
