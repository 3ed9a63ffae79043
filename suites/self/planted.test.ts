import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plantedDefects } from './defects.ts';
import { type Finding, runPlantedDefect } from './run.ts';

const DOCUMENT = new URL('../../docs/planted-defects.md', import.meta.url);
const findings: Finding[] = [];

describe('planted defects', () => {
  const untouched = { name: 'none', layer: 'results', imitates: 'nothing', cases: [], sabotage: {} } as const;
  const cases = [...new Set(plantedDefects.flatMap((defect) => defect.cases))];

  it.each(cases)('passes undamaged: %s', async (line) => {
    const finding = await runPlantedDefect(untouched, line);
    expect(finding).toMatchObject({ caught: false, by: 'passed' });
  });

  for (const defect of plantedDefects) {
    it.each(defect.cases)(`catches ${defect.name}: %s`, async (line) => {
      const finding = await runPlantedDefect(defect, line);
      findings.push(finding);
      expect(finding.caught, `${defect.name} went unnoticed in ${line}`).toBe(true);
      if (finding.localised !== undefined)
        expect(finding.localised, `patterns: ${finding.patterns.join(', ')}`).toBe(true);
    });
  }

  it('names every defect once', () => {
    const names = plantedDefects.map((defect) => defect.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(15);
  });

  it('matches docs/planted-defects.md', () => {
    const table = render(findings);
    if (process.env.BLESS === '1') writeFileSync(DOCUMENT, table);
    expect(table, 'rewrite with BLESS=1 npx vitest run suites/self').toBe(readFileSync(DOCUMENT, 'utf8'));
  });
});

function render(found: readonly Finding[]): string {
  const rows = plantedDefects.map((defect) => {
    const own = found.filter((finding) => finding.defect === defect.name);
    const by = [...new Set(own.map((finding) => finding.by))].join(', ');
    const patterns = [...new Set(own.map((finding) => finding.patterns[0] ?? '-'))].join(', ');
    return `| ${defect.name} | ${defect.layer} | ${defect.imitates} | ${by} | ${patterns} |`;
  });
  return [
    '# Planted defects',
    '',
    'Each is planted in real GEMM cases and must be caught; `npx vitest run suites/self` does it. Kernel and schedule',
    'defects are patches of machine words in the package, not of the compiler’s structures.',
    '',
    '| Defect | Layer | Imitates | Caught as | First pattern named |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
