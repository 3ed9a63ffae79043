import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Label, Stage, Status } from 'allure-js-commons';
import type { ReporterRuntime } from 'allure-js-commons/sdk/reporter';
import {
  encodeJson,
  isFailure,
  type ResultRecord,
  type RunView,
  type Verdict,
} from '../harness/record/index.ts';
import { describeRecord } from './allure-description.ts';
import { caseFields } from './case-fields.ts';
import { mismatchTable } from './mismatch-table.ts';

/** Failed: the program is wrong. Broken: the check or the infrastructure is. */
const STATUS: Readonly<Record<Verdict, Status | undefined>> = {
  passed: Status.PASSED,
  'failed-numerics': Status.FAILED,
  'failed-contract': Status.FAILED,
  'failed-budget': Status.FAILED,
  'compile-error': Status.FAILED,
  'device-fault': Status.FAILED,
  'infra-error': Status.BROKEN,
  mistrusted: Status.BROKEN,
  unsupported: Status.SKIPPED,
  skipped: Status.SKIPPED,
  'known-failure': Status.SKIPPED,
  'unexpected-pass': Status.PASSED,
  // Allure shows a result without a status as unknown.
  'not-run': undefined,
};

function statusOf({ manifest }: RunView, { verdict }: ResultRecord): Status | undefined {
  const strict = manifest.options['strict'] === 'true';
  return strict && verdict === 'unexpected-pass' ? Status.FAILED : STATUS[verdict];
}

/** Writes one record as one Allure result with its own steps and attachments. */
export function writeAllureResult(runtime: ReporterRuntime, run: RunView, record: ResultRecord): void {
  const status = statusOf(run, record);
  const start = record.host.startedAt || Date.parse(run.manifest.startedAt);
  const stop = start + record.host.totalMilliseconds;
  const identity = md5(record.case);
  const uuid = runtime.startTest({
    // The page of a case keeps its address when the report is rendered again.
    uuid: md5(`${record.run}\0${record.case}`),
    name: record.case,
    fullName: record.case,
    historyId: identity,
    testCaseId: identity,
    titlePath: [record.operation],
    start,
    ...(status === undefined ? {} : { status }),
    stage: Stage.FINISHED,
    description: describeRecord(record),
    parameters: caseFields(record.case).map(([name, value]) => ({ name, value })),
    labels: labelsOf(record),
    statusDetails:
      record.verdict === 'passed'
        ? {}
        : {
            message: `${record.verdict}: ${record.reasons.join('; ')}`,
            trace: [record.failure?.stack, record.failure?.advice, record.repro]
              .filter((text) => text !== undefined)
              .join('\n\n'),
          },
  });
  writeSteps(runtime, uuid, record, start, status);
  if (isFailure(record.verdict) || record.verdict === 'unexpected-pass') {
    writeEvidence(runtime, uuid, run, record);
  }
  runtime.stopTest(uuid, { stop });
  runtime.writeTest(uuid);
}

function md5(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('hex');
}

function labelsOf(record: ResultRecord): Label[] {
  const fields = new Map(caseFields(record.case));
  const [pattern] = record.outputs.flatMap(({ patterns }) => patterns);
  const labels: [string, string | undefined][] = [
    ['framework', 'ipu-verify'],
    ['parentSuite', record.operation],
    ['suite', prefixed('tiles', fields.get('tiles'))],
    ['subSuite', prefixed('fill', fields.get('fill'))],
    ['epic', record.operation],
    ['feature', prefixed('tiles', fields.get('tiles'))],
    ['story', prefixed('fill', fields.get('fill'))],
    ['verdict', record.verdict],
    ['cause', pattern?.kind ?? record.failure?.stage],
    ['host', record.device === undefined ? undefined : `${record.device.kind} ${record.device.model}`],
    ['thread', `lane ${record.host.lane}`],
  ];
  return labels.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function prefixed(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${name}=${value}`;
}

/** The stages of the case's life; the last one carries the status of an error. */
function writeSteps(
  runtime: ReporterRuntime,
  uuid: string,
  record: ResultRecord,
  start: number,
  status: Status | undefined,
): void {
  let at = start;
  const { stages } = record.host;
  for (const [index, { name, milliseconds }] of stages.entries()) {
    const failed = index === stages.length - 1 && record.verdict !== 'passed';
    const step = runtime.startStep(uuid, null, {
      name,
      start: at,
      stage: Stage.FINISHED,
      status: failed ? (status ?? Status.BROKEN) : Status.PASSED,
    });
    at += milliseconds;
    if (step !== undefined) runtime.stopStep(step, { stop: at });
  }
}

/** What somebody needs who looks into a failure. Passed cases carry none: their figures are in the description. */
function writeEvidence(runtime: ReporterRuntime, uuid: string, run: RunView, record: ResultRecord): void {
  const attach = (name: string, text: string, contentType: string, fileExtension: string) =>
    runtime.writeAttachment(uuid, null, name, Buffer.from(text, 'utf8'), { contentType, fileExtension });
  attach('reproduction', `${record.repro}\n`, 'text/plain', '.txt');
  for (const { name, file, contentType } of record.artefacts) {
    const path = join(run.directory.path, file);
    if (!existsSync(path)) continue;
    const fileExtension = file.slice(file.lastIndexOf('.'));
    runtime.writeAttachment(uuid, null, name, path, { contentType, fileExtension });
  }
  for (const output of record.outputs) {
    if (output.mismatches.length === 0) continue;
    attach(`first mismatches of ${output.tensor}`, mismatchTable(output), 'text/csv', '.csv');
  }
  if (record.compile !== undefined) {
    attach('compile report', encodeJson(record.compile, 2), 'application/json', '.json');
  }
  attach('record', encodeJson(record, 2), 'application/json', '.json');
}
