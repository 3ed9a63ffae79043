import type { RecordOutput } from '../harness/record/index.ts';

/** The first mismatches of an output as CSV, with logical and physical coordinates. */
export function mismatchTable({ mismatches }: RecordOutput): string {
  const labels = [...new Set(mismatches.flatMap(({ place }) => Object.keys(place?.labels ?? {})))];
  const heading = [
    'index',
    'kind',
    'observed',
    'observed code',
    'expected',
    'expected code',
    'error',
    'bound',
    'steps',
    'tile',
    'physical tile',
    'address',
    ...labels,
    'origin',
  ];
  const rows = mismatches.map((wrong) => [
    wrong.index.join(' '),
    wrong.kind,
    wrong.observed,
    wrong.observedCode,
    wrong.expected,
    wrong.expectedCode,
    wrong.error,
    wrong.bound,
    wrong.ulps,
    wrong.place?.tile ?? '',
    wrong.place?.physicalTile ?? '',
    wrong.place === undefined ? '' : `0x${wrong.place.address.toString(16)}`,
    ...labels.map((label) => wrong.place?.labels[label] ?? ''),
    (wrong.origin ?? '').replaceAll(',', ';'),
  ]);
  return [heading, ...rows].map((row) => `${row.join(',')}\n`).join('');
}
