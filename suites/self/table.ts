import type { PlantedDefect } from './defect.ts';
import type { DefectOutcome } from './run.ts';

/** The table of docs/planted-defects.md. Outcomes stand in the order of the defects. */
export function defectTable(defects: readonly PlantedDefect[], outcomes: readonly DefectOutcome[]): string {
  const rows = defects.map(({ name, layer, imitates, location }, index) => {
    const { verdict, by, localised } = outcomes[index];
    const place = location === undefined ? '-' : `${localised ? '' : 'NOT '}${location.text}`;
    return `| ${name} | ${layer} | ${imitates} | ${verdict} | ${by} | ${place} |`;
  });
  const rated = outcomes.filter(({ localised }) => localised !== undefined);
  const found = rated.filter(({ localised }) => localised).length;
  const caught = outcomes.filter((outcome) => outcome.caught).length;
  return [
    '# Planted defects',
    '',
    'Each defect is planted in sound GEMM cases, which then must end with another verdict than `passed`. Package and',
    'schedule defects change decoded and re-encoded machine words in the tile images of the package; the compiler',
    'knows nothing of them. "Localised" names what the report must point at: the output block, tile, worker, rows or',
    'columns that the damaged part works on, the tile of a fault, or the pattern that the judge guesses.',
    '',
    'A missing barrier for the workers is planted where tiles have fewer rows than workers. Elsewhere it changes nothing:',
    'the supervisor gets no issue slot while all six workers run, and workers with as many rows end together.',
    '',
    'A row of several verdicts comes from several cases. `npx vitest run suites/self` checks this page,',
    '`BLESS=1 npx vitest run suites/self` rewrites it.',
    '',
    `${caught} of ${outcomes.length} caught; ${found} of ${outcomes.length} localised.`,
    '',
    '| Defect | Layer | Imitates | Verdict | Noticed by | Localised |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
