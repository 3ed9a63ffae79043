#!/usr/bin/env node
/**
 * Code generator plug-in for `capnp compile`: runs capnpc-ts 0.7.0 on the request from standard input and
 * rewrites the TypeScript it leaves for capnp-ts 0.9.3 and for this project's compiler settings:
 *
 * - setters of fields with a default value apply the default's mask (capnpc-ts only does so in getters, so a
 *   written value would be read back XOR the default);
 * - 64-bit integers are `bigint`, as in the runtime;
 * - enums become constant objects (wire values outside the enum are possible, hence `number`);
 * - relative imports name the `.ts` file and import only what is used; overriding methods say so.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { run } = createRequire(import.meta.url)('capnpc-ts');
const context = await run();
for (const { tsPath } of context.files) writeFileSync(tsPath, rewrite(readFileSync(tsPath, 'utf8'), tsPath));

function rewrite(source, path) {
  const masks = new Set(
    [...source.matchAll(/\bdefault(\w+): capnp\.get\w+Mask\(/g)].map((found) => found[1]),
  );
  let className = '';
  let patched = 0;
  const lines = source.split('\n').map((line) => {
    const opening = /^export class (\w+) /.exec(line);
    if (opening) className = opening[1];
    const setter = /^( +set(\w+)\(.*)(, this\); })$/.exec(line);
    if (!setter || !masks.has(setter[2])) return line;
    patched += 1;
    return `${setter[1]}, this, ${className}._capnp.default${setter[2]}); }`;
  });
  if (patched !== masks.size)
    throw new Error(`${path}: ${masks.size} defaults, but ${patched} setters patched`);
  const text = lines
    .join('\n')
    .replace(/^\/\* tslint:disable \*\/\n+/, '')
    .replace(/capnp\.Uint64/g, 'bigint')
    .replace(/^ {4}static readonly _capnp/gm, '    static override readonly _capnp')
    .replace(/^ {4}toString\(\)/gm, '    override toString()')
    .replace(/^export enum (\w+) \{\n([^}]*)\}/gm, (_, name, body) => constants(name, body));
  return text.replace(/^import \{ ([^}]+) \} from "(\.\/[\w.-]+)\.js";\n/gm, (line, names, file) => {
    const rest = text.replace(line, '');
    const used = names.split(', ').filter((name) => new RegExp(`\\b${name}\\b`).test(rest));
    return used.length === 0 ? '' : `import { ${used.join(', ')} } from "${file}.ts";\n`;
  });
}

function constants(name, body) {
  const members = body.split(',').map((member, value) => `    ${member.trim()}: ${value}`);
  return `export const ${name} = {\n${members.join(',\n')}\n} as const;\nexport type ${name} = number;`;
}
