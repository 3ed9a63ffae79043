import { formatRatio, type ResultRecord } from '../harness/record/index.ts';

/** Figures of a record with their units in their names; absent ones are left out. */
export function figuresOf(record: ResultRecord): readonly (readonly [name: string, value: string])[] {
  const { compile } = record;
  const endpoint = compile?.steps.filter((step) => step.endpointBound !== undefined) ?? [];
  const horizon = endpoint.reduce((sum, step) => sum + (step.horizon ?? 0), 0);
  const bound = endpoint.reduce((sum, step) => sum + (step.endpointBound ?? 0), 0);
  const figures: [string, number | string | undefined][] = [
    ['bound_ratio', record.boundRatio === undefined ? undefined : formatRatio(record.boundRatio)],
    ['mismatches', sumOf(record, 'mismatches')],
    ['alarms', sumOf(record, 'alarms')],
    ['elements', sumOf(record, 'compared')],
    ['device_cycles', record.cycles],
    ['device_us', record.microseconds],
    ['tflops', record.tflops],
    ['instructions', record.instructions],
    ['budget_cycles', record.budget?.limitCycles],
    ['model_cycles', compile?.modelCycles],
    ['tiles_active', compile?.tilesActive],
    ['sram_bytes', compile?.sramBytes],
    ['code_bytes', compile?.codeBytes],
    ['exchange_horizon_cycles', endpoint.length === 0 ? undefined : horizon],
    ['exchange_bound_cycles', endpoint.length === 0 ? undefined : bound],
    ['package_bytes', record.package?.bytes],
    ['host_ms', record.host.totalMilliseconds],
  ];
  return figures.flatMap(([name, value]) => (value === undefined ? [] : [[name, formatFigure(value)]]));
}

/** Names of all figures, in their order. */
export const FIGURES = [
  'bound_ratio',
  'mismatches',
  'alarms',
  'elements',
  'device_cycles',
  'device_us',
  'tflops',
  'instructions',
  'budget_cycles',
  'model_cycles',
  'tiles_active',
  'sram_bytes',
  'code_bytes',
  'exchange_horizon_cycles',
  'exchange_bound_cycles',
  'package_bytes',
  'host_ms',
] as const;

function sumOf(record: ResultRecord, name: 'mismatches' | 'alarms' | 'compared'): number | undefined {
  const counts = record.outputs.flatMap(({ metrics }) => (metrics === undefined ? [] : [metrics[name]]));
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

function formatFigure(value: number | string): string {
  if (typeof value === 'string' || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(6)));
}
