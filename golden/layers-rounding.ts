import { OracleError } from './errors.ts';
import { type GemmRounding, parseGemmRounding } from './gemm-rounding.ts';

/** How a package rounds one layer, as its compiler declares it. */
export interface LayerRounding extends Pick<GemmRounding, 'microK' | 'kPieces'> {
  readonly bias: 'none' | 'f16-add';
  readonly activation: 'none' | 'gelu-tanh-f16';
  /** Steps of f16 that the device's tanh may be off by. */
  readonly tanhUlp: number;
  readonly out: { readonly type: 'f16' } | { readonly type: 'f8f143'; readonly scale: number };
}

const fail = (rule: string, found: unknown): never => {
  const text = String(JSON.stringify(found));
  throw new OracleError(
    `rounding model: ${rule}; found ${text}`,
    { found: text },
    'Declare a model golden knows.',
  );
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Checks a declared model against the inner extents of its layers. Throws OracleError naming the broken rule. */
export function parseLayersRounding(model: unknown, inner: readonly number[]): readonly LayerRounding[] {
  if (!isObject(model) || model.kind !== 'layers' || !Array.isArray(model.layers))
    return fail("kind must be 'layers' with a list of layers", model);
  if (model.layers.length !== inner.length)
    return fail(`there must be ${inner.length} layers`, model.layers.length);
  return model.layers.map((layer: unknown, index): LayerRounding => {
    if (!isObject(layer)) return fail('a layer must be an object', layer);
    const { microK, kPieces, partial, reduce, overflow, bias, activation, out, tanhUlp = 1 } = layer;
    const product = parseGemmRounding(
      { kind: 'gemm-f16-partials', microK, kPieces, partial, reduce, out: 'f16', overflow },
      inner[index],
    );
    if (bias !== 'none' && bias !== 'f16-add') return fail('bias must be none or f16-add', bias);
    if (activation !== 'none' && activation !== 'gelu-tanh-f16')
      return fail('activation is unknown', activation);
    if (typeof tanhUlp !== 'number' || !(tanhUlp >= 0 && tanhUlp <= 16))
      return fail('tanhUlp must be 0..16', tanhUlp);
    return {
      microK: product.microK,
      kPieces: product.kPieces,
      bias,
      activation,
      tanhUlp,
      out: parseOut(out),
    };
  });
}

function parseOut(out: unknown): LayerRounding['out'] {
  if (!isObject(out)) return fail('out must be an object', out);
  if (out.type === 'f16') return { type: 'f16' };
  const { scale } = out;
  if (out.type === 'f8f143' && typeof scale === 'number' && Number.isInteger(scale) && Math.abs(scale) <= 32)
    return { type: 'f8f143', scale };
  return fail('out must be f16, or f8f143 with an integer scale', out);
}
