import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultRecord, RunListener, RunView, Verdict } from '../harness/record/index.ts';
import { figuresOf } from './figures.ts';

/** `junit.xml`: one test case per planned case, its figures as properties. */
export function junitReport(): RunListener {
  return {
    name: 'junit',
    async onEnd(run) {
      const path = join(run.directory.path, 'junit.xml');
      writeFileSync(path, junitText(run));
      return path;
    },
  };
}

type Element = 'none' | 'failure' | 'error' | 'skipped';

/** A failure is the program's, an error kept the case from being judged. */
const ELEMENT: Readonly<Record<Verdict, Element>> = {
  passed: 'none',
  'failed-numerics': 'failure',
  'failed-contract': 'failure',
  'failed-budget': 'failure',
  mistrusted: 'failure',
  'compile-error': 'error',
  'device-fault': 'error',
  'infra-error': 'error',
  'not-run': 'error',
  unsupported: 'skipped',
  skipped: 'skipped',
  'known-failure': 'skipped',
  'unexpected-pass': 'none',
};

export function junitText({ manifest, records, summary }: RunView): string {
  const strict = manifest.options['strict'] === 'true';
  const elementOf = (record: ResultRecord): Element =>
    strict && record.verdict === 'unexpected-pass' ? 'failure' : ELEMENT[record.verdict];
  const suites = [...new Set(records.map((record) => record.operation))].sort();
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ipu-verify" ${totals(records, elementOf)} time="${(summary.seconds ?? 0).toFixed(3)}">`,
  ];
  for (const suite of suites) {
    const members = records.filter((record) => record.operation === suite);
    const seconds = members.reduce((sum, { host }) => sum + host.totalMilliseconds / 1000, 0);
    lines.push(
      `  <testsuite name="${attribute(suite)}" ${totals(members, elementOf)} time="${seconds.toFixed(3)}" timestamp="${manifest.startedAt.slice(0, 19)}">`,
      ...members.map((record) => testCase(record, elementOf(record))),
      '  </testsuite>',
    );
  }
  return `${[...lines, '</testsuites>'].join('\n')}\n`;
}

function totals(records: readonly ResultRecord[], elementOf: (record: ResultRecord) => Element): string {
  const count = (wanted: Element) => records.filter((record) => elementOf(record) === wanted).length;
  return `tests="${records.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

function testCase(record: ResultRecord, element: Element): string {
  const properties = [['verdict', record.verdict], ...figuresOf(record)].map(
    ([name, value]) => `        <property name="${attribute(name)}" value="${attribute(value)}"/>`,
  );
  const body = [...record.reasons, record.failure?.advice ?? '', record.failure?.stack ?? '', record.repro]
    .filter((text) => text !== '')
    .join('\n');
  const message = attribute(record.reason);
  const marks: Readonly<Record<Element, readonly string[]>> = {
    none: [],
    skipped: [`      <skipped message="${attribute(record.verdict)}: ${message}"/>`],
    failure: [`      <failure type="${record.verdict}" message="${message}">${content(body)}</failure>`],
    error: [`      <error type="${record.verdict}" message="${message}">${content(body)}</error>`],
  };
  return [
    `    <testcase classname="${attribute(record.operation)}" name="${attribute(record.case)}" time="${(record.host.totalMilliseconds / 1000).toFixed(3)}">`,
    '      <properties>',
    ...properties,
    '      </properties>',
    ...marks[element],
    '    </testcase>',
  ].join('\n');
}

/** Text without characters that XML 1.0 has no place for, markup escaped. */
function content(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function attribute(text: string): string {
  return content(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
}
