import { expect, test } from 'vitest';
import { encodeRecord, type ResultRecord, type ResultsWriter } from '../record/index.ts';
import { sampleLine, sampleRecord } from '../record/testing/sample-run.ts';
import { Audience } from './audience.ts';
import { Collector } from './collector.ts';

function collect(append: (record: ResultRecord) => void = () => {}) {
  const told: ResultRecord[] = [];
  const writer = { append, close: () => {} } as unknown as ResultsWriter;
  const planned = [0, 1, 2].map(sampleLine);
  return { told, collector: new Collector('run', planned, writer, (record) => told.push(record)) };
}

test('records are written, told and no longer remaining', () => {
  const written: ResultRecord[] = [];
  const { collector, told } = collect((record) => written.push(record));
  collector.receive(encodeRecord(sampleRecord(1, 'failed-numerics')));
  expect(written).toEqual(told);
  expect(collector.remaining().map(({ index }) => index)).toEqual([0, 2]);
  expect(collector.failures).toBe(1);
});

test('a malformed record becomes an infra-error of its case instead of a damaged file', () => {
  const { collector, told } = collect();
  collector.receive(encodeRecord({ ...sampleRecord(2, 'passed'), cycles: Number.NaN }));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ index: 2, case: sampleLine(2), verdict: 'infra-error' });
  expect(told[0].reason).toMatch(/the case's record is malformed: cycles/);
});

test('a disk that refuses ends the collection, and the record is not counted', () => {
  const full = new Error('ENOSPC: no space left on device');
  const { collector, told } = collect(() => {
    throw full;
  });
  collector.receive(encodeRecord(sampleRecord(0, 'passed')));
  expect([collector.broken, collector.records, told]).toEqual([full, [], []]);
});

test('a resumed run tries infrastructure errors again and keeps the rest', () => {
  const { collector } = collect();
  collector.adopt([sampleRecord(0, 'infra-error'), sampleRecord(1, 'failed-numerics')]);
  expect(collector.remaining().map(({ index }) => index)).toEqual([0, 2]);
  collector.receive(encodeRecord(sampleRecord(0, 'passed')));
  expect(collector.records.map(({ index, verdict }) => [index, verdict])).toEqual([
    [0, 'infra-error'],
    [1, 'failed-numerics'],
    [0, 'passed'],
  ]);
});

test('a listener that throws is told about and harms nobody', async () => {
  const warnings: string[] = [];
  const heard: string[] = [];
  const audience = new Audience(
    [
      {
        name: 'bad',
        onNotice: () => {
          throw new Error('no');
        },
        onEnd: () => Promise.reject(new Error('never')),
      },
      { name: 'good', onNotice: (text) => heard.push(text), onEnd: async () => 'file.txt' },
    ],
    (text) => warnings.push(text),
  );
  audience.tell((listener) => listener.onNotice?.('hello'));
  expect(await audience.end({} as never)).toEqual([{ listener: 'good', path: 'file.txt' }]);
  expect(heard).toEqual(['hello']);
  expect(warnings).toEqual(['report bad: no', 'report bad: never']);
});
