// The house rules of ARCHITECTURE.md: who may import whom. Type-only imports count.
const room = (name) => `^${name}/`;
const only = (from, allowed, comment) => ({
  name: `${from.replace(/[/^$]/g, '-')}-arrows`,
  comment,
  severity: 'error',
  from: { path: `^${from}/`, pathNot: '\\.test\\.ts$' },
  to: {
    path: '^(harness|compiler|device|golden|suites|reports|cli\\.ts)',
    pathNot: [`^${from}/`, ...allowed.map((a) => `^${a}`)],
  },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-vague-folders',
      severity: 'error',
      from: {},
      to: { path: '/(utils|helpers|common)(/|\\.ts$)', pathNot: 'node_modules' },
    },
    only('harness', [], 'harness imports no other room'),
    only('golden', [], 'golden imports no other room'),
    only('device', [], 'device imports no other room'),
    only(
      'compiler',
      ['device/ipu21/', 'device/package/'],
      'compiler sees chip facts and the file format only',
    ),
    only('reports', ['harness/'], 'reports listen to harness records'),
    only('suites', ['harness/', 'compiler/', 'device/', 'golden/'], 'suites join the rooms per subject'),
    {
      name: 'reports-harness-types-only',
      severity: 'error',
      from: { path: room('reports'), pathNot: '\\.test\\.ts$' },
      to: { path: '^harness/', pathNot: '^harness/(ports|record/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ipu21-ground-floor',
      severity: 'error',
      from: { path: '^device/ipu21/', pathNot: '\\.test\\.ts$' },
      to: { path: '^device/', pathNot: '^device/ipu21/' },
    },
    {
      name: 'package-knows-no-machine',
      severity: 'error',
      from: { path: '^device/package/', pathNot: '\\.test\\.ts$' },
      to: { path: '^device/', pathNot: '^device/(package|ipu21)/' },
    },
    {
      name: 'nobody-imports-cli',
      severity: 'error',
      from: { path: '^(harness|compiler|device|golden|suites|reports)/' },
      to: { path: '^cli\\.ts' },
    },
    {
      name: 'golden-tests-meet-nobody',
      comment: 'even in tests golden meets only outside libraries',
      severity: 'error',
      from: { path: '^golden/' },
      to: { path: '^(harness|compiler|device|suites|reports)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '^build/'] },
    exclude: { path: ['device/simulator/engine', '^build/'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['import', 'node', 'types'],
    },
  },
};
