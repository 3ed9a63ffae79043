import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultRecord, RunListener } from '../harness/record/index.ts';
import { caseFields } from './case-fields.ts';
import { FIGURES, figuresOf } from './figures.ts';

/** `results.csv`: one row per planned case, one column per key of the case lines and per figure. */
export function csvReport(): RunListener {
  return {
    name: 'csv',
    async onEnd({ directory, records }) {
      const path = join(directory.path, 'results.csv');
      writeFileSync(path, csvText(records));
      return path;
    },
  };
}

/** RFC 4180 text with a heading. */
export function csvText(records: readonly ResultRecord[]): string {
  const keys = [...new Set(records.flatMap((record) => caseFields(record.case).map(([key]) => key)))];
  const heading = [
    'case',
    'operation',
    'verdict',
    'reason',
    ...keys,
    ...FIGURES,
    'package_sha256',
    'device',
    'plan',
  ];
  const rows = records.map((record) => {
    const fields = new Map(caseFields(record.case));
    const figures = new Map(figuresOf(record));
    const { device } = record;
    return [
      record.case,
      record.operation,
      record.verdict,
      record.reason,
      ...keys.map((key) => fields.get(key) ?? ''),
      ...FIGURES.map((name) => figures.get(name) ?? ''),
      record.package?.sha256 ?? '',
      device === undefined ? '' : `${device.kind} ${device.model}`,
      record.compile?.plan ?? '',
    ];
  });
  return [heading, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
