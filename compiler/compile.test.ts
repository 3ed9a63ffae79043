import { describe, expect, it } from 'vitest';
import { CompileError, type CompileOptions, compile, type ElementType, GraphBuilder } from './index.ts';

function graphOf(m: number, k: number, n: number, type: ElementType = 'f16', partials: ElementType = 'f16') {
  const builder = new GraphBuilder();
  const a = builder.input('a', type, [m, k]);
  const b = builder.input('b', type, [k, n]);
  builder.output(builder.gemm('c', a, b, type, partials));
  return builder.build();
}

function failure(work: () => unknown): CompileError {
  try {
    work();
  } catch (error) {
    if (error instanceof CompileError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('compile', () => {
  it('is byte-identical for equal input', () => {
    const options = { tiles: 12, plan: '2x3x2' };
    const first = compile(graphOf(37, 100, 69), options);
    const second = compile(graphOf(37, 100, 69), options);
    expect(second.packageBytes).toEqual(first.packageBytes);
    expect(second.digest).toBe(first.digest);
    expect(second.report).toEqual(first.report);
  });

  it('reports horizon and endpoint bound of every exchange, the first never below the second', () => {
    const { report } = compile(graphOf(37, 100, 69), { tiles: 12, plan: '2x3x2' });
    const phases = report.steps.filter((step) => step.kind === 'exchange');
    expect(phases.map((step) => step.name)).toEqual(['operands', 'partials']);
    for (const phase of phases) expect(phase.horizon).toBeGreaterThan(phase.endpointBound as number);
  });

  it('declares its rounding: f16 after every 16 inner values, K pieces in order', () => {
    const { rounding } = compile(graphOf(8, 100, 16), { tiles: 3, plan: '1x1x3' });
    expect(rounding).toMatchObject({
      microK: 16,
      kPieces: [
        [0, 48],
        [48, 80],
        [80, 100],
      ],
    });
  });

  it('has an image for every tile asked for, idle ones too', () => {
    const compiled = compile(graphOf(5, 16, 16), { tiles: 9, plan: '2x1x1' });
    expect(compiled.listing(8)).toMatch(/sans 0/);
    expect(() => compiled.listing(9)).toThrow(RangeError);
  });

  it.each<[CompileOptions['tiles']]>([[0], [-1], [1473], [1.5], [Number.NaN]])(
    'refuses tiles=%s',
    (tiles) => {
      const error = failure(() => compile(graphOf(4, 4, 4), { tiles }));
      expect(error.stage).toBe('plan');
      expect(error.advice).toMatch(/1 to 1472/);
    },
  );

  it.each([[0], [-4], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'refuses a dimension of %s',
    (extent) => {
      expect(failure(() => graphOf(4, extent, 4)).message).toMatch(/not a positive integer/);
    },
  );

  it('refuses operands that do not multiply', () => {
    const builder = new GraphBuilder();
    const a = builder.input('a', 'f16', [4, 5]);
    const b = builder.input('b', 'f16', [6, 4]);
    expect(failure(() => builder.gemm('c', a, b, 'f16', 'f16')).message).toMatch(
      /4x5 and 6x4 do not multiply/,
    );
  });

  it('calls unknown types unsupported, not an error', () => {
    expect(failure(() => compile(graphOf(4, 4, 4, 'f32'), { tiles: 1 })).verdict).toBe('unsupported');
    expect(failure(() => compile(graphOf(4, 4, 4, 'f16', 'f32'), { tiles: 1 })).verdict).toBe('unsupported');
  });

  it('names stage, tile, demand and capacity when a pinned plan does not fit', () => {
    const error = failure(() => compile(graphOf(700, 700, 700), { tiles: 1, plan: '1x1x1' }));
    expect(error.verdict).toBe('compile-error');
    expect(error.stage).toBe('place');
    expect(error.tile).toBe(0);
    expect(error.facts.demand).toBeGreaterThan(error.facts.capacity as number);
    expect(error.advice).toMatch(/Pin a grid with more parts/);
  });

  it.each([
    [1, 65_536, 3],
    [65_536, 1, 3],
    [1024, 1024, 1024],
  ])('names a number of tiles that really does for %i x %i x %i', (m, k, n) => {
    const { advice } = failure(() => compile(graphOf(m, k, n), { tiles: 1 }));
    const tiles = Number(/use tiles=(\d+)/.exec(advice)?.[1]);
    expect(() => compile(graphOf(m, k, n), { tiles })).not.toThrow();
  });
});
