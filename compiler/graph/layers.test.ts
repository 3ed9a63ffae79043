import { describe, expect, it } from 'vitest';
import { CompileError } from '../errors.ts';
import { GraphBuilder } from './graph.ts';
import { layerChain } from './layers.ts';
import { verifyGraph } from './verify.ts';

const builder = () => new GraphBuilder();

describe('layerChain', () => {
  it('fuses each GEMM with the bias and the activation behind it', () => {
    const b = builder();
    const x = b.input('x', 'f16', [3, 4]);
    const [w1, b1, w2] = [
      b.input('w1', 'f16', [4, 5]),
      b.input('b1', 'f16', [5]),
      b.input('w2', 'f16', [5, 6]),
    ];
    const hidden = b.gelu('h', b.bias('z', b.gemm('p', x, w1, 'f16', 'f16'), b1));
    b.output(b.gemm('y', hidden, w2, 'f16', 'f16'));
    const graph = b.build();
    verifyGraph(graph);
    const { layers } = layerChain(graph);
    expect(
      layers.map(({ weights, bias, activation, y }) => [weights.name, bias?.name, activation, y.name]),
    ).toEqual([
      ['w1', 'b1', 'gelu-tanh', 'h'],
      ['w2', undefined, 'none', 'y'],
    ]);
  });

  it.each([
    [
      'a value used twice',
      (b: GraphBuilder) => {
        const x = b.input('x', 'f16', [3, 4]);
        const w = b.input('w', 'f16', [4, 4]);
        const p = b.gemm('p', x, w, 'f16', 'f16');
        b.output(b.gemm('q', p, w, 'f16', 'f16'));
        b.output(p);
      },
    ],
    [
      'weights that are computed',
      (b: GraphBuilder) => {
        const x = b.input('x', 'f16', [4, 4]);
        b.output(b.gemm('q', x, b.gemm('p', x, x, 'f16', 'f16'), 'f16', 'f16'));
      },
    ],
    ['an activation of an input', (b: GraphBuilder) => b.output(b.gelu('g', b.input('x', 'f16', [4, 4])))],
    ['no operation', (b: GraphBuilder) => b.output(b.input('x', 'f16', [4, 4]))],
  ])('refuses %s', (_name, write) => {
    const b = builder();
    write(b);
    expect(() => layerChain(b.build())).toThrow(CompileError);
  });

  it('a bias needs one value per column', () => {
    const b = builder();
    const x = b.input('x', 'f16', [3, 4]);
    expect(() => b.bias('z', x, b.input('b', 'f16', [3]))).toThrow(/does not fit the columns/);
  });
});
